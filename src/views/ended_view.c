/* ended_view.c: how a run's process ended, as the one that started it saw: in words, and for machines. */
#include "report_view.h"

#include "report/json_writer.h"
#include "report/signal_name.h"
#include "report/units.h"

void pit__signal_words(int number, struct pit__text *text)
{
    const char *name = pit__signal_name(number);
    if (name)
        pit__text_puts(text, name);
    else
        pit__text_printf(text, "signal %d", number);
}

void pit__ending_words(const pit_ended *ended, struct pit__text *text)
{
    if (ended->exit_signal == 0) {
        pit__text_printf(text, "exit status %d", ended->exit_status);
        return;
    }
    pit__text_puts(text, "killed by ");
    pit__signal_words(ended->exit_signal, text);
    if (ended->dumped_core)
        pit__text_puts(text, " (core dumped)");
}

static void add_duration(struct pit__text *text, const char *what, uint64_t ns, int ascii)
{
    char number[PIT__UNIT_BYTES];
    if (ns != PIT_UNKNOWN)
        pit__text_printf(text, ", %s%s", what, pit__unit_duration(number, (double)ns, ascii));
}

static void add_bytes(struct pit__text *text, const char *what, uint64_t bytes)
{
    char number[PIT__UNIT_BYTES];
    if (bytes != PIT_UNKNOWN)
        pit__text_printf(text, ", %s %s", what, pit__unit_bytes_words(number, (double)bytes));
}

static void add_count(struct pit__text *text, uint64_t count, const char *one, const char *many)
{
    char number[PIT__UNIT_BYTES];
    if (count != PIT_UNKNOWN && count > 0)
        pit__text_printf(text, ", %s %s", pit__unit_count(number, count), count == 1 ? one : many);
}

/* How it ended, and what it took. */
static void ended_words(const pit_ended *ended, struct pit__text *text, int ascii)
{
    pit__ending_words(ended, text);
    add_duration(text, "", ended->duration_ns, ascii);
    add_duration(text, "user ", ended->user_ns, ascii);
    add_duration(text, "system ", ended->system_ns, ascii);
    add_bytes(text, "peak RSS", ended->rss_peak);
    add_count(text, ended->children, "child process seen", "child processes seen");
}

static const char *count_or_not(char *out, uint64_t count)
{
    return count == PIT_UNKNOWN ? "n/a" : pit__unit_count(out, count);
}

static const char *bytes_or_not(char *out, uint64_t bytes)
{
    return pit__unit_bytes_words(out, pit__known(bytes)); /* NaN is n/a */
}

/* "page faults 1,203 minor, 4 major; switches 31 waiting, 12 forced; storage 4.10 MB read, …" */
static void add_details(const pit_ended *e, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    pit__text_printf(text, "page faults %s minor, %s major", count_or_not(a, e->minor_faults),
                     count_or_not(b, e->major_faults));
    pit__text_printf(text, "; switches %s waiting, %s forced", count_or_not(a, e->switches),
                     count_or_not(b, e->forced_switches));
    pit__text_printf(text, "; storage %s read, %s written", bytes_or_not(a, e->read_bytes),
                     bytes_or_not(b, e->write_bytes));
}

int pit__print_ended(const struct pit__report *report, const pit_run *run)
{
    struct pit__text words = {0}, details = {0};
    if (!run->ended)
        return 0;
    ended_words(run->ended, &words, report->look.ascii);
    int is_bad = run->ended->exit_signal || run->ended->exit_status;
    int code = pit__print_labelled(report, "ended", &words, is_bad ? PIT__HOT : PIT__PLAIN);
    add_details(run->ended, &details);
    return code ? code : pit__print_labelled(report, "system", &details, PIT__PLAIN);
}

/* ---- for machines --------------------------------------------------------------------------- */

static void write_known(struct pit__json *json, const char *key, uint64_t figure)
{
    if (figure == PIT_UNKNOWN)
        pit__json_null(json, key);
    else
        pit__json_uint(json, key, figure);
}

void pit__json_ended(struct pit__json *json, const pit_run *run)
{
    const pit_ended *e = run->ended;
    if (!e) {
        pit__json_null(json, "ended");
        return;
    }
    pit__json_object(json, "ended");
    pit__json_uint(json, "pid", (uint64_t)e->pid);
    pit__json_uint(json, "start_wall_ns", e->start_wall_ns);
    pit__json_uint(json, "duration_ns", e->duration_ns);
    if (e->exit_signal)
        pit__json_null(json, "exit_status");
    else
        pit__json_uint(json, "exit_status", (uint64_t)e->exit_status);
    if (e->exit_signal)
        pit__json_uint(json, "exit_signal", (uint64_t)e->exit_signal);
    else
        pit__json_null(json, "exit_signal");
    pit__json_bool(json, "dumped_core", e->dumped_core);
    write_known(json, "user_ns", e->user_ns);
    write_known(json, "system_ns", e->system_ns);
    write_known(json, "rss_peak_bytes", e->rss_peak);
    write_known(json, "minor_faults", e->minor_faults);
    write_known(json, "major_faults", e->major_faults);
    write_known(json, "switches", e->switches);
    write_known(json, "forced_switches", e->forced_switches);
    write_known(json, "read_bytes", e->read_bytes);
    write_known(json, "write_bytes", e->write_bytes);
    write_known(json, "read_chars", e->read_chars);
    write_known(json, "write_chars", e->write_chars);
    write_known(json, "children_seen", e->children);
    write_known(json, "oom_kills", e->oom_kills);
    pit__json_object_end(json);
}

PIT_API const char *pit_ended_words(const pit_ended *ended, char *words, size_t room)
{
    struct pit__text text = {0};
    pit__ending_words(ended, &text);
    snprintf(words, room, "%s", pit__text_string(&text));
    pit__text_free(&text);
    return words;
}

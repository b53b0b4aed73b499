/* ended_view.c: how the process of a run ended, as seen by its parent process: in words and as
 * JSON. */
#include "report_view.h"

#include "model/fields.h"
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

/* A figure with the text around it. */
struct phrase {
    const char *key; /* of a field */
    const char *before, *after;
};

static const struct phrase took[] = {
    {"duration_ns", ", ", ""},
    {"user_ns", ", user ", ""},
    {"system_ns", ", system ", ""},
    {"rss_peak_bytes", ", peak RSS ", ""},
};

/* "page faults 1,203 minor, 4 major; switches 31 waiting, 12 forced; storage 4.10 MB read, …" */
static const struct phrase details[] = {
    {"minor_faults", "page faults ", " minor"}, {"major_faults", ", ", " major"},
    {"switches", "; switches ", " waiting"},    {"forced_switches", ", ", " forced"},
    {"read_bytes", "; storage ", " read"},      {"write_bytes", ", ", " written"},
};

static void figure_words(char *out, const struct pit__field *field, const pit_field_value *value,
                         int ascii)
{
    if (value->type <= PIT_VALUE_UNKNOWN)
        snprintf(out, PIT__UNIT_BYTES, "n/a");
    else if (field->kind == PIT__BYTES)
        pit__unit_bytes_words(out, (double)value->whole);
    else if (field->kind == PIT__DURATION)
        pit__unit_duration(out, (double)value->whole, ascii);
    else
        pit__unit_count(out, value->whole);
}

/* With `whole` also figures that are not available. */
static void add_phrases(struct pit__text *text, const pit_ended *ended,
                        const struct phrase *phrases, size_t count, int whole, int ascii)
{
    for (size_t i = 0; i < count; i++) {
        const struct pit__field *field = pit__field_named(&pit__ended_fields, phrases[i].key);
        char figure[PIT__UNIT_BYTES];
        pit_field_value value;
        pit__field_read(field, ended, &value);
        if (value.type == PIT_VALUE_UNKNOWN && !whole)
            continue;
        figure_words(figure, field, &value, ascii);
        pit__text_printf(text, "%s%s%s", phrases[i].before, figure, phrases[i].after);
    }
}

/* How it ended, and the resources it used. */
static void ended_words(const pit_ended *ended, struct pit__text *text, int ascii)
{
    char number[PIT__UNIT_BYTES];
    uint64_t children = ended->children;
    pit__ending_words(ended, text);
    add_phrases(text, ended, took, sizeof took / sizeof took[0], 0, ascii);
    if (children != PIT_UNKNOWN && children > 0)
        pit__text_printf(text, ", %s child process%s seen", pit__unit_count(number, children),
                         children == 1 ? "" : "es");
}

void pit__print_ended(struct pit__prose *prose, const pit_run *run)
{
    struct pit__text words = {0}, more = {0};
    if (!run->ended)
        return;
    ended_words(run->ended, &words, prose->look.ascii);
    int is_bad = run->ended->exit_signal || run->ended->exit_status;
    pit__prose_labelled(prose, "ended", &words, is_bad ? PIT__HOT : PIT__PLAIN);
    add_phrases(&more, run->ended, details, sizeof details / sizeof details[0], 1,
                prose->look.ascii);
    pit__prose_labelled(prose, "system", &more, PIT__PLAIN);
}

/* ---- for machines --------------------------------------------------------------------------- */

void pit__json_ended(struct pit__json *json, const pit_run *run)
{
    if (!run->ended) {
        pit__json_null(json, "ended");
        return;
    }
    pit__json_object(json, "ended");
    pit__json_fields(json, &pit__ended_fields, run->ended);
    pit__json_object_end(json);
}

PIT_API const char *pit_ended_text(const pit_ended *ended, char *words, size_t room)
{
    struct pit__text text = {0};
    pit__ending_words(ended, &text);
    snprintf(words, room, "%s", pit__text_string(&text));
    pit__text_free(&text);
    return words;
}

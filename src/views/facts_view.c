/* facts_view.c: the program, host, time and end of a run, and where its data was stored. */
#include "report_view.h"

#include "model/run_gpu.h"
#include "reader/reader.h"
#include "report/units.h"

#include <string.h>
#include <time.h>

#define RUNS_LISTED 20
#define TIME_BYTES 40

const char *pit__state_word(const pit_run *run)
{
    switch (run->state) {
    case PIT_RUN_LIVE:
        return "live";
    case PIT_RUN_CLOSED:
        return "closed";
    case PIT_RUN_DIED:
        break;
    }
    return run->ended_by_parent ? "ended" : "died";
}

/* Local time, or ISO 8601 in UTC. */
void pit__wall_time(uint64_t wall_ns, int iso, char *out, size_t size)
{
    time_t seconds = (time_t)(wall_ns / 1000000000u);
    struct tm parts;
    out[0] = '\0';
    if (iso) {
        if (!gmtime_r(&seconds, &parts) || strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
            out[0] = '\0';
    } else if (!localtime_r(&seconds, &parts) ||
               strftime(out, size, "%Y-%m-%d %H:%M:%S %z", &parts) == 0) {
        snprintf(out, size, "n/a");
    }
}

void pit__add_facts(struct pit__text *text, const pit_run *run, const char *const *keys,
                    size_t count, const char *between, int visible)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = pit_run_fact(run, keys[i]);
        if (!value || !*value)
            continue;
        if (text->length > 0)
            pit__text_puts(text, between);
        if (visible)
            pit__text_add_visible(text, value);
        else
            pit__text_puts(text, value);
    }
}

void pit__add_command(struct pit__text *text, const pit_run *run, int visible)
{
    static const char *const program[] = {"program", "arguments"};
    static const char *const script[] = {"interpreter", "arguments"};
    pit__add_facts(text, run, pit_run_fact(run, "interpreter") ? script : program, 2, " ", visible);
}

void pit__add_labels(struct pit__text *text, const pit_run *run)
{
    for (size_t i = 0; i < run->fact_count; i++) {
        if (strncmp(run->facts[i].key, "label.", 6) != 0)
            continue;
        if (text->length > 0)
            pit__text_puts(text, ", ");
        pit__text_add_visible(text, run->facts[i].key + 6);
        pit__text_puts(text, "=");
        pit__text_add_visible(text, run->facts[i].value);
    }
}

/* Without a parent that saw the end, only "killed, _exit or exec" is known. */
static void add_death(struct pit__text *text, const pit_run *run)
{
    if (run->ended_by_parent) {
        pit__text_puts(text, "ended by its parent");
        return;
    }
    if (!run->ended) {
        pit__text_puts(text, "ended without a close (killed, _exit or exec)");
        return;
    }
    pit__ending_words(run->ended, text);
    if (run->ended->exit_signal == 0)
        pit__text_puts(text, " without a close (_exit or exec),");
}

/* For example "12.5 s, ended cleanly". */
static void add_ending(struct pit__text *text, const pit_run *run, int ascii)
{
    char length[PIT__UNIT_BYTES], when[TIME_BYTES];
    pit__unit_duration(length, run->duration_ns, ascii);
    pit__wall_time(run->end_wall_ns, 0, when, sizeof when);
    switch (run->state) {
    case PIT_RUN_LIVE:
        pit__text_printf(text, "live, %s so far", length);
        break;
    case PIT_RUN_CLOSED:
        pit__text_printf(text, "ran %s, ended %s", length, run->ended ? "by itself" : "cleanly");
        break;
    case PIT_RUN_DIED:
        add_death(text, run);
        pit__text_printf(text, " %s, %s after its start", when, length);
        break;
    }
}

/* `path`: the run it is about if there are several; else NULL. */
static void print_note(struct pit__prose *prose, const char *path, struct pit__text *note)
{
    struct pit__text line = {0};
    if (path) {
        pit__text_add_visible(&line, path);
        pit__text_puts(&line, ": ");
    }
    pit__text_puts(&line, pit__text_string(note));
    line.failed |= note->failed;
    pit__text_free(note);
    pit__prose_labelled(prose, "note", &line, PIT__WARM);
}

/* A storage error of the recorder, with the reason from the system. */
static void print_reason(struct pit__prose *prose, const char *path, const char *what, int reason)
{
    struct pit__text note = {0};
    pit__text_puts(&note, what);
    if (reason > 0)
        pit__text_printf(&note, ": %s", strerror(reason));
    print_note(prose, path, &note);
}

/* Where the data was stored if not in the run file, and what that means for the figures. */
static void print_place(struct pit__prose *prose, const pit_run *run, const char *path)
{
    if (run->storage == PIT_STORAGE_MEMORY && run->open_errno)
        print_reason(prose, path, "recorded in memory: its file could not be created",
                     run->open_errno);
    else if (run->storage == PIT_STORAGE_MEMORY && run->path[0] != '(')
        print_reason(prose, path, "recorded in memory, copied to its file now and then", 0);
    else if (run->storage == PIT_STORAGE_MEMORY)
        print_reason(prose, path, "recorded in memory, without a file", 0);
    else if (run->storage == PIT_STORAGE_SHM)
        print_reason(prose, path, "its live pages were in shared memory, not in its file",
                     run->open_errno);
    if (run->growth_errno)
        print_reason(prose, path, "its file stopped growing: later spans are lost",
                     run->growth_errno);
    if (run->recovered)
        print_reason(prose, path, "recovered from shared memory just now", 0);
    if (run->is_mirror)
        print_reason(prose, path, "a copy taken while it ran: counts may be some spans apart", 0);
}

void pit__add_stub_note(const pit_run *run, struct pit__text *note)
{
    const char *root = pit_run_fact(run, "sysfs");
    if (!root)
        return;
    pit__text_puts(note, "devices and energy were read from ");
    pit__text_add_visible(note, root);
    pit__text_puts(note, " (PITWALL_SYSFS), not from the kernel: a test's figures");
}

static void print_notes(struct pit__prose *prose, const pit_run *run, const char *path)
{
    char number[PIT__UNIT_BYTES];
    struct pit__text note = {0};
    print_place(prose, run, path);
    pit__add_stub_note(run, &note);
    if (note.length)
        print_note(prose, path, &note);
    if (run->skipped_blocks > 0) {
        pit__text_printf(&note,
                         "%s blocks are of a newer kind and were skipped; a newer pitwall reads"
                         " them",
                         pit__unit_count(number, run->skipped_blocks));
        print_note(prose, path, &note);
    }
    if (run->ns_per_tick_error >= 0.001) {
        pit__text_printf(&note,
                         "durations are known to %s: the run was too short to measure its"
                         " clock",
                         pit__unit_percent_words(number, run->ns_per_tick_error));
        print_note(prose, path, &note);
    }
}

/* "peak RSS 1.97 GB of a limit of 2.00 GB, not growing" */
static void print_memory(struct pit__prose *prose, const struct pit__run_memory *memory)
{
    char size[PIT__UNIT_BYTES];
    struct pit__text text = {0};
    double limit = pit__memory_limit(&memory->last);
    if (!(memory->peak >= 0))
        return;
    pit__text_printf(&text, "peak RSS %s", pit__unit_bytes_words(size, memory->peak));
    if (limit > 0)
        pit__text_printf(&text, " of %s%s", limit == memory->last.cgroup_limit ? "a limit of " : "",
                         pit__unit_bytes_words(size, limit));
    pit__growth_words(memory, &text);
    pit__prose_labelled(prose, "memory", &text, memory->verdict.is_memory ? PIT__HOT : PIT__PLAIN);
}

static void print_gpus(struct pit__prose *prose, const pit_run *run)
{
    struct pit__run_gpu gpu;
    for (size_t i = 0; pit__run_gpu_of(run, i, &gpu); i++) {
        struct pit__text text = {0};
        pit__run_gpu_words(&gpu, &text);
        pit__prose_labelled(prose, i == 0 ? "GPU" : "", &text, PIT__PLAIN);
    }
}

void pit__print_run_facts(struct pit__prose *prose, const pit_run *run,
                          const struct pit__run_memory *memory)
{
    static const char *const machine[] = {"host", "cpu", "kernel"};
    static const char *const others[] = {"rank", "git", "device_clock", "device_events"};
    static const char *const titles[] = {"rank", "git", "devices", "devices"};
    char when[TIME_BYTES], number[PIT__UNIT_BYTES];
    struct pit__text text = {0};
    pit__add_command(&text, run, 1);
    pit__prose_fact(prose, "program", &text);
    pit__add_facts(&text, run, machine, 3, ", ", 1);
    pit__prose_fact(prose, "machine", &text);
    pit__wall_time(run->start_wall_ns, 0, when, sizeof when);
    pit__text_puts(&text, when);
    pit__prose_fact(prose, "started", &text);
    add_ending(&text, run, prose->look.ascii);
    pit__prose_labelled(prose, "state", &text, pit__has_died(run) ? PIT__HOT : PIT__PLAIN);
    pit__print_ended(prose, run);
    if (run->thread_count > 0)
        pit__text_printf(&text, "%zu", run->thread_count);
    pit__prose_fact(prose, "threads", &text);
    print_memory(prose, memory);
    print_gpus(prose, run);
    for (size_t i = 0; i < 4; i++) {
        pit__add_facts(&text, run, &others[i], 1, "", 1);
        pit__prose_fact(prose, titles[i], &text);
    }
    pit__add_labels(&text, run);
    pit__prose_fact(prose, "labels", &text);
    pit__text_add_visible(&text, run->path);
    pit__text_printf(&text, " (%s)",
                     pit__unit_bytes(number, (double)(run->used_bytes - run->losses.beyond_file)));
    pit__prose_fact(prose, "run", &text);
    print_notes(prose, run, NULL);
}

static int print_many(const struct pit__report *report)
{
    static const struct pit__column columns[] = {
        {.title = "run", .key = "path", .kind = PIT__TEXT, .min_width = 24, .max_width = 100},
        {.title = "program",
         .key = "program",
         .kind = PIT__TEXT,
         .min_width = 8,
         .max_width = 30,
         .drop = 3},
        {.title = "host",
         .key = "host",
         .kind = PIT__TEXT,
         .min_width = 8,
         .max_width = 30,
         .drop = 2},
        {.title = "rank",
         .key = "rank",
         .kind = PIT__TEXT,
         .align = PIT__ALIGN_RIGHT,
         .max_width = 8,
         .optional = 1},
        {.title = "started", .key = "start", .kind = PIT__TEXT, .min_width = 25, .drop = 4},
        {.title = "duration", .key = "duration_ns", .kind = PIT__DURATION},
        {.title = "state", .key = "state", .kind = PIT__TEXT, .min_width = 6},
        {.title = "threads", .key = "threads", .kind = PIT__COUNT, .drop = 1},
    };
    struct pit__table *table = pit__table_new(columns, sizeof columns / sizeof columns[0]);
    if (!table)
        return PIT_NO_MEMORY;
    for (size_t r = 0; r < report->run_count && r < RUNS_LISTED; r++) {
        const pit_run *run = report->runs[r];
        char when[TIME_BYTES];
        pit__wall_time(run->start_wall_ns, 0, when, sizeof when);
        const char *rank = pit_run_fact(run, "rank");
        struct pit__cell cells[] = {
            pit__cell_text(run->path),
            pit__cell_text(pit_run_fact(run, "program")),
            pit__cell_text(pit_run_fact(run, "host")),
            rank ? pit__cell_text(rank) : pit__cell_empty(),
            pit__cell_text(when),
            pit__cell_real(run->duration_ns),
            pit__cell_text(pit__state_word(run)),
            pit__cell_whole(run->thread_count),
        };
        if (pit__has_died(run))
            cells[6].style = PIT__HOT;
        pit__table_row(table, cells);
    }
    int code = pit__table_print(table, report->out, &report->look) ? PIT_NO_MEMORY : 0;
    pit__table_free(table);
    if (report->run_count > RUNS_LISTED)
        fprintf(report->out, "and %zu more\n", report->run_count - RUNS_LISTED);
    for (size_t r = 0; r < report->run_count; r++)
        print_notes(report->prose, report->runs[r], report->runs[r]->path);
    return code;
}

int pit__print_facts(const struct pit__report *report)
{
    putc('\n', report->out);
    if (report->run_count > 1)
        return print_many(report);
    if (report->ranks)
        fprintf(report->out, "rank %s, for all of them:\n", pit_run_fact(report->runs[0], "rank"));
    pit__print_run_facts(report->prose, report->runs[0], &report->memory[0]);
    return 0;
}

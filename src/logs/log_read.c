/* log_read.c: reads the timing lines of any text log.
 *
 * Real logs come through `tee`: they contain colours, progress bars with carriage returns,
 * prefixes of launchers, lines of other programs, and sometimes binary junk. So patterns are
 * found anywhere in a line, and carriage returns also end a line:
 *
 *   [2024-10-13 22:30:00] [STAGE] name
 *   [2024-10-13 22:30:01] [TIMING] name: 2345.67s (39.09min)
 *   [TAG] Last 100 graphs: Pattern gen=123.45ms, Total=456.78ms, Avg nodes=28.3
 *   [TIMING SUMMARY], and below it   name   : 44.23s   (1.8%)   and   TOTAL : 2409.93s (40.17min)
 */
#include "log_scan.h"

#include "base/arena.h"
#include "base/grow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE 65536 /* only this much of a line is searched; the rest is skipped */

struct reading {
    pit_log log; /* first: what the caller holds is this */
    struct pit__arena arena;
    pit_entry *entries;
    size_t room;
    int in_summary; /* 1 below its head, 2 below its first row */
    char *line;     /* LONGEST_LINE + 1 */
    size_t length;
};

/* ---- keeping what was found ----------------------------------------------------------------- */

static void keep(struct reading *r, const char *kind, const char *text, size_t length,
                 uint64_t wall_ns, const pit_figure *figures, size_t count)
{
    pit_entry *more = pit__grow(r->entries, &r->room, r->log.count + 1, sizeof *more, 64);
    if (!more) {
        r->arena.failed = 1;
        return;
    }
    r->entries = more;
    pit_figure *kept = pit__arena_array(&r->arena, count, sizeof *kept);
    char *own = pit__arena_text(&r->arena, text, length);
    if (!own || (count > 0 && !kept))
        return;
    if (count > 0)
        memcpy(kept, figures, count * sizeof *kept);
    r->entries[r->log.count++] = (pit_entry){
        .kind = kind, .text = own, .wall_ns = wall_ns, .figures = kept, .figure_count = count};
}

/* ---- kinds of lines ------------------------------------------------------------------------- */

static void read_stage(struct reading *r, const char *line, const char *mark)
{
    const char *text = mark + strlen("[STAGE]");
    text += strspn(text, " \t");
    keep(r, "stage", text, strlen(text), pit__scan_wall_time(line, mark), NULL, 0);
}

static void read_timing(struct reading *r, const char *line, const char *mark)
{
    const char *text = mark + strlen("[TIMING]");
    size_t name_length;
    pit_figure seconds = {"seconds", 0, "s"};
    text += strspn(text, " \t");
    if (!pit__scan_named_duration(text, &name_length, &seconds.value, NULL)) {
        r->log.malformed++;
        return;
    }
    keep(r, "timing", text, name_length, pit__scan_wall_time(line, mark), &seconds, 1);
}

/* The items of a window, after its colon; returns their number, 0 if it is not a window. */
static size_t read_items(struct reading *r, const char *text, pit_figure *figures, size_t most)
{
    size_t count = 0;
    while (*text) {
        const char *end = strstr(text, ", ");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        if (count == most || !pit__scan_item(&r->arena, text, length, &figures[count]))
            return 0;
        count++;
        text += length + (end ? 2 : 0);
    }
    return count;
}

/* 1 if the line has the shape of a window, good or not. */
static int read_window(struct reading *r, const char *line)
{
    struct pit__scan_window window;
    pit_figure figures[1 + PIT__WINDOW_ITEMS];
    if (!pit__scan_window_head(line, &window))
        return 0;
    size_t count = read_items(r, window.items, figures + 1, PIT__WINDOW_ITEMS);
    char *unit = pit__arena_text(&r->arena, window.unit, window.unit_length);
    if (count == 0 || !unit) {
        r->log.malformed++;
        return 1;
    }
    figures[0] = (pit_figure){unit, window.calls, "count"};
    keep(r, "window", window.tag, window.tag_length, pit__scan_wall_time(line, window.tag - 1),
         figures, count + 1);
    return 1;
}

static int is_rule(const char *line)
{
    size_t length = strspn(line, "=");
    return length >= 20 && line[length] == '\0';
}

/* Below [TIMING SUMMARY]: rows until the rule that closes it. */
static void read_summary_line(struct reading *r, const char *line)
{
    size_t name_length;
    double share = -1;
    pit_figure figures[2] = {{"seconds", 0, "s"}, {"share", 0, "%"}};
    line += strspn(line, " \t");
    if (is_rule(line)) {
        r->in_summary = r->in_summary == 2 ? 0 : r->in_summary;
        return;
    }
    if (!pit__scan_named_duration(line, &name_length, &figures[0].value, &share))
        return;
    r->in_summary = 2;
    int total = name_length == 5 && strncmp(line, "TOTAL", 5) == 0 && share < 0;
    figures[1].value = share;
    keep(r, total ? "total" : "summary", line, name_length, 0, figures, share < 0 ? 1 : 2);
    if (total)
        r->in_summary = 0;
}

static void read_line(struct reading *r)
{
    r->line[r->length] = '\0';
    const char *line = pit__scan_clean(r->line, r->length), *mark;
    r->length = 0;
    if (!*line)
        return;
    if (strstr(line, "[TIMING SUMMARY]"))
        r->in_summary = 1;
    else if ((mark = strstr(line, "[TIMING]")) != NULL)
        read_timing(r, line, mark);
    else if ((mark = strstr(line, "[STAGE]")) != NULL)
        read_stage(r, line, mark);
    else if (!read_window(r, line) && r->in_summary)
        read_summary_line(r, line);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* A carriage return starts a new line for us, so text that a program printed after a progress
 * bar is found. */
static void read_bytes(struct reading *r, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char c = bytes[i];
        r->log.lines += c == '\n';
        if (c == '\n' || c == '\r')
            read_line(r);
        else if (r->length < LONGEST_LINE)
            r->line[r->length++] = c == '\0' ? ' ' : c;
    }
}

static void set_error(pit_error *error, int code, const char *message)
{
    if (!error)
        return;
    *error = (pit_error){.code = code};
    snprintf(error->message, sizeof error->message, "%s", message);
}

PIT_API pit_log *pit_log_read(FILE *in, pit_error *error)
{
    struct reading *r = in ? calloc(1, sizeof *r) : NULL;
    char bytes[16384], last = '\n';
    size_t count;
    if (r)
        r->line = malloc(LONGEST_LINE + 1);
    if (!r || !r->line) {
        set_error(error, in ? PIT_NO_MEMORY : PIT_BAD_ARGUMENT,
                  pit_strerror(in ? PIT_NO_MEMORY : PIT_BAD_ARGUMENT));
        pit_log_free(r ? &r->log : NULL);
        return NULL;
    }
    errno = 0;
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0) {
        read_bytes(r, bytes, count);
        last = bytes[count - 1];
    }
    int failed = ferror(in), why = errno;
    if (last != '\n') {
        r->log.lines++;
        read_line(r);
    }
    if (failed || r->arena.failed) {
        set_error(error, failed ? PIT_CANNOT_READ : PIT_NO_MEMORY,
                  failed ? strerror(why ? why : EIO) : pit_strerror(PIT_NO_MEMORY));
        pit_log_free(&r->log);
        return NULL;
    }
    r->log.entries = r->entries;
    return &r->log;
}

PIT_API void pit_log_free(pit_log *log)
{
    struct reading *r = (struct reading *)log;
    if (!r)
        return;
    pit__arena_free(&r->arena);
    free(r->entries);
    free(r->line);
    free(r);
}

/* cmd_doctor.c: pitwall doctor: show what this machine can measure, and remedies for the rest. */
#include "checks.h"
#include "cli.h"

#include "report/json_writer.h"
#include "report/prose.h"
#include "report/style.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pitwall doctor [DIR] [options]\n"
    "\n"
    "Show what this machine can measure. For everything else, show the reason and the\n"
    "remedy. To test this, doctor records a short run in DIR, reads it and removes\n"
    "it. Default for DIR: the folder of PITWALL_FILE, or pitwall-runs.\n"
    "\n"
    "  --json            print one JSON document\n"
    "  --width N         columns of the output; 0: no limit\n"
    "  --no-colour       no colour on a terminal\n"
    "  --help            print this help\n"
    "\n"
    "Examples:\n"
    "  pitwall doctor\n"
    "  pitwall doctor /mnt/share/runs\n"
    "  pitwall doctor --json | jq -r '.checks[] | select(.state == \"no\") | .remedy'\n"
    "\n"
    "Exit status: 0 whatever the result; 64 wrong usage, 74 the output cannot be\n"
    "written.\n";

static const struct option long_options[] = {
    {"json", no_argument, NULL, FORM_JSON},
    FORM_LOOK_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

#define SCHEMA_VERSION 1
#define NAME_WIDTH 17
#define STATE_WIDTH 9

static const char *const state_words[] = {"yes", "limited", "no"};

/* ---- the checks ---------------------------------------------------------------------------- */

struct check *check_add(struct checks *checks, const char *name, int is_recorded)
{
    assert(checks->count < MOST_CHECKS);
    struct check *check = &checks->list[checks->count++];
    *check = (struct check){.name = name, .is_recorded = is_recorded};
    return check;
}

void check_bad(struct check *check, enum check_state state, const char *why, const char *remedy)
{
    check->state = state;
    pit__text_puts(&check->why, why);
    pit__text_puts(&check->remedy, remedy);
}

static int free_checks(struct checks *checks)
{
    int failed = 0;
    for (size_t i = 0; i < checks->count; i++) {
        struct pit__text *texts[] = {&checks->list[i].figure, &checks->list[i].why,
                                     &checks->list[i].remedy};
        for (size_t k = 0; k < 3; k++) {
            failed |= texts[k]->failed;
            pit__text_free(texts[k]);
        }
    }
    return failed;
}

static size_t count_state(const struct checks *checks, enum check_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < checks->count; i++)
        count += checks->list[i].state == state;
    return count;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void print_check(struct pit__prose *prose, struct check *check)
{
    static const enum pit__style styles[] = {PIT__PLAIN, PIT__WARM, PIT__HOT};
    size_t indent = STATE_WIDTH + NAME_WIDTH;
    enum pit__style style = styles[check->state];
    fprintf(prose->out, "%s%-*s%s%-*s", pit__style_on(style, prose->look.colour), STATE_WIDTH,
            state_words[check->state], pit__style_off(style, prose->look.colour), NAME_WIDTH,
            check->name);
    int has_figure = check->figure.length > 0;
    if (has_figure)
        pit__prose_words(prose, &check->figure, indent, PIT__PLAIN);
    struct pit__text *more[] = {&check->why, &check->remedy};
    for (size_t i = 0; i < 2; i++) {
        if (!more[i]->length)
            continue;
        if (i > 0 || has_figure)
            fprintf(prose->out, "%*s", (int)indent, "");
        if (i > 0)
            fputs("remedy: ", prose->out);
        pit__prose_words(prose, more[i], indent + (i > 0 ? 8 : 0), i > 0 ? PIT__DIM : PIT__PLAIN);
    }
}

/* Not 0: out of memory. */
static int print_text(struct checks *checks, const pit_report_options *options)
{
    struct pit__prose prose = {
        .out = stdout,
        .look = {.width = options->width, .colour = options->colour, .ascii = options->ascii}};
    static const char *const heads[] = {"available on this machine, not recorded by this version",
                                        "in runs"};
    struct pit__text line = {0};
    pit__text_printf(&line, "%zu of %zu available, %zu with limits, %zu not available",
                     count_state(checks, CHECK_YES), checks->count,
                     count_state(checks, CHECK_LIMITED), count_state(checks, CHECK_NO));
    pit__prose_words(&prose, &line, 0, PIT__STRONG);
    for (int recorded = 1; recorded >= 0; recorded--) {
        printf("\n%s\n", heads[recorded]);
        for (size_t i = 0; i < checks->count; i++)
            if (checks->list[i].is_recorded == recorded)
                print_check(&prose, &checks->list[i]);
    }
    return prose.failed;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void write_text(struct pit__json *json, const char *key, const struct pit__text *text)
{
    pit__json_string(json, key, text->length ? pit__text_string(text) : NULL);
}

static void print_json(const struct checks *checks)
{
    struct pit__json json;
    pit__json_init(&json, stdout);
    pit__json_object(&json, NULL);
    pit__json_uint(&json, "schema_version", SCHEMA_VERSION);
    pit__json_string(&json, "pitwall_version", PITWALL_VERSION);
    pit__json_object(&json, "summary");
    for (int state = CHECK_YES; state <= CHECK_NO; state++)
        pit__json_uint(&json, state_words[state], count_state(checks, (enum check_state)state));
    pit__json_object_end(&json);
    pit__json_array(&json, "checks");
    for (size_t i = 0; i < checks->count; i++) {
        const struct check *check = &checks->list[i];
        pit__json_object(&json, NULL);
        pit__json_string(&json, "name", check->name);
        pit__json_string(&json, "state", state_words[check->state]);
        pit__json_bool(&json, "recorded", check->is_recorded);
        write_text(&json, "figure", &check->figure);
        write_text(&json, "why", &check->why);
        write_text(&json, "remedy", &check->remedy);
        pit__json_object_end(&json);
    }
    pit__json_array_end(&json);
    pit__json_object_end(&json);
    pit__json_finish(&json);
}

/* ---- the command --------------------------------------------------------------------------- */

/* The folder where a run would be written now: PITWALL_FILE, if that is a folder, or its folder. */
static void default_folder(char *folder, size_t size)
{
    const char *file = getenv("PITWALL_FILE");
    snprintf(folder, size, "%s", file && *file ? file : "pitwall-runs/");
    char *last = strrchr(folder, '/');
    if (!last)
        snprintf(folder, size, ".");
    else
        last[last == folder] = '\0';
}

static int parse_options(int argc, char **argv, pit_report_options *options)
{
    int status = parse_form_options(argc, argv, help, long_options, options);
    if (status)
        return status;
    return optind + 1 < argc ? fail_usage("doctor", "more than one folder", argv[optind + 1], NULL)
                             : 0;
}

int cmd_doctor(int argc, char **argv)
{
    char folder[PROBE_BYTES];
    static struct checks checks;
    pit_report_options options = output_form();
    int status = parse_options(argc, argv, &options);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    default_folder(folder, sizeof folder);
    if (optind < argc)
        snprintf(folder, sizeof folder, "%s", argv[optind]);
    run_checks(&checks, folder);
    system_checks(&checks);
    library_checks(&checks);
    int failed = 0;
    if (options.form == PIT_JSON)
        print_json(&checks);
    else
        failed = print_text(&checks, &options);
    failed |= free_checks(&checks);
    return failed ? fail(EXIT_CANNOT_READ, "cannot print all checks", NULL, strerror(ENOMEM))
                  : EXIT_GOOD;
}

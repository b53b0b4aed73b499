/* cmd_compare.c: pitwall compare: find which side is faster, and whether the difference is real. */
#include "cli.h"
#include "side_list.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pitwall compare A B... [options]\n"
    "       pitwall compare RUN... vs RUN... [options]\n"
    "\n"
    "Say which side is faster, by how much, in which parts, and whether the\n"
    "difference is real. A side is a run, a folder of runs, several of them separated\n"
    "by commas, a JSON file of hyperfine, google/benchmark or pytest-benchmark, or a\n"
    "runtime profile. Every side is compared with the first, part by part (spans or\n"
    "benchmarks of the same name). A single JSON file is compared within itself: its\n"
    "entries with the first one.\n"
    "\n"
    "A, B and change come from the same estimator. For a part: the p10 of the\n"
    "iterations of each run, or their median if that decided. For whole runs made in\n"
    "turn: the mean of the lowest third, or of all. change is the typical difference\n"
    "(median of all differences, or mean of the pairs); B is A plus the change. Runs\n"
    "made in turn (ABAB, ABBA, random) are recognised by their start times. With one\n"
    "run per side, the iterations give an indicative answer, which fails no gate.\n"
    "\n"
    "  --node PATH       compare only this part\n"
    "  --effect PCT      the smallest difference that matters (2%)\n"
    "  --level P         accepted chance of a false alarm (0.05)\n"
    "  --fail-on GATE    exit with 1 if the gate finds a regression; repeatable:\n"
    "                      slower:5%              the run, or a span of 1 % of it\n"
    "                      slower:5%@epoch/batch  this part; slower:5%@* any part\n"
    "                      memory:10%             peak memory; with @ as above\n"
    "                      slower:5%:2ms          ignore differences below 2 ms\n"
    "  --interleaved     state that the sides were run in turn, as by `pitwall race`\n"
    "  --trust           allow gates to fail on runs that were not made in turn\n"
    "  --json, --markdown, --csv\n"
    "  --width N         columns of the output; 0: no limit\n"
    "  --no-colour       no colour on a terminal\n"
    "  --help            print this help\n"
    "\n"
    "Examples:\n"
    "  pitwall compare before/ after/\n"
    "  pitwall compare before-*.pit vs after-*.pit --fail-on slower:5%\n"
    "  pitwall compare old.json new.json --markdown > comment.md\n"
    "\n"
    "Exit status: 0; 1 a gate found a regression; 2 no verdict, only an indicative\n"
    "answer, or a gate without figures; 64 wrong usage, 66 a file cannot be\n"
    "read, 74 the output cannot be written.\n";

enum { NODE = 256, EFFECT, LEVEL, FAIL_ON, INTERLEAVED, TRUST, HELP };

static const struct option long_options[] = {
    FORM_TABLE_OPTIONS,
    FORM_LOOK_OPTIONS,
    {"node", required_argument, NULL, NODE},
    {"effect", required_argument, NULL, EFFECT},
    {"level", required_argument, NULL, LEVEL},
    {"fail-on", required_argument, NULL, FAIL_ON},
    {"interleaved", no_argument, NULL, INTERLEAVED},
    {"trust", no_argument, NULL, TRUST},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

struct settings {
    pit_compare_options compare;
    pit_report_options print;
    const char **gates;
};

static int parse_option(int option, struct settings *s)
{
    switch (option) {
    case NODE:
        s->compare.node = optarg;
        return 0;
    case INTERLEAVED:
        s->compare.interleaved = 1;
        return 0;
    case TRUST:
        s->compare.trust = 1;
        return 0;
    case EFFECT:
        return parse_share(optarg, 0.01, 100, &s->compare.effect)
                   ? 0
                   : fail_usage("compare", "--effect", optarg,
                                "must be a percentage over 0, as in 5%");
    case LEVEL:
        return parse_share(optarg, 1, 1, &s->compare.level)
                   ? 0
                   : fail_usage("compare", "--level", optarg, "must be between 0 and 1");
    case FAIL_ON:
        if (pit_gate_check(optarg) != 0)
            return fail_usage(
                "compare", "--fail-on", optarg,
                "must be like slower:5%, memory:10%, slower:5%:2ms or slower:5%@PATH");
        s->gates[s->compare.gate_count++] = optarg;
        return 0;
    default:
        return form_option("compare", option, &s->print);
    }
}

/* 0; an exit status; or -1 after the help was printed. */
static int parse_options(int argc, char **argv, struct settings *s)
{
    int option, status = 0;
    while (!status && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        if (option == 'h' || option == HELP) {
            fputs(help, stdout);
            return -1;
        }
        if (option == '?' || option == ':')
            return fail_option("compare", option, argv);
        status = parse_option(option, s);
    }
    if (!status && optind == argc)
        return fail_usage("compare", "give two sides", NULL,
                          "runs, folders of runs, or JSON files");
    return status;
}

static int compare(const struct side_list *list, struct settings *s)
{
    pit_error error = {0};
    const pit_side **sides = calloc(list->count, sizeof *sides);
    for (size_t i = 0; sides && i < list->count; i++)
        sides[i] = list->inputs[i].side;
    s->compare.interleaved = list->interleaved ? 2 : s->compare.interleaved;
    s->compare.pairs = list->interleaved ? list->inputs[0].run_count : 0;
    pit_comparisons *all =
        sides ? pit_compare_sides(sides, list->count, &s->compare, &error) : NULL;
    free(sides);
    if (!all)
        return fail(EXIT_CANNOT_READ, "cannot compare", NULL,
                    *error.message ? error.message : strerror(ENOMEM));
    int status = all->status, code = pit_comparisons_print(stdout, all, &s->print);
    if (code)
        status = fail_printed(code, "cannot compare", NULL);
    pit_comparisons_free(all);
    return status;
}

int cmd_compare(int argc, char **argv)
{
    struct settings s = {.print = output_form(),
                         .gates = calloc((size_t)argc + 1, sizeof *s.gates)};
    s.print.height = output_height();
    if (!s.gates)
        return fail(EXIT_CANNOT_READ, "cannot compare", NULL, strerror(ENOMEM));
    s.compare.gates = s.gates;
    int status = parse_options(argc, argv, &s);
    if (status == 0) {
        struct side_list list;
        status = side_list_make(&list, argv + optind, argc - optind);
        if (!status)
            status = compare(&list, &s);
        side_list_free(&list);
    }
    free(s.gates);
    return status < 0 ? EXIT_GOOD : status;
}

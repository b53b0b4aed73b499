/* cmd_log.c: pitwall log: what text logs say about time. */
#include "cli.h"
#include "log_source.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pitwall log FILE... [options]\n"
    "\n"
    "Find [TIMING] lines, windows ([TAG] Last N things: a=1.0ms, ...) and timing\n"
    "summaries in text logs, and print their totals as tables. Several logs are\n"
    "compared. A FILE may be compressed with gzip or zstd; - is standard input.\n"
    "\n"
    "  --json         print one JSON document\n"
    "  --csv          one row per stage or window item; in seconds or the item's unit\n"
    "  --markdown     print Markdown tables\n"
    "  --width N      columns of the output; 0: no limit\n"
    "  --no-colour    no colour on a terminal\n"
    "  --help         print this help\n"
    "\n"
    "Examples:\n"
    "  pitwall log pretrain.log\n"
    "  pitwall log before.log.gz after.log.zst\n"
    "  bash pretrain.sh 2>&1 | tee pretrain.log | pitwall log -\n"
    "\n"
    "Exit status: 0, 2 no log has timing lines, 64 wrong usage, 66 a log cannot be\n"
    "read, 74 the output cannot be written.\n";

static const struct option long_options[] = {
    FORM_TABLE_OPTIONS,
    FORM_LOOK_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int parse_options(int argc, char **argv, pit_report_options *options)
{
    int status = parse_form_options(argc, argv, help, long_options, options);
    if (status)
        return status;
    return optind == argc ? fail_usage("log", "no log given; use - for standard input", NULL, NULL)
                          : 0;
}

static pit_log *read_log(const char *path, int *status)
{
    const char *why;
    pit_error error = {0};
    struct log_source *source = log_source_open(path, &why);
    pit_log *log = source ? pit_log_read(log_source_stream(source), &error) : NULL;
    if (source && log_source_trouble(source)) {
        why = log_source_trouble(source);
        pit_log_free(log);
        log = NULL;
    } else if (source && !log) {
        why = error.message;
    }
    if (!log)
        *status = fail(EXIT_CANNOT_READ, "cannot read the log",
                       strcmp(path, "-") == 0 ? "standard input" : path, why);
    log_source_close(source);
    return log;
}

static int print_logs(pit_log *const *logs, const char *const *names, size_t count,
                      const pit_report_options *options)
{
    int code = pit_log_print(stdout, (const pit_log *const *)logs, names, count, options);
    if (code == PIT_NOTHING)
        return EXIT_NO_VERDICT;
    return fail_printed(code, "cannot print the tables", NULL);
}

int cmd_log(int argc, char **argv)
{
    pit_report_options options = output_form();
    int status = parse_options(argc, argv, &options);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    size_t room = (size_t)(argc - optind), count = 0;
    pit_log **logs = calloc(room + 1, sizeof *logs);
    const char **names = calloc(room + 1, sizeof *names);
    for (int i = optind; logs && names && i < argc; i++) {
        logs[count] = read_log(argv[i], &status);
        names[count] = strcmp(argv[i], "-") == 0 ? "standard input" : argv[i];
        count += logs[count] != NULL;
    }
    if (!logs || !names)
        status = fail(EXIT_CANNOT_READ, "cannot read the logs", NULL, strerror(ENOMEM));
    if (count > 0) {
        int printed = print_logs(logs, names, count, &options);
        status = printed ? printed : status;
    }
    while (count-- > 0)
        pit_log_free(logs[count]);
    free(logs);
    free(names);
    return status;
}

/* fuzz_log: arbitrary bytes, read as a text log and printed in every form. */
#include "pitwall_report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static FILE *nowhere;

/* The first folder among the arguments is the fuzzer's corpus: write the first lines there. */
static void make_seed(const char *folder)
{
    static const char text[] =
        "\x1b[1m[rank0]: [2024-10-13 22:30:00] [STAGE] start\x1b[0m\r\n"
        "10%|#\r[2024-10-13 22:30:01] [TIMING] load: 3690.00s (61.50min) (1.02h)\n"
        "[GPM TIMING] Last 100 graphs: Pattern gen=123.45ms, Total=4.5us, Avg nodes=-28.3\n"
        "================================\n[TIMING SUMMARY]\n================================\n"
        "  load: 1                       : 44.23s               (1.8%)\n"
        "  TOTAL                         : 2409.93s (40.17min)\n";
    char path[4096];
    snprintf(path, sizeof path, "%s/log-seed", folder);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) == EOF || fclose(file) != 0)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    for (int i = 1; i < *argc; i++)
        if ((*argv)[i][0] != '-') {
            make_seed((*argv)[i]);
            break;
        }
    nowhere = fopen("/dev/null", "w");
    return nowhere ? 0 : 1;
}

static void check(const pit_log *log, size_t bytes)
{
    if (log->lines > bytes || log->malformed > bytes)
        abort();
    for (size_t i = 0; i < log->count; i++) {
        const pit_entry *entry = &log->entries[i];
        if (strlen(entry->text) > bytes || (!entry->figure_count && strcmp(entry->kind, "stage")))
            abort();
        for (size_t k = 0; k < entry->figure_count; k++)
            /* not finite */
            if (!(entry->figures[k].value < 1e300) || strlen(entry->figures[k].key) > bytes)
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const names[] = {"a", "b"};
    if (bytes == 0) /* fmemopen does not accept an empty buffer */
        return 0;
    FILE *in = fmemopen((void *)(uintptr_t)data, bytes, "r");
    pit_log *log = in ? pit_log_read(in, NULL) : NULL;
    if (!log)
        abort();
    check(log, bytes);
    const pit_log *logs[] = {log, log};
    for (int form = PIT_TEXT; form <= PIT_MARKDOWN; form++) {
        pit_report_options options = {.form = (enum pit_form)form, .width = 80, .colour = 1};
        pit_log_print(nowhere, logs, names, 1, &options);
        pit_log_print(nowhere, logs, names, 2, &options);
    }
    pit_log_free(log);
    fclose(in);
    return 0;
}

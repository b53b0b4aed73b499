/* fuzz_run: arbitrary bytes, read as a run and printed in every form. The sanitizers report an
 * out-of-bounds read, an overflow or excessive memory. */
#include "make_seeds.h"
#include "pitwall_report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static FILE *nowhere;

/* The first folder among the arguments is the fuzzer's corpus: write the seeds there. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    for (int i = 1; i < *argc; i++)
        if ((*argv)[i][0] != '-') {
            make_seeds((*argv)[i]);
            break;
        }
    nowhere = fopen("/dev/null", "w");
    return nowhere ? 0 : 1;
}

static void print(const pit_run *run)
{
    static const pit_report_options forms[] = {
        {.width = 80, .colour = 1},
        {.form = PIT_JSON},
        {.view = "memory", .width = 60},
        {.view = "places", .width = 70},
        {.flat = 1, .sort = "p99", .ascii = 1, .width = 20, .min_share = 0.01},
    };
    const pit_run *runs[] = {run, run};
    pit_tree *tree = pit_tree_build(runs, 2);
    if (tree && tree->node_count)
        pit_node_quantile(&tree->nodes[0], 0.5);
    pit_tree_free(tree);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        pit_report_print(nowhere, runs, 1 + i % 2, &forms[i]);
    for (size_t i = 0; pit_export_at(i); i++)
        pit_export(nowhere, pit_export_at(i)->name, runs, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    for (int alive = 0; alive <= 1; alive++) {
        pit_error error;
        memset(&error, 0, sizeof error);
        pit_run *run = pit_run_parse(data, bytes, alive, &error);
        /* refused without a reason */
        if (!run && (error.code >= 0 || !error.message[0] || error.offset > bytes))
            abort();
        if (run)
            print(run);
        pit_run_free(run);
    }
    return 0;
}

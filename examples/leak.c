/* leak: a training loop that forgets to free something, and a report that says what.
 *
 *     leak -o leak.pit && pitwall report leak.pit --view memory
 *
 * Shows spans that measure memory, PIT_SPAN_WITH(name, PIT_MEMORY), and PIT_RECORD, which keeps
 * each step with its own figures. "load" and "forward" take memory and give it back; "log" keeps a
 * copy of every step's predictions in a list that nobody ever clears, so the process grows by
 * 256 kB a step. The report names step/log as the place.
 */
#include <pitwall.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 256, /* predictions a step: ROWS × COLUMNS floats are 256 kB */
    COLUMNS = 256,
    INNER = 192
};

struct page { /* of the log */
    struct page *before;
    float predictions[ROWS * COLUMNS];
};

static struct page *newest; /* the leak: it only ever grows */

static float *load(unsigned step)
{
    float *batch = malloc(sizeof *batch * ROWS * INNER);
    for (size_t i = 0; batch && i < (size_t)ROWS * INNER; i++)
        batch[i] = (float)((i * 31 + step) % 97) / 97;
    return batch;
}

static float *forward(const float *batch, const float *weights)
{
    float *out = calloc((size_t)ROWS * COLUMNS, sizeof *out);
    for (size_t row = 0; out && row < ROWS; row++)
        for (size_t k = 0; k < INNER; k++) {
            float x = batch[row * INNER + k];
            for (size_t column = 0; column < COLUMNS; column++)
                out[row * COLUMNS + column] += x * weights[k * COLUMNS + column];
        }
    return out;
}

static int write_log(const float *predictions)
{
    struct page *page = malloc(sizeof *page);
    if (!page)
        return -1;
    memcpy(page->predictions, predictions, sizeof page->predictions);
    page->before = newest;
    newest = page;
    return 0;
}

static int train_step(unsigned step, const float *weights)
{
    float *batch = NULL, *predictions = NULL;
    int failed = 0;
    PIT_SPAN_WITH("load", PIT_MEMORY)
    {
        batch = load(step);
        failed = batch == NULL;
    }
    PIT_SPAN_WITH("forward", PIT_MEMORY)
    {
        predictions = failed ? NULL : forward(batch, weights);
        failed = predictions == NULL;
        pit_flops((uint64_t)2 * ROWS * INNER * COLUMNS);
    }
    PIT_SPAN_WITH("log", PIT_MEMORY)
    {
        failed = failed || write_log(predictions);
    }
    free(predictions);
    free(batch);
    return failed;
}

static int train(unsigned steps)
{
    float *weights = malloc(sizeof *weights * INNER * COLUMNS);
    int failed = weights == NULL;
    for (size_t i = 0; !failed && i < (size_t)INNER * COLUMNS; i++)
        weights[i] = (float)(i % 13) / 13;
    for (unsigned step = 0; !failed && step < steps; step++)
        PIT_SPAN_WITH("step", PIT_MEMORY | PIT_RECORD)
        {
            failed = train_step(step, weights);
            pit_items(ROWS);
        }
    free(weights);
    return failed;
}

/* At the end of the process, so that leak checkers speak of the library alone. */
static void clear_log(void)
{
    while (newest) {
        struct page *page = newest;
        newest = page->before;
        free(page);
    }
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    long steps = 300;
    for (int i = 1; i < argc; i++) {
        char *end = "";
        if (!strcmp(argv[i], "-o") && i + 1 < argc)
            path = argv[++i];
        else if (!strcmp(argv[i], "--steps") && i + 1 < argc)
            steps = strtol(argv[++i], &end, 10);
        else
            steps = 0;
        if (*end || steps < 1 || steps > 10000) {
            fprintf(stderr, "usage: leak [-o PATH] [--steps N]\n"
                            "Train with a leak of 256 kB a step (1 to 10000, default 300).\n");
            return 64;
        }
    }
    int code = pit_open(path, NULL);
    if (code && code != PIT_ALREADY_OPEN && code != PIT_OFF)
        fprintf(stderr, "leak: %s\n", pit_strerror(code));
    int failed = train((unsigned)steps);
    code = pit_close();
    if (code && code != PIT_NOT_OPEN)
        fprintf(stderr, "leak: %s\n", pit_strerror(code));
    if (failed)
        fprintf(stderr, "leak: no memory\n");
    clear_log();
    return failed ? 1 : 0;
}

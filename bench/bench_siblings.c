/* Does a span cost more with many siblings? Round robin over 1, 64 and 1,024 sites below one
 * parent, in the same loop over an array of sites. */
#include "bench.h"

#include <stdio.h>

enum { MOST = 1024, BATCH = 4096 };

struct row {
    size_t count;
    pit_site sites[MOST];
    char names[MOST][16];
};

static void round_robin(uint64_t n, void *argument)
{
    struct row *row = argument;
    PIT_SPAN("parent") {
        for (uint64_t i = 0, k = 0; i < n; i++) {
            pit_token token = pit_begin(&row->sites[k]);
            __asm__ volatile("" ::: "memory");
            pit_end(token);
            k = k + 1 == row->count ? 0 : k + 1;
        }
    }
}

static void fill(struct row *row, size_t count)
{
    row->count = count;
    for (size_t i = 0; i < count; i++) {
        snprintf(row->names[i], sizeof row->names[i], "s%zu.%zu", count, i);
        row->sites[i] = (pit_site)PIT_SITE(row->names[i]);
    }
}

int main(void)
{
    static struct row one, some, many;
    fill(&one, 1);
    fill(&some, 64);
    fill(&many, MOST);
    struct bench_case cases[] = {{round_robin, &one, BATCH, 1, 0},
                                 {round_robin, &some, BATCH, 1, 0},
                                 {round_robin, &many, BATCH, 1, 0}};
    bench_open("bench_siblings.pit");
    bench_take_turns(cases, 3, 3000);
    pit_close();
    bench_print("siblings_1_ns", cases[0].best_ns);
    bench_print("siblings_64_x_1", cases[1].best_ns / cases[0].best_ns);
    bench_print("siblings_1024_x_1", cases[2].best_ns / cases[0].best_ns);
    return 0;
}

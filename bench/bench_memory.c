/* Is memory bounded? Resident memory after a million spans and after a hundred million. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double resident_kb(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*u %lu", &pages) != 1)
        bench_fail("/proc/self/statm", strerror(errno));
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

/* Record spans up to `total`: one outer span per 999 inner ones. */
static void record(uint64_t *done, uint64_t total)
{
    while (*done < total)
        PIT_SPAN("outer") {
            for (int i = 0; i < 999; i++)
                PIT_SPAN("inner") {
                    __asm__ volatile("" ::: "memory");
                }
            *done += 1000;
        }
}

int main(void)
{
    uint64_t done = 0;
    pit_status status;
    bench_open("bench_memory.pit");
    record(&done, 1000000);
    double early = resident_kb();
    record(&done, 100000000);
    bench_print("record_1e6_rss_kb", early);
    bench_print("record_1e8_rss_growth_kb", resident_kb() - early);
    if (pit_get_status(NULL, &status) == 0)
        bench_print("record_1e8_file_kb", (double)status.bytes / 1024);
    return pit_close() ? 1 : 0;
}

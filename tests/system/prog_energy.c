/* prog_energy RUN HZ: executes the commands on its standard input, one per line, and answers each line when it is
 * done, so that a test can move the counters of its stub between two lines, without a clock. RUN -: the path
 * comes from the environment.
 *
 *   begin NAME   begin a span with PIT_ENERGY, and wait until it is long enough to be measured
 *   memory NAME  begin a span with PIT_MEMORY
 *   end          end the innermost span
 *   short N      N spans "short" with PIT_ENERGY, as short as they can be
 *   items N      count items in the innermost span
 *   joules       print what pit_energy_read says
 *   epoch, done  begin and end an epoch of an epoch monitor
 *   close        close the run; die: SIGKILL; abort: SIGABRT
 */
#include "pitwall_report.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONG_NS 40000000 /* twenty renewals of RAPL's counters are 20 ms */
#define DEEPEST 16

static void rest(void)
{
    struct timespec time = {0, LONG_NS};
    while (nanosleep(&time, &time) != 0)
        continue;
}

static void print_joules(void)
{
    pit_energy_now now;
    int code = pit_energy_read(&now);
    printf("%d %.6f %.6f\n", code, now.processors_j, now.devices_j);
}

int main(int argc, char **argv)
{
    char line[256];
    pit_token open[DEEPEST];
    int depth = 0;
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(NULL);
    if (argc < 3)
        return 64;
    pit_options options = {.sample_hz = strtod(argv[2], NULL)};
    const char *path = strcmp(argv[1], "-") == 0 ? NULL : argv[1];
    if (pit_open(path, &options) != PIT_OK)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("ready");
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        const char *rest_of = strchr(line, ' ') ? strchr(line, ' ') + 1 : "";
        if (strncmp(line, "begin ", 6) == 0 && depth < DEEPEST) {
            open[depth++] = pit_begin_with(rest_of, PIT_ENERGY);
            rest();
        } else if (strncmp(line, "memory ", 7) == 0 && depth < DEEPEST) {
            open[depth++] = pit_begin_with(rest_of, PIT_MEMORY);
        } else if (strcmp(line, "end") == 0 && depth > 0) {
            pit_end(open[--depth]);
        } else if (strncmp(line, "short ", 6) == 0) {
            for (long i = strtol(rest_of, NULL, 10); i > 0; i--)
                PIT_SPAN_WITH("short", PIT_ENERGY)
            pit_items(2);
        } else if (strncmp(line, "items ", 6) == 0) {
            pit_items(strtoull(rest_of, NULL, 10));
        } else if (strcmp(line, "joules") == 0) {
            print_joules();
        } else if (strcmp(line, "epoch") == 0) {
            pit_epoch_begin(monitor);
            rest();
        } else if (strcmp(line, "done") == 0) {
            pit_epoch_end(monitor);
        } else if (strcmp(line, "close") == 0) {
            break;
        } else if (strcmp(line, "die") == 0) {
            raise(SIGKILL);
        } else if (strcmp(line, "abort") == 0) {
            abort();
        }
        puts("ok");
    }
    pit_epoch_monitor_free(monitor);
    return pit_close() ? 1 : 0;
}

/* The field tables, and a run in which every field has a value somewhere:
 *
 *   prog_fields list      one line per field: row, key, title, kind, merge rule, shown, help
 *   prog_fields record    spans with all kinds of figures, one left open, some misuse; then SIGKILL
 *
 * The run is opened by the environment: pitwall run --alloc -o RUN -- prog_fields record.
 */
#include "pitwall_fields.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void list(enum pit_row_kind of, const char *row)
{
    const pit_field *field;
    for (size_t i = 0; (field = pit_field_at(of, i)) != NULL; i++)
        printf("%s\t%s\t%s\t%s\t%s\t%d\t%s\n", row, field->key, field->title, pit_field_kind(field),
               pit_field_merge(field), pit_field_is_shown(field), field->help);
}

static void *volatile kept; /* the compiler must not leave it out; the last one leaks on purpose */

static void work(void)
{
    PIT_SPAN("step") {
        PIT_SPAN_WITH("memory", PIT_MEMORY | PIT_RECORD | PIT_LEAKS)
        {
            kept = malloc(1 << 20);
            if (kept)
                memset(kept, 1, 1 << 20);
            free(kept);
            kept = malloc(100);
        }
        PIT_SPAN("counted") {
            pit_items(3);
            pit_bytes(4096);
            pit_flops(1000);
        }
    }
}

/* The counter of the stand-in for /sys that the caller made: one joule more. */
static void count_joule(void)
{
    char path[4096];
    const char *root = getenv("PITWALL_SYSFS");
    snprintf(path, sizeof path, "%s/class/powercap/intel-rapl:0/energy_uj", root ? root : "");
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "1001000\n");
        fclose(file);
    }
}

/* A kernel that waited before it ran; what the machine's energy counters said meanwhile. */
static void use_devices(void)
{
    PIT_SPAN_WITH("powered", PIT_ENERGY)
    {
        struct timespec now;
        pit_items(1);
        count_joule();
        pit_add_team(2, 300, 200, 250);
        usleep(30000); /* longer than twenty renewals of the counters: measured, not estimated */
        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        uint64_t ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        uint64_t kernel =
            pit_add_span(pit_position(), "kernel", PIT_DEVICE, ns - 2000000, ns - 1000000);
        pit_add_span(kernel, "wait", PIT_DEVICE, ns - 2500000, ns - 2000000);
    }
}

static void record(void)
{
    use_devices();
    for (int i = 0; i < 5; i++)
        work();
    pit_object object = pit_object_begin_name("beside");
    pit_object_end(&object);
    pit_value("loss", 0.5);
    pit_token token = pit_begin_name("outer");
    pit_begin_name("abandoned");
    pit_end(token);
    pit_end(token); /* an end without begin */
    pit_begin_name("here");
    PIT_SPAN("inside")
        usleep(1000);
    kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        list(PIT_OF_NODE, "node");
        list(PIT_OF_ENDED, "ended");
        list(PIT_OF_LOSSES, "losses");
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "record") == 0)
        record();
    return 64;
}

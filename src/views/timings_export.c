/* timings_export.c: named times as the timing utilities keep them in files.
 *
 * CSV: Section,Model,Time (s). JSON: {section, timestamp, timings}, where a time that has memory or a
 * device beside it is an object.
 */
#include "report/json_writer.h"
#include "report/units.h"
#include "report_view.h"

#include <math.h>
#include <time.h>

#define TIME_BYTES 40

struct timings {
    const char *section;
    const pit_row *rows;
    size_t count;
    uint64_t wall_ns;
};

static int write_csv(FILE *out, void *arg)
{
    static const struct pit__column columns[] = {
        {.title = "Section", .key = "Section", .kind = PIT__TEXT},
        {.title = "Model", .key = "Model", .kind = PIT__TEXT},
        {.title = "Time (s)", .key = "Time (s)", .kind = PIT__TEXT},
    };
    const struct timings *timings = arg;
    struct pit__table *table = pit__table_new(columns, 3);
    if (!table)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < timings->count; i++) {
        char seconds[400] = ""; /* as long as a double can be */
        const pit_row *row = &timings->rows[i];
        if (isfinite(row->seconds))
            pit__print_double(seconds, sizeof seconds, "%.4f", row->seconds);
        struct pit__cell cells[] = {pit__cell_text(timings->section),
                                    pit__cell_text(row->name ? row->name : ""),
                                    pit__cell_text(seconds)};
        pit__table_row(table, cells);
    }
    int code = pit__table_csv(table, out) ? PIT_NO_MEMORY : 0;
    pit__table_free(table);
    return code;
}

static void write_timing(struct pit__json *json, const pit_row *row)
{
    const char *name = row->name ? row->name : "";
    if (!row->has_memory && !row->has_device) {
        pit__json_double(json, name, row->seconds);
        return;
    }
    pit__json_object(json, name);
    pit__json_double(json, "time", row->seconds);
    if (row->has_memory) {
        pit__json_double(json, "peak_memory_mb", row->cpu_peak_mb);
        pit__json_double(json, "current_memory_mb", row->cpu_delta_mb);
    }
    if (row->has_device) {
        pit__json_double(json, "allocated_mb", row->gpu_end_mb);
        pit__json_double(json, "max_allocated_mb", row->gpu_peak_mb);
    }
    pit__json_object_end(json);
}

static int write_json(FILE *out, void *arg)
{
    const struct timings *timings = arg;
    char time[TIME_BYTES];
    struct pit__json json;
    pit__wall_time(timings->wall_ns, 1, time, sizeof time);
    pit__json_init(&json, out);
    pit__json_object(&json, NULL);
    pit__json_string(&json, "section", timings->section);
    pit__json_string(&json, "timestamp", time);
    pit__json_object(&json, "timings");
    for (size_t i = 0; i < timings->count; i++)
        write_timing(&json, &timings->rows[i]);
    pit__json_object_end(&json);
    pit__json_object_end(&json);
    pit__json_finish(&json);
    return 0;
}

PIT_API int pit_save_timings(const char *path, enum pit_form form, const char *section,
                             const pit_row *rows, size_t count, uint64_t wall_ns)
{
    struct timings timings = {section ? section : "", rows, count, wall_ns};
    if ((count > 0 && !rows) || (form != PIT_CSV && form != PIT_JSON))
        return PIT_BAD_ARGUMENT;
    if (wall_ns == 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        timings.wall_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
    return pit_save(path, form == PIT_CSV ? write_csv : write_json, &timings);
}

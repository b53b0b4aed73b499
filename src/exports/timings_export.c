/* timings_export.c: named times in the file formats of the timing utilities.
 *
 * CSV: Section,Model,Time (s), then memory and device columns if any time has them. JSON:
 * {section, timestamp, timings}; a time with memory or device figures is an object.
 */
#include "report/json_writer.h"
#include "report/units.h"
#include "views/report_view.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define TIME_BYTES 40

struct timings {
    const char *section;
    const pit_row *rows;
    size_t count;
    uint64_t wall_ns;
};

#define COLUMN(key_)                                                                               \
    {                                                                                              \
        .title = key_, .key = key_, .kind = PIT__TEXT                                              \
    }
#define FIXED 3 /* columns that every file has */
#define PAIRS 2 /* of two columns each: memory, device */

static void add_csv_row(struct pit__table *table, const struct timings *timings, const pit_row *row,
                        const int *shown)
{
    const int has[PAIRS] = {row->has_memory, row->has_device};
    const double figures[1 + 2 * PAIRS] = {row->seconds, row->cpu_peak_mb, row->cpu_delta_mb,
                                           row->gpu_end_mb, row->gpu_peak_mb};
    char texts[1 + 2 * PAIRS][400] = {""}; /* as long as a double can be */
    struct pit__cell cells[FIXED + 2 * PAIRS];
    size_t count = 0;
    cells[count++] = pit__cell_text(timings->section);
    cells[count++] = pit__cell_text(row->name ? row->name : "");
    for (size_t i = 0; i < 1 + 2 * PAIRS; i++) {
        size_t pair = i > 0 ? (i - 1) / 2 : 0;
        if (i > 0 && !shown[pair])
            continue;
        if (isfinite(figures[i]) && (i == 0 || has[pair]))
            pit__print_double(texts[i], sizeof texts[i], "%.4f", figures[i]);
        cells[count++] = pit__cell_text(texts[i]);
    }
    pit__table_row(table, cells);
}

static int write_csv(FILE *out, void *arg)
{
    static const struct pit__column fixed[FIXED] = {COLUMN("Section"), COLUMN("Model"),
                                                    COLUMN("Time (s)")};
    static const struct pit__column pairs[PAIRS][2] = {
        {COLUMN("peak_memory_mb"), COLUMN("current_memory_mb")},
        {COLUMN("allocated_mb"), COLUMN("max_allocated_mb")}};
    const struct timings *timings = arg;
    struct pit__column columns[FIXED + 2 * PAIRS];
    size_t count = FIXED;
    int shown[PAIRS] = {0, 0};
    memcpy(columns, fixed, sizeof fixed);
    for (size_t i = 0; i < timings->count; i++) {
        shown[0] |= timings->rows[i].has_memory;
        shown[1] |= timings->rows[i].has_device;
    }
    for (size_t pair = 0; pair < PAIRS; pair++)
        for (size_t i = 0; i < 2 && shown[pair]; i++)
            columns[count++] = pairs[pair][i];
    struct pit__table *table = pit__table_new(columns, count);
    if (!table)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < timings->count; i++)
        add_csv_row(table, timings, &timings->rows[i], shown);
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

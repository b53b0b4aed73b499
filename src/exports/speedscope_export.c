/* speedscope_export.c: runs in the file format of speedscope.app.
 *
 * One evented profile per thread: opens (O) and closes (C) of frames in order of time; each
 * close is for the frame opened last. A frame is a name. Span objects overlap, so they are left
 * out. The format: https://www.speedscope.app/file-format-schema.json
 */
#include "export.h"

#include "model/slices.h"

#include "report/json_writer.h"
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* Distinct names, sorted; the index is the number of the frame. */
struct frames {
    const char **names;
    size_t count;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int make_frames(const pit_run *const *runs, size_t run_count, struct frames *frames)
{
    size_t count = 0;
    for (size_t r = 0; r < run_count; r++)
        for (size_t t = 0; t < runs[r]->thread_count; t++)
            count += runs[r]->threads[t].node_count;
    frames->names = calloc(count + 1, sizeof *frames->names);
    if (!frames->names)
        return PIT_NO_MEMORY;
    count = 0;
    for (size_t r = 0; r < run_count; r++)
        for (size_t t = 0; t < runs[r]->thread_count; t++)
            for (size_t i = 0; i < runs[r]->threads[t].node_count; i++)
                frames->names[count++] = runs[r]->threads[t].nodes[i].name;
    qsort(frames->names, count, sizeof *frames->names, by_name);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(frames->names[i], frames->names[frames->count - 1]) != 0)
            frames->names[frames->count++] = frames->names[i];
    return 0;
}

static uint64_t frame_of(const struct frames *frames, const char *name)
{
    const char **found =
        bsearch(&name, frames->names, frames->count, sizeof *frames->names, by_name);
    return found ? (uint64_t)(found - frames->names) : 0;
}

/* The frame of each node of a thread, so names are looked up once. */
static uint64_t *thread_frames(const struct frames *frames, const pit_thread *thread)
{
    uint64_t *numbers = calloc(thread->node_count + 1, sizeof *numbers);
    for (size_t i = 0; numbers && i < thread->node_count; i++)
        numbers[i] = frame_of(frames, thread->nodes[i].name);
    return numbers;
}

static void write_event(struct pit__json *json, const char *type, uint64_t frame, uint64_t at)
{
    pit__json_flat_object(json, NULL);
    pit__json_string(json, "type", type);
    pit__json_uint(json, "frame", frame);
    pit__json_uint(json, "at", at);
    pit__json_object_end(json);
}

/* Slices are sorted by start, outer first, so a stack can close them in order. */
static void write_events(struct pit__json *json, const struct pit__slices *slices,
                         const uint64_t *frames, const struct pit__slice **stack)
{
    size_t depth = 0;
    for (size_t i = 0; i < slices->nested_count; i++) {
        const struct pit__slice *slice = &slices->nested[i];
        for (; depth > slice->level; depth--)
            write_event(json, "C", frames[stack[depth - 1]->node], stack[depth - 1]->end);
        write_event(json, "O", frames[slice->node], slice->begin);
        stack[depth++] = slice;
    }
    for (; depth > 0; depth--)
        write_event(json, "C", frames[stack[depth - 1]->node], stack[depth - 1]->end);
}

static int write_profile(struct pit__json *json, const char *name, const pit_run *run,
                         const pit_thread *thread, const struct frames *frames)
{
    struct pit__slices slices;
    int code = pit__slices_make(run, thread, &slices);
    if (code)
        return code;
    uint64_t *numbers = thread_frames(frames, thread), end = pit__run_ns(run, run->end_ticks);
    const struct pit__slice **stack = calloc(slices.nested_count + 1, sizeof *stack);
    for (size_t i = 0; i < slices.nested_count; i++)
        end = slices.nested[i].end > end ? slices.nested[i].end : end;
    if (numbers && stack) {
        pit__json_object(json, NULL);
        pit__json_string(json, "type", "evented");
        pit__json_string(json, "name", name);
        pit__json_string(json, "unit", "nanoseconds");
        pit__json_uint(json, "startValue", 0);
        pit__json_uint(json, "endValue", end);
        pit__json_array(json, "events");
        write_events(json, &slices, numbers, stack);
        pit__json_array_end(json);
        pit__json_object_end(json);
    } else {
        code = PIT_NO_MEMORY;
    }
    free(numbers);
    free(stack);
    pit__slices_free(&slices);
    return code;
}

/* "train, rank 3: main": the run is named only if there are several. */
static int write_thread(struct pit__json *json, const pit_run *run, size_t thread, int several,
                        const struct frames *frames)
{
    struct pit__text name = {0};
    const char *program = pit_run_fact(run, "program"), *rank = pit_run_fact(run, "rank");
    if (several)
        pit__text_printf(&name, "%s%s%s: ", program ? program : run->path, rank ? ", rank " : "",
                         rank ? rank : "");
    pit__text_puts(&name, run->threads[thread].name);
    int code = name.failed ? PIT_NO_MEMORY
                           : write_profile(json, pit__text_string(&name), run,
                                           &run->threads[thread], frames);
    pit__text_free(&name);
    return code;
}

static int write_document(FILE *out, const pit_run *const *runs, size_t run_count)
{
    struct pit__json json;
    struct frames frames = {0};
    int code = make_frames(runs, run_count, &frames);
    const char *program = pit_run_fact(runs[0], "program");
    pit__json_init(&json, out);
    pit__json_object(&json, NULL);
    pit__json_string(&json, "$schema", SCHEMA);
    pit__json_string(&json, "exporter", "pitwall " PITWALL_VERSION);
    pit__json_string(&json, "name", program ? program : runs[0]->path);
    pit__json_uint(&json, "activeProfileIndex", 0);
    pit__json_object(&json, "shared");
    pit__json_array(&json, "frames");
    for (size_t i = 0; i < frames.count; i++) {
        pit__json_flat_object(&json, NULL);
        pit__json_string(&json, "name", frames.names[i]);
        pit__json_object_end(&json);
    }
    pit__json_array_end(&json);
    pit__json_object_end(&json);
    pit__json_array(&json, "profiles");
    for (size_t r = 0; r < run_count; r++)
        for (size_t t = 0; t < runs[r]->thread_count && !code; t++)
            code = write_thread(&json, runs[r], t, run_count > 1, &frames);
    pit__json_array_end(&json);
    pit__json_object_end(&json);
    pit__json_finish(&json);
    free(frames.names);
    return code;
}

const struct pit__export pit__speedscope_export = {
    .told = {.name = "speedscope",
             .help = "single spans, for speedscope.app",
             .endings = PIT__ENDINGS(".speedscope.json")},
    .write = write_document,
};

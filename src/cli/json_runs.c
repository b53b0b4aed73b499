/* json_runs.c: the JSON files of google/benchmark, hyperfine, pytest-benchmark and of runtime
 * profiles, read with jansson. */
#include "samples.h"

#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)1 << 30)
#define MB 1048576.0

/* ---- the text -------------------------------------------------------------------------------- */

static char *read_all(const char *path, size_t *bytes, char *why, size_t room)
{
    const char *trouble;
    FILE *file = regular_file_open(path, &trouble);
    char *text = NULL;
    size_t size = 0, have = 0;
    while (file && !ferror(file) && !feof(file) && have < MOST_BYTES) {
        if (have == size) {
            char *more = realloc(text, size = size ? 2 * size : 65536);
            if (!more)
                break;
            text = more;
        }
        have += fread(text + have, 1, size - have, file);
    }
    if (!file || ferror(file) || !feof(file)) {
        snprintf(why, room, "%s", trouble ? trouble : strerror(errno ? errno : ENOMEM));
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    *bytes = have;
    return text;
}

/* The length of a non-JSON number (NaN, Infinity) that some programs write, at `at`; else 0. */
static size_t odd_number(const char *at, size_t left)
{
    static const char *const words[] = {"-Infinity", "Infinity", "-NaN", "NaN",
                                        "-inf",      "inf",      "-nan", "nan"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if (length <= left && memcmp(at, words[i], length) == 0 &&
            (length == left || !isalnum((unsigned char)at[length])))
            return length;
    }
    return 0;
}

/* A copy in which these are null. */
static char *without_odd_numbers(const char *text, size_t bytes, size_t *left)
{
    char *copy = malloc(2 * bytes + 1);
    size_t to = 0;
    int in_string = 0;
    for (size_t at = 0; copy && at < bytes;) {
        size_t odd = in_string ? 0 : odd_number(text + at, bytes - at);
        if (odd > 0) {
            memcpy(copy + to, "null", 4);
            to += 4;
            at += odd;
            continue;
        }
        if (in_string && text[at] == '\\' && at + 1 < bytes)
            copy[to++] = text[at++];
        else if (text[at] == '"')
            in_string = !in_string;
        copy[to++] = text[at++];
    }
    *left = to;
    return copy;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static struct sample_set *find_set(struct sample_file *file, const char *name, int is_memory)
{
    for (size_t i = 0; i < file->count; i++)
        if (file->sets[i].is_memory == is_memory && strcmp(file->sets[i].name, name) == 0)
            return &file->sets[i];
    struct sample_set *sets = realloc(file->sets, (file->count + 1) * sizeof *sets);
    if (!sets)
        return NULL;
    file->sets = sets;
    sets[file->count] = (struct sample_set){.name = strdup(name), .is_memory = is_memory};
    if (!sets[file->count].name)
        return NULL;
    return &sets[file->count++];
}

/* Returns 0 if memory is exhausted. Values that are not numbers above 0 are skipped. */
static int add_value(struct sample_set *set, double value)
{
    if (!set)
        return 0;
    if (!(value > 0) || !isfinite(value))
        return 1;
    double *values = realloc(set->values, (set->count + 1) * sizeof *values);
    if (!values)
        return 0;
    set->values = values;
    values[set->count++] = value;
    return 1;
}

static int add_array(struct sample_set *set, const json_t *array)
{
    size_t i;
    const json_t *value;
    int good = set != NULL;
    json_array_foreach(array, i, value) if (good && json_is_number(value)) good =
        add_value(set, json_number_value(value));
    return good;
}

static const char *string_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- hyperfine ------------------------------------------------------------------------------- */

static int read_hyperfine(const json_t *results, struct sample_file *file)
{
    size_t i;
    const json_t *result;
    int good = 1;
    json_array_foreach(results, i, result)
    {
        const char *command = string_of(result, "command");
        const json_t *times = json_object_get(result, "times");
        struct sample_set *set = good && command ? find_set(file, command, 0) : NULL;
        if (!set)
            continue;
        set->is_runs = set->is_named = 1;
        good = json_is_array(times) ? add_array(set, times)
                                    : add_value(set, number_of(result, "median"));
        const json_t *memory = json_object_get(result, "memory_usage_byte");
        if (good && json_is_array(memory)) {
            set = find_set(file, command, 1);
            if (set)
                set->is_runs = set->is_named = 1;
            good = add_array(set, memory);
        }
    }
    return good;
}

/* ---- google/benchmark ------------------------------------------------------------------------ */

static double unit_of(const char *unit)
{
    return !unit || strcmp(unit, "ns") == 0 ? 1e-9
           : strcmp(unit, "us") == 0        ? 1e-6
           : strcmp(unit, "ms") == 0        ? 1e-3
                                            : 1;
}

static int is_aggregate(const json_t *row)
{
    const char *type = string_of(row, "run_type");
    return type && strcmp(type, "aggregate") == 0;
}

/* Reads repetitions; if a file has only aggregates (report_aggregates_only), their median. */
static int read_google(const json_t *rows, struct sample_file *file)
{
    int good = 1;
    for (int aggregates = 0; aggregates < 2; aggregates++) {
        size_t i;
        const json_t *row;
        json_array_foreach(rows, i, row)
        {
            const char *name = string_of(row, "run_name"), *kind = string_of(row, "aggregate_name");
            if (!name)
                name = string_of(row, "name");
            if (!good || !name || is_aggregate(row) != aggregates ||
                json_is_true(json_object_get(row, "error_occurred")) ||
                (aggregates && (!kind || strcmp(kind, "median") != 0)))
                continue;
            struct sample_set *set = find_set(file, name, 0);
            if (!set)
                return 0;
            set->is_named = 1;
            if (!aggregates || set->count == 0)
                good = add_value(set, number_of(row, "real_time") *
                                          unit_of(string_of(row, "time_unit")));
        }
    }
    return good;
}

/* ---- pytest-benchmark ------------------------------------------------------------------------ */

static int read_pytest(const json_t *rows, struct sample_file *file)
{
    size_t i;
    const json_t *row;
    int good = 1;
    json_array_foreach(rows, i, row)
    {
        const char *name = string_of(row, "fullname");
        const json_t *stats = json_object_get(row, "stats");
        const json_t *data = json_object_get(stats, "data");
        if (!name)
            name = string_of(row, "name");
        struct sample_set *set = good && name && stats ? find_set(file, name, 0) : NULL;
        if (!set)
            continue;
        set->is_named = 1;
        good = json_array_size(data) > 0 ? add_array(set, data)
                                         : add_value(set, number_of(stats, "median"));
    }
    return good;
}

/* ---- runtime profile ------------------------------------------------------------------------- */

static int add_ours(struct sample_file *file, const char *name, int is_memory, int is_whole,
                    double value)
{
    if (!(value > 0))
        return 1;
    struct sample_set *set = find_set(file, name, is_memory);
    if (set) {
        set->is_whole = is_whole;
        set->is_runs = 1;
        set->session = is_memory ? 0 : PIT_NOT_COMPARABLE;
    }
    return add_value(set, value);
}

static void copy_numbers(const json_t *array, double *to)
{
    size_t i;
    const json_t *value;
    json_array_foreach(array, i, value) to[i] = json_number_value(value);
}

/* Add the blocks of trials that were made in turn with other models. Returns 0 if memory is exhausted. */
static int add_blocks(struct sample_file *file, const char *name, const json_t *interleaved,
                      const char *key)
{
    const json_t *found = json_object_get(interleaved, key);
    const json_t *p10s = json_object_get(found, "p10_seconds");
    const json_t *medians = json_object_get(found, "median_seconds");
    const char *session = string_of(interleaved, "session");
    size_t count = json_array_size(p10s);
    if (!session || count == 0 || json_array_size(medians) != count)
        return 1;
    struct sample_set *set = find_set(file, name, 0);
    double *blocks = set && set->count == 1 ? malloc(2 * count * sizeof *blocks) : NULL;
    if (!blocks)
        return set != NULL && set->count != 1;
    copy_numbers(p10s, blocks);
    copy_numbers(medians, blocks + count);
    free(set->blocks);
    set->blocks = blocks;
    set->block_count = count;
    set->session = strtoull(session, NULL, 16);
    return 1;
}

static int read_profile(const json_t *root, struct sample_file *file)
{
    static const char full[] = "inference/full_trajectory", single[] = "inference/single_step";
    const json_t *inference = json_object_get(root, "inference");
    const json_t *memory = json_object_get(root, "memory");
    const json_t *interleaved = json_object_get(json_object_get(root, "pitwall"), "interleaved");
    return add_ours(file, "training", 0, 0,
                    number_of(json_object_get(root, "training"), "total_seconds")) &&
           add_ours(file, full, 0, 0,
                    number_of(json_object_get(inference, "full_trajectory"), "mean_seconds")) &&
           add_ours(file, single, 0, 0,
                    number_of(json_object_get(inference, "single_step"), "mean_seconds")) &&
           add_blocks(file, full, interleaved, "full_trajectory") &&
           add_blocks(file, single, interleaved, "single_step") &&
           add_ours(file, "peak memory", 1, 1, MB * number_of(memory, "peak_mb")) &&
           add_ours(file, "parameter memory", 1, 0, MB * number_of(memory, "parameter_memory_mb"));
}

/* ---- which is it ----------------------------------------------------------------------------- */

static int read_known(const json_t *root, struct sample_file *file, int *is_known)
{
    const json_t *results = json_object_get(root, "results");
    const json_t *benchmarks = json_object_get(root, "benchmarks");
    *is_known = 1;
    if (json_is_array(results) && string_of(json_array_get(results, 0), "command"))
        return read_hyperfine(results, file);
    if (json_is_array(benchmarks) && json_object_get(root, "context"))
        return read_google(benchmarks, file);
    if (json_is_array(benchmarks))
        return read_pytest(benchmarks, file);
    if (string_of(root, "model_name") && json_is_object(json_object_get(root, "inference")))
        return read_profile(root, file);
    *is_known = 0;
    return 1;
}

int sample_file_read(const char *path, struct sample_file *file, char *why, size_t room)
{
    size_t bytes, left;
    *file = (struct sample_file){0};
    *why = 0;
    errno = 0;
    char *text = read_all(path, &bytes, why, room);
    char *plain = text ? without_odd_numbers(text, bytes, &left) : NULL;
    free(text);
    if (!plain) {
        if (!*why)
            snprintf(why, room, "%s", strerror(ENOMEM));
        return 1;
    }
    json_error_t error;
    json_t *root = json_loadb(plain, left, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);
    int is_known = 0, good = root ? read_known(root, file, &is_known) : 0;
    if (!root)
        snprintf(why, room, "not JSON: %s in line %d", error.text, error.line);
    else if (!good)
        snprintf(why, room, "%s", strerror(ENOMEM));
    else if (!is_known)
        snprintf(why, room,
                 "not JSON of google/benchmark, hyperfine, pytest-benchmark, "
                 "or a runtime profile");
    else if (file->count == 0)
        snprintf(why, room, "it contains no figures");
    json_decref(root);
    free(plain);
    if (*why)
        sample_file_free(file);
    return *why != 0;
}

void sample_file_free(struct sample_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        free(file->sets[i].name);
        free(file->sets[i].values);
        free(file->sets[i].blocks);
    }
    free(file->sets);
    *file = (struct sample_file){0};
}

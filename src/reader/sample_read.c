/* The sampler's readings. A recorder creates one block of readings; only the first is read.
 *
 * A half of the points only grows until it is full; then the other one is filled and `half` flips. So a
 * copy is valid if `half` and its stride are unchanged afterwards; the newest point may contain some
 * figures of a reading that is just being added.
 *
 * Descriptions of channels are checked one by one. A channel without a valid key, or with the key of an
 * earlier channel, is left out; other invalid members get their default. */
#include "reader.h"

#include <math.h>
#include <string.h>

#define TRIES 100

/* The channels of a SAMPLES block, in the order of struct pit_fmt_sample. */
static const pit_channel first_channels[] = {
    {"rss_bytes", "bytes", "resident memory", "process", "", 1, 0, PIT_UNKNOWN, "last", "sum"},
    {"rss_max_bytes", "bytes", "highest resident memory of the readings", "process", "", 1, 0,
     PIT_UNKNOWN, "max", "sum"},
    {"cpu_ns", "ns", "processor time, user and system", "process", "", 1, 1, PIT_UNKNOWN, "last",
     "sum"},
    {"threads", "", "threads of the process", "threads", "", 1, 0, PIT_UNKNOWN, "last", "sum"},
    {"minor_faults", "", "page faults without storage", "process", "", 1, 1, PIT_UNKNOWN, "last",
     "sum"},
    {"major_faults", "", "page faults that read storage", "process", "", 1, 1, PIT_UNKNOWN, "last",
     "sum"},
    {"switches", "", "context switches because the process waited", "process", "", 1, 1,
     PIT_UNKNOWN, "last", "sum"},
    {"forced_switches", "", "context switches because others had to run", "process", "", 1, 1,
     PIT_UNKNOWN, "last", "sum"},
    {"read_bytes", "bytes", "read from storage", "storage", "", 1, 1, PIT_UNKNOWN, "last", "sum"},
    {"write_bytes", "bytes", "written to storage", "storage", "", 1, 1, PIT_UNKNOWN, "last", "sum"},
    {"available_bytes", "bytes", "memory of the machine that is left", "machine", "", 1, 0,
     PIT_UNKNOWN, "min", "min"},
    {"cgroup_used_bytes", "bytes", "memory of the cgroup, page cache included", "cgroup", "", 1, 0,
     PIT_UNKNOWN, "max", "max"},
    {"memory_pressure", "share", "time in which something waited for memory", "pressure", "", 10000,
     0, PIT_UNKNOWN, "max", "max"},
};
#define FIRST_CHANNELS (sizeof first_channels / sizeof first_channels[0])

/* A block of readings, of either type. */
struct rows {
    const struct pit_fmt_channels *head;
    const uint64_t *words; /* two copies of the newest row, then both halves */
    size_t row_words;
    size_t columns[PIT_FMT_CHANNEL_MAX]; /* the column of each channel that is read */
    pit_channel *channels;
    size_t count;
};

/* ---- descriptions -------------------------------------------------------------------------- */

/* Copy a text without control characters; never NULL unless memory is exhausted. */
static const char *copy_text(struct pit__arena *arena, const char *from, size_t room)
{
    char *text = pit__arena_array(arena, room, 1);
    for (size_t i = 0; text && i + 1 < room && from[i]; i++)
        text[i] = (unsigned char)from[i] < 32 || from[i] == 127 ? '?' : from[i];
    return text;
}

static const char *word_of(uint32_t rule)
{
    static const char *const words[PIT_FMT_MERGES] = {"last", "max", "min", "sum", "mean", "once"};
    return words[rule < PIT_FMT_MERGES ? rule : PIT_FMT_MERGE_LAST];
}

static int is_key(const char key[], size_t room)
{
    size_t length = 0;
    while (length < room &&
           ((key[length] >= 'a' && key[length] <= 'z') ||
            (length && key[length] >= '0' && key[length] <= '9') || (length && key[length] == '_')))
        length++;
    return length > 0 && length < room && key[length] == 0;
}

static int is_known_key(const struct rows *rows, const char *key)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->channels[i].key, key) == 0)
            return 1;
    return 0;
}

static void add_channel(struct rows *rows, struct pit__arena *arena,
                        const struct pit_fmt_channel *from, size_t column)
{
    const uint64_t *words = (const void *)from;
    uint64_t own[sizeof *from / sizeof *words] = {0};
    struct pit_fmt_channel copy;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        /* a live run may still get its first reading, or the reason why there is none */
        own[i] = PIT_LOAD(words[i]);
    memcpy(&copy, own, sizeof copy); /* check and use the same copy */
    if (!is_key(copy.key, sizeof copy.key) || is_known_key(rows, copy.key))
        return;
    pit_channel *channel = &rows->channels[rows->count];
    *channel = (pit_channel){
        .key = copy_text(arena, copy.key, sizeof copy.key),
        .unit = copy_text(arena, copy.unit, sizeof copy.unit),
        .help = copy_text(arena, copy.help, sizeof copy.help),
        .source = copy_text(arena, copy.source, sizeof copy.source),
        .missing = copy_text(arena, copy.missing, sizeof copy.missing),
        .per_unit = copy.per_unit ? copy.per_unit : 1,
        .is_counter = copy.kind == PIT_FMT_COUNTER,
        .first = copy.kind == PIT_FMT_COUNTER && copy.first ? copy.first : PIT_UNKNOWN,
        .over_time = word_of(copy.over_time),
        .over_runs = word_of(copy.over_runs),
    };
    if (channel->missing) /* this was the last allocation: all succeeded */
        rows->columns[rows->count++] = 1 + column;
}

/* Returns 0 if it is not a block of readings, or too short for its number of channels. */
static int find_rows(const struct pit__image *image, const struct pit__block *block,
                     struct pit__arena *arena, struct rows *rows)
{
    rows->head = (const void *)(image->base + block->offset);
    uint64_t count = FIRST_CHANNELS;
    if (block->type == PIT_FMT_CHANNELS)
        /* the block may have been filled in after the walk */
        count = PIT_LOAD_ACQUIRE(rows->head->block.a);
    if (count > PIT_FMT_CHANNEL_MAX ||
        (block->type == PIT_FMT_CHANNELS && block->bytes < pit_fmt_channels_bytes(count)))
        return 0;
    rows->channels = pit__arena_array(arena, (size_t)count + 1, sizeof *rows->channels);
    if (!rows->channels)
        return 0;
    if (block->type == PIT_FMT_SAMPLES) {
        rows->words = (const void *)(rows->head + 1);
        rows->row_words = sizeof(struct pit_fmt_sample) / sizeof(uint64_t);
        memcpy(rows->channels, first_channels, sizeof first_channels);
        for (rows->count = 0; rows->count < FIRST_CHANNELS; rows->count++)
            rows->columns[rows->count] = 1 + rows->count;
        return 1;
    }
    const struct pit_fmt_channel *from = (const void *)(rows->head + 1);
    rows->words = (const void *)((const unsigned char *)rows->head + pit_fmt_rows_offset(count));
    rows->row_words = 1 + (size_t)count;
    for (size_t i = 0; i < count; i++)
        add_channel(rows, arena, &from[i], i);
    return !arena->failed;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Word by word: the sampler of a live run may be writing. */
static pit_sample copy_row(const struct rows *rows, size_t row, uint64_t *values)
{
    const uint64_t *from = rows->words + row * rows->row_words;
    for (size_t i = 0; i < rows->count; i++)
        values[i] = PIT_LOAD_ACQUIRE(from[rows->columns[i]]);
    return (pit_sample){PIT_LOAD_ACQUIRE(from[0]), values};
}

/* Copy the points of the active half. Returns 0 if it flipped meanwhile, or its figures are invalid. */
static int copy_points(const struct rows *rows, pit_sample *points, uint64_t *values, pit_run *run)
{
    uint64_t ever = PIT_LOAD_ACQUIRE(rows->head->block.used);
    uint32_t half = PIT_LOAD_ACQUIRE(rows->head->half);
    uint64_t stride = PIT_LOAD_ACQUIRE(rows->head->stride[half & 1]);
    if (stride == 0)
        return 0;
    uint64_t count = ever / stride + (ever % stride != 0);
    if (count > PIT_FMT_SAMPLE_POINTS)
        return 0;
    for (size_t i = 0; i < count; i++)
        points[i] = copy_row(rows, 2 + (half & 1) * (size_t)PIT_FMT_SAMPLE_POINTS + i,
                             values + i * rows->count);
    if (PIT_LOAD_ACQUIRE(rows->head->half) != half ||
        PIT_LOAD_ACQUIRE(rows->head->stride[half & 1]) != stride)
        return 0;
    run->samples = points;
    run->sample_count = (size_t)count;
    run->sample_stride = stride;
    return 1;
}

static int copy_newest(const struct rows *rows, uint64_t *values, pit_run *run)
{
    uint32_t turn = PIT_LOAD_ACQUIRE(rows->head->newest_copy);
    run->newest = copy_row(rows, turn & 1, values);
    return PIT_LOAD_ACQUIRE(rows->head->newest_copy) == turn &&
           PIT_LOAD_ACQUIRE(rows->words[(turn & 1) * rows->row_words]) == run->newest.ticks;
}

static void read_limits(const struct pit_fmt_channels *head, pit_run *run)
{
    uint64_t version = PIT_LOAD_ACQUIRE(head->cgroup_version);
    run->machine_bytes = PIT_LOAD_ACQUIRE(head->machine_bytes);
    run->cgroup_limit = PIT_LOAD_ACQUIRE(head->cgroup_limit);
    run->cgroup_version = version <= 2 ? (int)version : 0;
    run->oom_kills = PIT_LOAD_ACQUIRE(head->oom_kills);
    run->rss_peak = PIT_LOAD_ACQUIRE(head->rss_peak);
    if (run->rss_peak == PIT_UNKNOWN)
        run->rss_peak = 0;
}

/* A channel that has a figure anywhere is not missing. */
static void clear_missing(const pit_run *run, pit_channel *channel, size_t index)
{
    int has = run->has_samples && run->newest.values[index] != PIT_UNKNOWN;
    for (size_t i = 0; !has && i < run->sample_count; i++)
        has = run->samples[i].values[index] != PIT_UNKNOWN;
    if (has)
        channel->missing = NULL;
    else if (!*channel->missing)
        channel->missing = "not recorded";
}

void pit__samples_read(const struct pit__image *image, struct pit__arena *arena, pit_run *run)
{
    struct rows rows = {0};
    size_t i = 0;
    run->machine_bytes = run->cgroup_limit = run->oom_kills = PIT_UNKNOWN;
    run->has_samples = 0;
    run->sample_count = run->channel_count = 0;
    while (i < image->block_count && image->blocks[i].type != PIT_FMT_SAMPLES &&
           image->blocks[i].type != PIT_FMT_CHANNELS)
        i++;
    if (i == image->block_count)
        return;
    const struct pit_fmt_block *block = (const void *)(image->base + image->blocks[i].offset);
    /* just created: its content is not valid yet */
    if (PIT_LOAD_ACQUIRE(block->used) == 0 || !find_rows(image, &image->blocks[i], arena, &rows))
        return;
    read_limits(rows.head, run);
    pit_sample *points = pit__arena_array(arena, PIT_FMT_SAMPLE_POINTS, sizeof *points);
    uint64_t *values =
        pit__arena_array(arena, (PIT_FMT_SAMPLE_POINTS + 1) * rows.count + 1, sizeof *values);
    if (!points || !values)
        return;
    run->channels = rows.channels;
    run->channel_count = rows.count;
    for (int tries = 0; tries < TRIES; tries++)
        if (copy_points(&rows, points, values, run))
            break;
    values += PIT_FMT_SAMPLE_POINTS * rows.count;
    for (int tries = 0; tries < TRIES && !run->has_samples; tries++)
        run->has_samples = copy_newest(&rows, values, run);
    for (size_t c = 0; c < rows.count; c++)
        clear_missing(run, &rows.channels[c], c);
}

/* ---- by key -------------------------------------------------------------------------------- */

size_t pit_run_channel(const pit_run *run, const char *key)
{
    for (size_t i = 0; run && key && i < run->channel_count; i++)
        if (strcmp(run->channels[i].key, key) == 0)
            return i;
    return PIT_NO_CHANNEL;
}

double pit_channel_figure(const pit_channel *channel, uint64_t value)
{
    if (!channel || value == PIT_UNKNOWN)
        return NAN;
    return (double)value / (double)(channel->per_unit ? channel->per_unit : 1);
}

double pit_sample_figure(const pit_run *run, const pit_sample *sample, const char *key)
{
    size_t at = sample && sample->values ? pit_run_channel(run, key) : PIT_NO_CHANNEL;
    return at == PIT_NO_CHANNEL ? NAN : pit_channel_figure(&run->channels[at], sample->values[at]);
}

/* Blocks of memory figures, records and readings, made by hand and read back: valid, half written, and
 * hostile. */
#include "check.h"

#include "format/run_format.h"
#include "kept.h"
#include "pitwall_report.h"

#include <math.h>

#define NODE_REF(image_) (((image_)->nodes_at + sizeof(struct pit_fmt_block)) / PIT_FMT_ALIGN)

/* A run with one thread and one node, and room for the blocks that the cases are about. */
struct image {
    unsigned char *bytes;
    size_t used, nodes_at;
    struct pit_fmt_header *header;
    struct pit_fmt_thread *thread;
    struct pit_fmt_node *node;
};

static void *add(struct image *image, uint32_t type, uint32_t thread, size_t bytes)
{
    bytes = (bytes + PIT_FMT_ALIGN - 1) / PIT_FMT_ALIGN * PIT_FMT_ALIGN;
    struct pit_fmt_block *block = (void *)(image->bytes + image->used);
    REQUIRE(image->used + bytes <= 1 << 20);
    block->type = type;
    block->thread = thread;
    block->bytes = bytes;
    image->used += bytes;
    image->header->used_bytes = image->header->file_bytes = image->used;
    return block;
}

static struct image make(void)
{
    struct image image = {.bytes = keep(calloc(1, 1 << 20)), .used = PIT_FMT_HEADER_BYTES};
    REQUIRE(image.bytes);
    struct pit_fmt_header *header = image.header = (void *)image.bytes;
    memcpy(header->magic, PIT_FMT_MAGIC, sizeof header->magic);
    header->major = PIT_FMT_MAJOR;
    header->header_bytes = PIT_FMT_HEADER_BYTES;
    header->endian = PIT_FMT_ENDIAN;
    header->block_align = PIT_FMT_ALIGN;
    header->clock = PIT_FMT_CLOCK_MONOTONIC;
    header->first.ticks = header->first.raw_ns = 1000;
    header->last[0].ticks = header->last[0].raw_ns = 2000;
    image.thread = add(&image, PIT_FMT_THREAD, 0, sizeof *image.thread);
    image.nodes_at = image.used;
    struct pit_fmt_block *nodes =
        add(&image, PIT_FMT_NODES, 0, sizeof *nodes + sizeof(struct pit_fmt_node));
    nodes->a = nodes->used = 1;
    image.node = (void *)(nodes + 1);
    image.node->min = UINT64_MAX;
    image.node->window = PIT_FMT_NO_WINDOW;
    image.node->cur_index = PIT_FMT_NO_BUCKET;
    return image;
}

static uint32_t ref_of(const struct image *image, const void *block)
{
    return (uint32_t)((size_t)((const unsigned char *)block - image->bytes) / PIT_FMT_ALIGN);
}

static pit_run *cases[64];
static size_t case_count;

static const pit_run *parse(const struct image *image)
{
    pit_error error = {0};
    pit_run *run = pit_run_parse(image->bytes, image->used, 0, &error);
    if (!run)
        printf("  %s\n", error.message);
    REQUIRE(run && case_count < 64);
    return cases[case_count++] = run;
}

/* ---- memory and allocations ---------------------------------------------------------------- */

static struct pit_fmt_memory_of *add_memory(struct image *image)
{
    struct pit_fmt_memory_of *block = add(image, PIT_FMT_MEMORY_OF, 0, sizeof *block);
    block->block.a = NODE_REF(image);
    image->node->memory = ref_of(image, block);
    return block;
}

TEST(the_copy_that_holds_is_read)
{
    struct image image = make();
    struct pit_fmt_memory_of *block = add_memory(&image);
    block->copies[0] = (struct pit_fmt_memory){.count = 1, .delta_sum = -7};
    block->copies[1] =
        (struct pit_fmt_memory){2, -1, -8, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2, 0, 0, {0}};
    const pit_memory *m = parse(&image)->threads[0].nodes[0].memory;
    REQUIRE(m);
    CHECK_INT(m->count, 1);
    CHECK_INT(m->delta_sum, -7);
    CHECK_INT(m->peak_method, PIT_PEAK_NONE);
    block->block.b = 5; /* the writer may increment it */
    m = parse(&image)->threads[0].nodes[0].memory;
    REQUIRE(m);
    CHECK_INT(m->count, 2);
    CHECK_INT(m->delta_last, -1);
    CHECK_INT(m->delta_sum, -8);
    CHECK_INT(m->delta_max, 3);
    CHECK_INT(m->peak_last, 4);
    CHECK_INT(m->peak_sum, 5);
    CHECK_INT(m->peak_max, 6);
    CHECK_INT(m->rss_max, 7);
    CHECK_INT(m->rss_last, 8);
    CHECK_INT(m->minor_faults, 9);
    CHECK_INT(m->major_faults, 10);
    CHECK_INT(m->error_bytes, 11);
    CHECK_INT(m->peak_method, PIT_PEAK_HWM);
}

TEST(figures_of_no_span_are_none)
{
    struct image image = make();
    add_memory(&image);
    CHECK(parse(&image)->threads[0].nodes[0].memory == NULL);
}

TEST(figures_are_only_taken_from_the_nodes_own_block)
{
    struct image image = make();
    struct pit_fmt_memory_of *block = add_memory(&image);
    block->copies[0].count = 1;
    CHECK(parse(&image)->threads[0].nodes[0].memory != NULL);
    block->block.a++; /* another node's */
    CHECK(parse(&image)->threads[0].nodes[0].memory == NULL);
    block->block.a--;
    static const uint32_t refs[] = {1, 64, UINT32_MAX, UINT32_MAX / 2};
    for (size_t i = 0; i < sizeof refs / sizeof refs[0]; i++) {
        image.node->memory = refs[i];
        image.node->alloc = ref_of(&image, block); /* and one of another type */
        const pit_raw_node *node = &parse(&image)->threads[0].nodes[0];
        CHECK(node->memory == NULL && node->alloc == NULL);
    }
}

TEST(allocations_are_read)
{
    struct image image = make();
    struct pit_fmt_alloc_of *block = add(&image, PIT_FMT_ALLOC_OF, 0, sizeof *block);
    block->block.a = NODE_REF(&image);
    image.node->alloc = ref_of(&image, block);
    block->copies[0] = (struct pit_fmt_alloc){1, 2, 3, 4, 5, 6, 7, -8, -9, 10, 11, 12, {0}};
    const pit_alloc *a = parse(&image)->threads[0].nodes[0].alloc;
    REQUIRE(a);
    CHECK_INT(a->count, 1);
    CHECK_INT(a->allocs, 2);
    CHECK_INT(a->frees, 3);
    CHECK_INT(a->alloc_bytes, 4);
    CHECK_INT(a->freed_bytes, 5);
    CHECK_INT(a->peak_last, 6);
    CHECK_INT(a->peak_max, 7);
    CHECK_INT(a->live_last, -8);
    CHECK_INT(a->live_sum, -9);
    CHECK_INT(a->leaked_bytes, 10);
    CHECK_INT(a->leaked_blocks, 11);
    CHECK_INT(a->leak_spans, 12);
}

TEST(a_block_too_short_for_its_kind_is_damage)
{
    struct image image = make();
    struct pit_fmt_memory_of *block = add_memory(&image);
    block->block.bytes = 128;
    const pit_run *run = parse(&image);
    CHECK_INT(run->damaged_at, (unsigned char *)block - image.bytes);
    CHECK_INT(run->thread_count, 1);
}

/* ---- records ------------------------------------------------------------------------------- */

static struct pit_fmt_records *add_records(struct image *image, uint64_t first, uint64_t room)
{
    struct pit_fmt_records *block = add(image, PIT_FMT_RECORDS, 0, sizeof *block);
    block->block.a = first;
    block->block.b = room;
    for (uint32_t i = 0; i < PIT_FMT_RECORD_COUNT; i++)
        block->records[i] = (struct pit_fmt_record){.begin = first + i,
                                                    .duration = 5,
                                                    .where = NODE_REF(image) | (uint64_t)1 << 32,
                                                    .items = 6,
                                                    .rss_begin = 7,
                                                    .rss_peak = 8,
                                                    .peak_method = 1,
                                                    .has = 1};
    return block;
}

TEST(records_come_in_order_and_the_dropped_ones_are_counted)
{
    struct image image = make();
    add_records(&image, 354, 127); /* the newest piece comes first: it was reused */
    add_records(&image, 227, 127);
    add_records(&image, UINT64_MAX, 127);
    image.thread->records = 400;
    const pit_thread *thread = &parse(&image)->threads[0];
    REQUIRE(thread->record_count == 127 + 46);
    CHECK_INT(thread->records_dropped, 227);
    for (size_t i = 0; i < thread->record_count; i++)
        CHECK_INT(thread->records[i].begin, 227 + i);
    const pit_record *record = &thread->records[0];
    CHECK_INT(record->node, 0);
    CHECK_INT(record->depth, 1);
    CHECK_INT(record->items, 6);
    CHECK(record->has_memory && !record->has_alloc);
    CHECK_INT(record->rss_begin, 7);
    CHECK_INT(record->rss_peak, 8);
    CHECK_INT(record->peak_method, PIT_PEAK_RUSAGE);
}

TEST(hostile_records_are_bounded)
{
    struct image image = make();
    struct pit_fmt_records *block = add_records(&image, 0, 127);
    image.thread->records = UINT64_MAX;
    for (int i = 0; i < 100; i += 2)
        block->records[i].where = UINT64_MAX; /* no such node */
    const pit_thread *thread = &parse(&image)->threads[0];
    CHECK_INT(thread->record_count, 127 - 50);
    block->block.b = 0;
    CHECK_INT(parse(&image)->threads[0].record_count, 0);
    block->block.b = 128; /* more than a piece can hold: damage */
    CHECK(parse(&image)->damaged_at != 0);
}

/* ---- readings ------------------------------------------------------------------------------ */

static struct pit_fmt_samples *add_samples(struct image *image, uint64_t readings, uint64_t stride)
{
    struct pit_fmt_samples *block = add(image, PIT_FMT_SAMPLES, PIT_FMT_NO_THREAD, sizeof *block);
    block->head.block.used = readings;
    block->head.half = 1;
    block->head.stride[1] = stride;
    block->head.machine_bytes = 22;
    block->head.cgroup_limit = UINT64_MAX;
    block->head.cgroup_version = 2;
    block->head.oom_kills = 3;
    block->head.rss_peak = 99;
    block->head.newest_copy = 1;
    block->newest[1] = (struct pit_fmt_sample){.ticks = 5000, .rss = 4, .pressure = UINT64_MAX};
    for (uint64_t i = 0; i < PIT_FMT_SAMPLE_POINTS; i++)
        block->points[1][i] = (struct pit_fmt_sample){.ticks = 1000 + i, .rss = 10 * i};
    return block;
}

TEST(readings_and_limits_are_read)
{
    struct image image = make();
    add_samples(&image, 1001, 8);
    const pit_run *run = parse(&image);
    CHECK_INT(run->has_samples, 1);
    CHECK_INT(run->sample_stride, 8);
    REQUIRE(run->sample_count == 126); /* the last one covers one reading */
    CHECK_INT(run->samples[125].ticks, 1125);
    CHECK_NEAR(pit_sample_figure(run, &run->samples[125], "rss_bytes"), 1250, 0);
    CHECK_INT(run->newest.ticks, 5000);
    CHECK_NEAR(pit_sample_figure(run, &run->newest, "rss_bytes"), 4, 0);
    CHECK(isnan(pit_sample_figure(run, &run->newest, "memory_pressure")));
    CHECK_INT(run->machine_bytes, 22);
    CHECK(run->cgroup_limit == PIT_UNKNOWN);
    CHECK_INT(run->cgroup_version, 2);
    CHECK_INT(run->oom_kills, 3);
    CHECK_INT(run->rss_peak, 99);
    CHECK_INT(run->end_ticks, 5000); /* the last sign of life */
}

TEST(without_readings_nothing_is_known)
{
    struct image image = make();
    const pit_run *run = parse(&image);
    CHECK(!run->has_samples && run->sample_count == 0);
    CHECK(run->machine_bytes == PIT_UNKNOWN && run->cgroup_limit == PIT_UNKNOWN);
    CHECK(run->oom_kills == PIT_UNKNOWN);
    add_samples(&image, 0, 1); /* created, but still empty */
    run = parse(&image);
    CHECK(!run->has_samples && run->sample_count == 0);
    CHECK_INT(run->end_ticks, 2000);
}

TEST(the_first_block_of_readings_counts)
{
    struct image image = make();
    add_samples(&image, 10, 1);
    add_samples(&image, 200, 1);
    CHECK_INT(parse(&image)->sample_count, 10);
}

TEST(hostile_readings_are_bounded)
{
    static const struct {
        uint64_t readings, stride;
    } bad[] = {{257, 1}, {UINT64_MAX, 1}, {UINT64_MAX, 0}, {UINT64_MAX, UINT64_MAX / 300}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct image image = make();
        add_samples(&image, bad[i].readings, bad[i].stride);
        const pit_run *run = parse(&image);
        CHECK_INT(run->sample_count, 0);
        CHECK_INT(run->has_samples, 1); /* the newest reading is complete in itself */
    }
    struct image image = make();
    struct pit_fmt_samples *block = add_samples(&image, UINT64_MAX, UINT64_MAX);
    block->head.half = UINT32_MAX;
    block->head.newest_copy = UINT32_MAX;
    block->head.cgroup_version = UINT64_MAX;
    const pit_run *run = parse(&image);
    CHECK_INT(run->sample_count, 1);
    CHECK_INT(run->cgroup_version, 0);
}

/* ---- channels ------------------------------------------------------------------------------ */

/* A block with the same readings: channel c of point i holds 10 * i + c. */
static struct pit_fmt_channels *add_channels(struct image *image, const char *const *keys,
                                             size_t count)
{
    struct pit_fmt_channels *block =
        add(image, PIT_FMT_CHANNELS, PIT_FMT_NO_THREAD, pit_fmt_channels_bytes(count));
    struct pit_fmt_channel *channels = (void *)(block + 1);
    uint64_t *rows = (void *)((unsigned char *)block + pit_fmt_rows_offset(count));
    block->block.a = count;
    block->block.used = 4;
    block->stride[0] = 1;
    block->machine_bytes = 22;
    for (size_t c = 0; c < count; c++) {
        snprintf(channels[c].key, sizeof channels[c].key, "%s", keys[c]);
        snprintf(channels[c].missing, sizeof channels[c].missing, "reason %zu", c);
        channels[c].per_unit = 1;
    }
    for (size_t row = 0; row < 2 + 2 * PIT_FMT_SAMPLE_POINTS; row++) {
        rows[row * (1 + count)] = row < 2 ? 5000 : 1000 + row - 2;
        for (size_t c = 0; c < count; c++)
            rows[row * (1 + count) + 1 + c] = row < 2 ? 77 + c : 10 * (row - 2) + c;
    }
    return block;
}

TEST(channels_are_read_with_their_descriptions)
{
    static const char *const keys[] = {"rss_bytes", "gpu0_power_w"};
    struct image image = make();
    struct pit_fmt_channels *block = add_channels(&image, keys, 2);
    struct pit_fmt_channel *power = (struct pit_fmt_channel *)(void *)(block + 1) + 1;
    snprintf(power->unit, sizeof power->unit, "W");
    snprintf(power->help, sizeof power->help, "what it draws");
    snprintf(power->source, sizeof power->source, "nvml");
    power->per_unit = 1000;
    power->kind = PIT_FMT_COUNTER;
    power->over_time = PIT_FMT_MERGE_MEAN;
    power->over_runs = PIT_FMT_MERGE_ONCE;
    const pit_run *run = parse(&image);
    REQUIRE(run->channel_count == 2 && run->sample_count == 4);
    const pit_channel *channel = &run->channels[1];
    CHECK_STR(channel->key, "gpu0_power_w");
    CHECK_STR(channel->unit, "W");
    CHECK_STR(channel->help, "what it draws");
    CHECK_STR(channel->source, "nvml");
    CHECK(channel->missing == NULL); /* there are readings */
    CHECK_INT(channel->is_counter, 1);
    CHECK_STR(channel->over_time, "mean");
    CHECK_STR(channel->over_runs, "once");
    CHECK_INT(pit_run_channel(run, "gpu0_power_w"), 1);
    CHECK(pit_run_channel(run, "gpu1_power_w") == PIT_NO_CHANNEL);
    CHECK(pit_run_channel(run, NULL) == PIT_NO_CHANNEL);
    CHECK_INT(run->samples[3].ticks, 1003);
    CHECK_INT(run->samples[3].values[0], 30);
    CHECK_NEAR(pit_sample_figure(run, &run->samples[3], "gpu0_power_w"), 0.031, 1e-12);
    CHECK_NEAR(pit_sample_figure(run, &run->newest, "rss_bytes"), 77, 0);
    CHECK(isnan(pit_sample_figure(run, &run->newest, "no_such")));
    CHECK_INT(run->machine_bytes, 22);
}

TEST(a_channel_without_a_reading_says_why)
{
    static const char *const keys[] = {"rss_bytes", "gpu0_power_w", "fan_rpm"};
    struct image image = make();
    struct pit_fmt_channels *block = add_channels(&image, keys, 3);
    struct pit_fmt_channel *channels = (void *)(block + 1);
    uint64_t *rows = (void *)((unsigned char *)block + pit_fmt_rows_offset(3));
    for (size_t row = 0; row < 2 + 2 * PIT_FMT_SAMPLE_POINTS; row++)
        rows[row * 4 + 2] = rows[row * 4 + 3] = UINT64_MAX;
    channels[2].missing[0] = 0;
    const pit_run *run = parse(&image);
    REQUIRE(run->channel_count == 3);
    CHECK(run->channels[0].missing == NULL);
    CHECK_STR(run->channels[1].missing, "reason 1");
    CHECK_STR(run->channels[2].missing, "not recorded");
    rows[2 * 4 + 2] = 5; /* the first point had it */
    CHECK(parse(&image)->channels[1].missing == NULL);
}

TEST(channels_without_a_usable_key_are_left_out)
{
    static const char *const keys[] = {"ok_1",   "",   "Upper", "1st", "a-b",
                                       "sp ace", "_x", "ok_1",  "z"};
    struct image image = make();
    struct pit_fmt_channels *block = add_channels(&image, keys, 9);
    struct pit_fmt_channel *channels = (void *)(block + 1);
    memset(channels[8].key, 'z', sizeof channels[8].key); /* no end */
    const pit_run *run = parse(&image);
    REQUIRE(run->channel_count == 1);
    CHECK_STR(run->channels[0].key, "ok_1");
    CHECK_INT(run->newest.values[0], 77);
    snprintf(channels[8].key, sizeof channels[8].key, "z9");
    run = parse(&image);
    REQUIRE(run->channel_count == 2); /* and its column is removed with it */
    CHECK_INT(run->newest.values[1], 77 + 8);
}

TEST(hostile_descriptions_become_plain_ones)
{
    static const char *const keys[] = {"rss_bytes", "threads"};
    struct image image = make();
    struct pit_fmt_channels *block = add_channels(&image, keys, 2);
    struct pit_fmt_channel *channel = (void *)(block + 1);
    memset(channel->unit, '\x1b', sizeof *channel - sizeof channel->key);
    channel->per_unit = 0;
    const pit_run *run = parse(&image);
    REQUIRE(run->channel_count == 2);
    const pit_channel *read = &run->channels[0];
    CHECK_INT(strlen(read->unit), 15);
    CHECK_INT(strlen(read->help), 63);
    CHECK(strchr(read->unit, '\x1b') == NULL && read->unit[0] == '?');
    CHECK_INT(read->per_unit, 1);
    CHECK_STR(read->over_time, "last");
    CHECK_STR(read->over_runs, "last");
    CHECK_INT(read->is_counter, 0);
}

TEST(more_channels_than_the_block_holds_are_damage)
{
    static const char *const keys[] = {"rss_bytes", "threads"};
    struct image image = make();
    struct pit_fmt_channels *block = add_channels(&image, keys, 2);
    static const uint64_t bad[] = {3, 65, UINT64_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        block->block.a = bad[i];
        const pit_run *run = parse(&image);
        CHECK(run->damaged_at != 0);
        CHECK_INT(run->channel_count, 0);
    }
    block->block.a = 0; /* just created, or none */
    CHECK_INT(parse(&image)->channel_count, 0);
}

TEST(a_report_can_be_made_of_any_figures)
{
    struct image image = make();
    struct pit_fmt_samples *block = add_samples(&image, 256, 1);
    struct pit_fmt_memory_of *memory = add_memory(&image);
    for (int round = 0; round < 3; round++) {
        static const unsigned char fills[] = {0xff, 0x7f, 0x80};
        memset(block->points, fills[round], sizeof block->points);
        memset(block->newest, fills[round], sizeof block->newest);
        memset(memory->copies, fills[round], sizeof memory->copies);
        const pit_run *run = parse(&image);
        static const pit_report_options forms[] = {
            {.view = "memory", .width = 80}, {.form = PIT_JSON}, {.flat = 1}};
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
            FILE *out = fopen("/dev/null", "w");
            const pit_run *runs[] = {run, run};
            REQUIRE(out);
            CHECK_INT(pit_report_print(out, runs, 2, &forms[i]), 0);
            fclose(out);
        }
    }
}

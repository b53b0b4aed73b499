/* Runs that are truncated, damaged or hostile: the reader returns a report or an error and never crashes.
 * Every run is read from a copy of exactly its length, so that the address sanitizer sees the first byte
 * read too far. */
#include "probe.h"

#include <math.h>
#include <pthread.h>

/* ---- a run with something of everything ---------------------------------------------------- */

static void *work(void *arg)
{
    pit_thread_name(arg);
    for (int i = 0; i < 1500; i++)
        PIT_SPAN("outer") {
            PIT_PHASE("phase");
            PIT_SPAN("inner") {
                pit_items(3);
            }
        }
    return NULL;
}

static unsigned char *image;
static size_t image_bytes;

static void make_image(void)
{
    pit_options options = {.ring_bytes = 6 * sizeof(struct pit_fmt_ring),
                           .sample_hz = -1,
                           .in_memory = 1,
                           .labels = (const char *const[]){"a=b", NULL}};
    REQUIRE(pit_open(NULL, &options) == 0);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, work, (void *)(uintptr_t) "worker") == 0);
    pthread_join(thread, NULL);
    pit_begin_name("open");
    for (int i = 0; i < 600; i++)
        pit_value("loss", i == 5 ? (double)NAN : i);
    static pit_object objects[3];
    for (int i = 0; i < 3; i++)
        objects[i] = pit_object_begin_name("object");
    pit_object_end(&objects[1]);
    for (uint32_t i = 0; i < 70; i++) /* more than one block */
        pit_note_place((enum pit_place_kind)(i % 2), "step", i % 3 ? "train.py" : NULL, i, i + 1);
    pit_note_sampling(PIT_PLACE_PYTHON, 10, NULL);
    probe_spin(3000000); /* a second bucket of the series */
    pit_end(pit_begin_name("late"));
    const void *memory = pit_recorder_memory(NULL, &image_bytes);
    image = keep(malloc(image_bytes));
    REQUIRE(image);
    memcpy(image, memory, image_bytes);
}

/* ---- reading it in every way --------------------------------------------------------------- */

static FILE *nowhere;

static void print(const pit_run *run)
{
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    REQUIRE(nowhere);
    const pit_run *runs[] = {run, run};
    pit_report_options text = {.width = 80, .colour = 1}, json = {.form = PIT_JSON},
                       flat = {.flat = 1}, places = {.view = "places"};
    CHECK_INT(pit_report_print(nowhere, runs, 1, &text), 0);
    CHECK_INT(pit_report_print(nowhere, runs, 1, &json), 0);
    CHECK_INT(pit_report_print(nowhere, runs, 2, &flat), 0);
    int code = pit_report_print(nowhere, runs, 2, &places);
    CHECK(code == 0 || code == PIT_NOTHING);
}

static void check_places(const pit_run *run)
{
    for (size_t i = 0; i < run->place_count; i++) {
        const pit_hot_place *place = &run->places[i];
        CHECK(place->function && place->file && place->kind < PIT_PLACE_KINDS && place->samples);
        CHECK(place->thread == PIT_NO_NODE || place->thread < run->thread_count);
        CHECK(place->node == PIT_NO_NODE || place->node < run->threads[place->thread].node_count);
    }
}

/* The properties of every run that the reader accepts, whatever it was made from. */
static void check_sane(const pit_run *run)
{
    for (size_t i = 0; i < run->thread_count; i++) {
        const pit_thread *t = &run->threads[i];
        for (size_t k = 0; k < t->node_count; k++) {
            const pit_raw_node *node = &t->nodes[k];
            CHECK(node->name && (node->parent == PIT_NO_NODE || node->parent < k));
            for (size_t n = 1; n < node->hist_count; n++)
                CHECK(node->hist[n - 1].high < node->hist[n].low);
        }
        for (size_t k = 0; k < t->open_count; k++)
            CHECK(t->open[k].node < t->node_count);
        for (size_t k = 0; k < t->event_count; k++)
            CHECK(t->events[k].node < t->node_count);
        for (size_t k = 0; k < t->value_count; k++)
            CHECK(t->values[k].name && t->values[k].point_count <= PIT_FMT_VALUE_POINTS);
    }
    check_places(run);
}

/* Returns 1 if it was read, 0 if it was refused with a code and a text. */
static int try_read(const unsigned char *bytes, size_t count, int alive, int printing)
{
    unsigned char *copy = malloc(count ? count : 1);
    REQUIRE(copy);
    memcpy(copy, bytes, count);
    pit_error error = {0, "", 0};
    pit_run *run = pit_run_parse(copy, count, alive, &error);
    if (run) {
        check_sane(run);
        if (printing)
            print(run);
    } else {
        CHECK(error.code < 0 && error.message[0]);
        CHECK(error.offset <= count);
    }
    int good = run != NULL;
    pit_run_free(run);
    free(copy);
    return good;
}

/* How many cases are one here. The address sanitizer finds what a reader does wrong; the other builds that
 * repeat the first one read the same bytes by the same code. */
static int coarseness(void)
{
    const char *sanitizer = getenv("PITWALL_SANITIZER");
    int is_finding = sanitizer && strcmp(sanitizer, "address") == 0;
    return (int)probe_slowness() * (is_finding ? 1 : check_repeat(8, 1, 1));
}

/* ---- cut ----------------------------------------------------------------------------------- */

TEST(a_run_cut_at_any_length_is_read_or_refused)
{
    make_image();
    size_t most = image_bytes < 65536 ? image_bytes : 65536, step = (size_t)coarseness();
    int read = 0, refused = 0;
    for (size_t length = 0; length <= most; length += step)
        *(try_read(image, length, length % 2 != 0, length % 256 < step) ? &read : &refused) += 1;
    CHECK(read > 0 && refused > 0);
    for (size_t length = 0; length < PIT_FMT_HEADER_BYTES; length++) {
        pit_error error = {0, "", 0};
        CHECK(pit_run_parse(image, length, 0, &error) == NULL);
        CHECK_INT(error.code, length < 8 ? PIT_NOT_A_RUN : PIT_TRUNCATED);
    }
}

TEST(a_run_cut_around_every_block_keeps_what_is_before)
{
    make_image();
    uint64_t before = 0;
    size_t blocks = 0;
    for (size_t at = PIT_FMT_HEADER_BYTES; at < image_bytes; blocks++) {
        for (int off = -1; off <= 1; off++)
            CHECK(try_read(image, at + (size_t)(ptrdiff_t)off, 0, 1) ||
                  at + (size_t)(ptrdiff_t)off < PIT_FMT_HEADER_BYTES);
        pit_run *run = pit_run_parse(image, at, 0, NULL);
        REQUIRE(run);
        uint64_t spans = 0;
        for (size_t i = 0; i < run->thread_count; i++)
            for (size_t k = 0; k < run->threads[i].node_count; k++)
                spans += run->threads[i].nodes[k].count;
        CHECK(spans >= before);
        CHECK_INT(run->losses.beyond_file, image_bytes - at);
        before = spans;
        pit_run_free(run);
        at += ((const struct pit_fmt_block *)(const void *)(image + at))->bytes;
    }
    CHECK(blocks > 20);
    CHECK(before > 4500);
}

TEST(a_run_longer_than_it_says_is_read_up_to_there)
{
    make_image();
    unsigned char *longer = keep(calloc(1, image_bytes + 100000));
    memcpy(longer, image, image_bytes);
    memset(longer + image_bytes, 0xab, 100000);
    CHECK(try_read(longer, image_bytes + 100000, 0, 1));
}

/* ---- bent ---------------------------------------------------------------------------------- */

/* A position worth changing: half of the time a word of a header, a table or a node. */
static size_t pick(uint64_t *state)
{
    if (probe_random(state) % 2)
        return probe_random(state) % image_bytes;
    size_t at = PIT_FMT_HEADER_BYTES, hops = probe_random(state) % 60;
    for (size_t i = 0; i < hops; i++) {
        size_t next = at + ((const struct pit_fmt_block *)(const void *)(image + at))->bytes;
        if (next >= image_bytes)
            break;
        at = next;
    }
    /* the file's own header */
    if (hops < 5)
        return probe_random(state) % 448;
    size_t into = probe_random(state) % (hops % 3 ? 64 : 600);
    return at + into < image_bytes ? at + into : at;
}

static void bend(unsigned char *copy, uint64_t *state)
{
    static const uint64_t words[] = {0,
                                     1,
                                     2,
                                     63,
                                     64,
                                     255,
                                     256,
                                     4096,
                                     UINT32_MAX,
                                     (uint64_t)1 << 32,
                                     (uint64_t)1 << 63,
                                     UINT64_MAX,
                                     UINT64_MAX - 63};
    size_t at = pick(state);
    switch (probe_random(state) % 3) {
    case 0:
        copy[at] ^= (unsigned char)(1u << probe_random(state) % 8);
        break;
    case 1:
        copy[at] = (unsigned char)probe_random(state);
        break;
    default:
        at &= ~(size_t)7;
        if (at + 8 <= image_bytes)
            memcpy(copy + at, &words[probe_random(state) % (sizeof words / sizeof words[0])], 8);
    }
}

TEST(thousands_of_bent_runs_are_read_or_refused)
{
    make_image();
    uint64_t state = 20240229;
    unsigned char *copy = keep(malloc(image_bytes));
    int rounds = check_rounds(3000, 20000) / probe_slowness(), read = 0;
    for (int i = 0; i < rounds; i++) {
        memcpy(copy, image, image_bytes);
        uint64_t bends = i % 2 ? 1 : 1 + probe_random(&state) % 16;
        while (bends--)
            bend(copy, &state);
        read += try_read(copy, image_bytes, i % 3 == 0, i % 4 == 0);
    }
    CHECK(read > rounds / 2 && read < rounds);
}

TEST(noise_is_refused)
{
    static unsigned char noise[100000];
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)probe_random(&state);
    CHECK(!try_read(noise, sizeof noise, 0, 0));
    memcpy(noise, PIT_FMT_MAGIC, 8);
    CHECK(!try_read(noise, sizeof noise, 0, 0));
    memset(noise, 0, sizeof noise);
    CHECK(!try_read(noise, sizeof noise, 1, 0));
}

/* ---- headers ------------------------------------------------------------------------------- */

static struct pit_fmt_header *header(void)
{
    return (struct pit_fmt_header *)(void *)image;
}

static int code_of_image(void)
{
    pit_error error = {0, "", 0};
    pit_run *run = pit_run_parse(image, image_bytes, 0, &error);
    pit_run_free(run);
    CHECK((run == NULL) == (error.code != 0));
    return error.code;
}

TEST(versions_byte_orders_and_features_are_looked_at)
{
    make_image();
    CHECK_INT(code_of_image(), 0);
    header()->minor = 7;
    CHECK_INT(code_of_image(), 0); /* newer minor versions only add */
    header()->major = 2;
    CHECK_INT(code_of_image(), PIT_NEWER_FORMAT);
    header()->major = 1;
    header()->features = 4;
    CHECK_INT(code_of_image(), PIT_NEWER_FORMAT);
    header()->features = 0;
    header()->endian = 0x04030201;
    CHECK_INT(code_of_image(), PIT_OTHER_ENDIAN);
    header()->endian = PIT_FMT_ENDIAN;
    header()->header_bytes = 4095;
    CHECK_INT(code_of_image(), PIT_DAMAGED);
    header()->header_bytes = UINT32_MAX - 63;
    CHECK_INT(code_of_image(), PIT_DAMAGED);
    header()->header_bytes = 4096;
    header()->magic[7] = 0;
    CHECK_INT(code_of_image(), PIT_NOT_A_RUN);
}

/* Each of these made figures such as "62 % of 0.2 ns" once. */
TEST(a_clock_that_no_machine_has_is_refused)
{
    make_image();
    struct pit_fmt_pair *first = &header()->first, *last = &header()->last[header()->last_pair & 1];
    *last = *first;
    last->ticks += 3000000; /* 3 GHz for a millisecond */
    last->raw_ns += 1000000;
    const struct pit_fmt_header good = *header();
    const struct {
        void *at;
        uint64_t value;
        size_t bytes;
    } wrong[] = {
        {&header()->clock, 0, 4},
        {&header()->clock, 4, 4},
        {&header()->nominal_hz, 3, 8},
        {&header()->nominal_hz, UINT64_MAX, 8},
        {&first->wall_ns, UINT64_MAX, 8},
        {&first->error_ns, UINT64_MAX / 3, 8},
        {&last->error_ns, UINT64_MAX / 3, 8},
        {&first->raw_ns, last->raw_ns + 1, 8},
        {&last->raw_ns, first->raw_ns + ((uint64_t)1 << 62), 8},
        {&last->ticks, first->ticks + ((uint64_t)1 << 62), 8},
        {&last->ticks, first->ticks + 1, 8},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memcpy(wrong[i].at, &wrong[i].value, wrong[i].bytes);
        CHECK_INT(code_of_image(), PIT_DAMAGED);
        *header() = good;
    }
    CHECK_INT(code_of_image(), 0);
    *last = (struct pit_fmt_pair){0, 0, 0, 0}; /* killed before its second pair */
    CHECK_INT(code_of_image(), 0);
}

TEST(random_bytes_over_the_clock_are_refused)
{
    make_image();
    const struct pit_fmt_header good = *header();
    uint64_t state = 7;
    for (int i = 0; i < 1000; i++) {
        for (size_t at = offsetof(struct pit_fmt_header, clock);
             at < offsetof(struct pit_fmt_header, used_bytes); at++)
            image[at] = (unsigned char)probe_random(&state);
        CHECK_INT(code_of_image(), PIT_DAMAGED);
    }
    *header() = good;
    CHECK_INT(code_of_image(), 0);
}

static int has_ended(void)
{
    pit_run *run = pit_run_parse(image, image_bytes, 0, NULL);
    REQUIRE(run);
    int there = run->ended != NULL;
    pit_run_free(run);
    return there;
}

TEST(an_end_that_no_process_has_is_not_believed)
{
    make_image();
    struct pit_fmt_ended *ended = &header()->ended;
    const struct pit_fmt_ended exited = {
        .is_there = 1, .pid = 7, .duration_ns = 5, .exit_status = 3};
    struct pit_fmt_ended killed = exited, wrong[6];
    killed.exit_status = UINT64_MAX;
    killed.exit_signal = 9;
    *ended = exited;
    CHECK(has_ended());
    *ended = killed;
    CHECK(has_ended());
    for (size_t i = 0; i < 6; i++)
        wrong[i] = exited;
    wrong[0].exit_status = 256;
    wrong[1].exit_status = UINT64_MAX; /* without a signal */
    wrong[2].exit_signal = 9;          /* besides a status */
    wrong[3].duration_ns = UINT64_MAX / 4;
    wrong[4].dumped_core = 2;
    wrong[5].pid = UINT64_MAX / 4;
    for (size_t i = 0; i < 6; i++) {
        *ended = wrong[i];
        CHECK(!has_ended());
    }
}

TEST(a_block_of_an_unknown_kind_is_skipped_and_counted)
{
    make_image();
    size_t extra = 192;
    unsigned char *longer = keep(calloc(1, image_bytes + extra));
    memcpy(longer, image, image_bytes);
    struct pit_fmt_block unknown = {.type = 4242, .thread = 77, .bytes = extra, .used = UINT64_MAX};
    memcpy(longer + image_bytes, &unknown, sizeof unknown);
    ((struct pit_fmt_header *)(void *)longer)->used_bytes = image_bytes + extra;
    pit_run *run = pit_run_parse(longer, image_bytes + extra, 0, NULL);
    REQUIRE(run);
    CHECK_INT(run->skipped_blocks, 1);
    CHECK_INT(probe_count(run, "outer/phase/inner"), 1500);
    CHECK_INT(run->losses.beyond_file, 0);
    pit_run_free(run);
}

TEST(damage_in_the_middle_keeps_what_is_before_it)
{
    make_image();
    size_t at = PIT_FMT_HEADER_BYTES;
    for (;;) { /* the first block of values comes after the worker's nodes */
        struct pit_fmt_block *block = (struct pit_fmt_block *)(void *)(image + at);
        REQUIRE(at < image_bytes);
        if (block->type == PIT_FMT_VALUE) {
            block->bytes = 63;
            break;
        }
        at += block->bytes;
    }
    pit_run *run = pit_run_parse(image, image_bytes, 0, NULL);
    REQUIRE(run);
    CHECK_INT(probe_count(run, "outer/phase/inner"), 1500);
    CHECK_INT(probe_count(run, "late"), 0);
    pit_run_free(run);
}

TEST(misaligned_bytes_are_read_the_same)
{
    make_image();
    unsigned char *shifted = keep(malloc(image_bytes + 8));
    for (size_t off = 1; off < 8; off += 3) {
        memcpy(shifted + off, image, image_bytes);
        pit_run *run = pit_run_parse(shifted + off, image_bytes, 0, NULL);
        REQUIRE(run);
        CHECK_INT(probe_count(run, "outer"), 1500);
        pit_run_free(run);
    }
}

/* ---- hostile ------------------------------------------------------------------------------- */

/* The image with `count` more blocks like the first of a type. */
static unsigned char *multiplied(uint32_t type, size_t count, size_t *bytes)
{
    size_t at = PIT_FMT_HEADER_BYTES;
    const struct pit_fmt_block *block = (const void *)(image + at);
    while (block->type != type) {
        at += block->bytes;
        REQUIRE(at < image_bytes);
        block = (const void *)(image + at);
    }
    *bytes = image_bytes + count * block->bytes;
    unsigned char *all = keep(malloc(*bytes));
    REQUIRE(all);
    memcpy(all, image, image_bytes);
    for (size_t i = 0; i < count; i++)
        memcpy(all + image_bytes + i * block->bytes, block, block->bytes);
    ((struct pit_fmt_header *)(void *)all)->used_bytes = *bytes;
    return all;
}

static uint64_t peak_kb(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[128];
    unsigned long long kb = 0;
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "VmHWM: %llu", &kb);
    if (file)
        fclose(file);
    return kb;
}

TEST(many_blocks_of_open_objects_need_no_more_than_their_share)
{
    make_image();
    struct pit_fmt_objects *objects = NULL;
    for (size_t at = PIT_FMT_HEADER_BYTES; !objects && at < image_bytes;) {
        struct pit_fmt_block *block = (struct pit_fmt_block *)(void *)(image + at);
        if (block->type == PIT_FMT_OBJECTS)
            objects = (struct pit_fmt_objects *)(void *)block;
        at += block->bytes;
    }
    REQUIRE(objects && objects->slots[0].node > 1);
    for (uint32_t i = 1; i < PIT_FMT_OBJECT_SLOTS; i++)
        objects->slots[i] = objects->slots[0];
    size_t bytes;
    unsigned char *all = multiplied(PIT_FMT_OBJECTS, 250, &bytes);
    uint64_t before = peak_kb();
    pit_run *run = pit_run_parse(all, bytes, 0, NULL);
    REQUIRE(run);
    pit_run_free(run);
    CHECK(peak_kb() - before < 200000);
}

TEST(tables_nodes_and_pieces_that_come_twice_are_no_trouble)
{
    make_image();
    static const uint32_t types[] = {PIT_FMT_THREAD, PIT_FMT_NODES,  PIT_FMT_NAMES, PIT_FMT_RING,
                                     PIT_FMT_VALUE,  PIT_FMT_OCTAVE, PIT_FMT_FACTS};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t bytes;
        unsigned char *all = multiplied(types[i], 20, &bytes);
        CHECK(try_read(all, bytes, 0, 1));
        CHECK(try_read(all, bytes, 1, 1));
    }
}

TEST(a_flight_recorder_that_claims_more_than_its_block_holds_is_damage)
{
    make_image();
    uint64_t claimed = (uint64_t)1 << 40;
    struct pit_fmt_ring *ring = NULL;
    for (size_t at = PIT_FMT_HEADER_BYTES; at < image_bytes;) {
        struct pit_fmt_block *block = (struct pit_fmt_block *)(void *)(image + at);
        if (block->type == PIT_FMT_THREAD)
            ((struct pit_fmt_thread *)(void *)block)->ring_events = claimed;
        if (block->type == PIT_FMT_RING)
            ring = (struct pit_fmt_ring *)(void *)block;
        at += block->bytes;
    }
    REQUIRE(ring);
    ring->block.a = 0;
    ring->block.b = claimed;
    pit_run *run = pit_run_parse(image, image_bytes, 0, NULL);
    REQUIRE(run);
    uint64_t events = 0;
    for (size_t i = 0; i < run->thread_count; i++)
        events += run->threads[i].event_count;
    CHECK(events <= image_bytes / sizeof(struct pit_fmt_event));
    CHECK_INT(probe_count(run, "outer/phase/inner"), 1500);
    pit_run_free(run);
}

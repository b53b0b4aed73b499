/* Opening, closing, further recorders, status, labels, codes. */
#include "probe.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

static int count_of(const char *folder)
{
    DIR *d = opendir(folder);
    int count = 0;
    for (struct dirent *entry; d && (entry = readdir(d));)
        count += entry->d_name[0] != '.';
    if (d)
        closedir(d);
    return count;
}

TEST(nothing_is_recorded_before_open_and_no_table_is_made)
{
    CHECK_INT(pit__enabled, 0);
    CHECK_INT((long long)pit_begin_name("early"), 0);
    PIT_SPAN("early") {
        pit_items(1);
        PIT_PHASE("early");
        pit_value("early", 1);
    }
    pit_object object = pit_object_begin_name("early");
    CHECK_INT(pit_object_end(&object), 0);
    pit_thread_name("early");
    CHECK(pit_default_recorder() == NULL);
    CHECK(pit_recorder_memory(NULL, NULL) == NULL);
    CHECK_INT(probe_samplers(), 0);
    pit_error error;
    CHECK(pit_run_read(NULL, &error) == NULL);
    CHECK_INT(error.code, PIT_NOT_OPEN);
    CHECK_INT(pit_close(), PIT_NOT_OPEN);
    CHECK_INT(pit_label("k", "v"), PIT_NOT_OPEN);
    pit_status status;
    CHECK_INT(pit_get_status(NULL, &status), PIT_NOT_OPEN);
    CHECK_INT(status.recording, 0);
    CHECK_STR(status.path, "");
}

TEST(a_recorder_opens_closes_and_opens_again)
{
    for (int round = 0; round < 5; round++) {
        probe_open();
        pit_options options = {.in_memory = 1};
        CHECK_INT(pit_open(NULL, &options), PIT_ALREADY_OPEN);
        for (int i = 0; i <= round; i++)
            PIT_SPAN("once more") {
            }
        const pit_run *run = probe_read(NULL);
        CHECK_INT(probe_first(run, "once more")->count, round + 1);
        CHECK_INT(run->state, PIT_RUN_LIVE);
        CHECK_INT(pit_close(), PIT_OK);
        CHECK_INT(pit_close(), PIT_NOT_OPEN);
        CHECK_INT(probe_read(NULL)->state, PIT_RUN_CLOSED);
        PIT_SPAN("after close") {
        }
        CHECK_INT(probe_count(probe_read(NULL), "after close"), 0);
    }
}

TEST(a_token_of_a_closed_recorder_means_nothing_to_the_next_one)
{
    probe_open();
    pit_token old = pit_begin_name("old");
    CHECK_INT(pit_close(), 0);
    probe_open();
    pit_token outer = pit_begin_name("outer");
    pit_end(old);
    CHECK_INT(pit_age_ns(old), 0);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->threads[0].open_count, 1);
    CHECK_INT(run->losses.end_without_begin + run->losses.wrong_thread, 0);
    pit_end(outer);
}

TEST(spans_open_at_close_stay_open_in_the_run)
{
    probe_open();
    pit_begin_name("a");
    pit_begin_name("b");
    CHECK_INT(pit_close(), 0);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->state, PIT_RUN_CLOSED);
    CHECK_INT(run->threads[0].open_count, 2);
}

TEST(a_file_is_made_at_the_path_and_reads_back_the_same)
{
    const char *folder = probe_folder();
    char path[128];
    snprintf(path, sizeof path, "%s/deep/er/run.pit", folder);
    pit_options options = {.sample_hz = -1};
    REQUIRE(pit_open(path, &options) == PIT_OK);
    for (int i = 0; i < 100; i++)
        PIT_SPAN("work") {
        }
    pit_status status;
    CHECK_INT(pit_get_status(NULL, &status), 0);
    CHECK_INT(status.recording, 1);
    CHECK_INT(status.storage, PIT_STORAGE_FILE);
    CHECK_STR(status.path, path);
    CHECK(status.bytes > PIT_FMT_HEADER_BYTES && status.bytes_in_file == status.bytes);
    CHECK_INT(pit_close(), 0);
    CHECK_INT(pit_get_status(NULL, &status), 0);
    CHECK_INT(status.recording, 0);
    pit_error error = {0, "", 0};
    pit_run *run = probe_keep(pit_run_open(path, &error));
    REQUIRE(run);
    CHECK_INT(run->state, PIT_RUN_CLOSED);
    CHECK_STR(run->path, path);
    CHECK_INT(probe_first(run, "work")->count, 100);
    CHECK(probe_first(run, "work")->total == probe_first(probe_read(NULL), "work")->total);
    CHECK(probe_holds(run));
    probe_clean(folder);
}

TEST(a_file_that_exists_is_never_touched)
{
    const char *folder = probe_folder();
    char path[128], second[128], third[128];
    snprintf(path, sizeof path, "%s/run.pit", folder);
    snprintf(second, sizeof second, "%s/run-2.pit", folder);
    snprintf(third, sizeof third, "%s/run-3.pit", folder);
    FILE *file = fopen(path, "w");
    REQUIRE(file);
    fputs("precious", file);
    fclose(file);
    const char *const wanted[] = {second, third};
    for (int i = 0; i < 2; i++) {
        pit_options options = {.sample_hz = -1};
        REQUIRE(pit_open(path, &options) == PIT_OK);
        pit_status status;
        pit_get_status(NULL, &status);
        CHECK_STR(status.path, wanted[i]);
        pit_close();
    }
    char text[16] = "";
    file = fopen(path, "r");
    REQUIRE(file);
    CHECK(fgets(text, sizeof text, file) != NULL);
    fclose(file);
    CHECK_STR(text, "precious");
    probe_clean(folder);
}

TEST(where_no_file_can_be_made_recording_goes_on_in_memory)
{
    pit_options options = {.sample_hz = -1};
    CHECK_INT(pit_open("/proc/no/such/run.pit", &options), PIT_NO_FILE);
    PIT_SPAN("kept") {
    }
    pit_status status;
    CHECK_INT(pit_get_status(NULL, &status), 0);
    CHECK_INT(status.recording, 1);
    CHECK_INT(status.code, PIT_NO_FILE);
    CHECK(status.system_errno != 0);
    CHECK_INT(status.storage, PIT_STORAGE_MEMORY);
    CHECK_INT(status.bytes_in_file, 0);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "kept")->count, 1);
    CHECK_INT(run->open_errno, status.system_errno);
    CHECK_INT(pit_close(), PIT_NOT_SAVED);
    pit_get_status(NULL, &status);
    CHECK_INT(status.code, PIT_NOT_SAVED);
}

TEST(a_recorder_in_memory_makes_no_file)
{
    const char *folder = probe_folder();
    REQUIRE(chdir(folder) == 0);
    probe_open();
    PIT_SPAN("x") {
    }
    pit_status status;
    pit_get_status(NULL, &status);
    CHECK_INT(status.storage, PIT_STORAGE_MEMORY);
    CHECK_STR(status.path, "");
    CHECK_INT(status.code, 0);
    CHECK_INT(pit_close(), 0);
    CHECK_INT(count_of(folder), 0);
    probe_clean(folder);
}

/* A thread sets its name once it runs, and stays in /proc for a moment after it was joined: wait for the
 * wanted number, for at most ten minutes. */
static int samplers_become(int wanted)
{
    uint64_t until = probe_ns() + 600000000000u;
    while (probe_samplers() != wanted && probe_ns() < until)
        usleep(1000);
    return probe_samplers();
}

TEST(without_a_sampler_there_is_no_thread_and_with_one_there_is)
{
    probe_open();
    CHECK_INT(probe_samplers(), 0);
    CHECK_INT(pit_close(), 0);
    pit_options options = {.in_memory = 1, .sample_hz = 100};
    REQUIRE(pit_open(NULL, &options) == 0);
    CHECK_INT(samplers_become(1), 1);
    CHECK_INT(pit_close(), 0);
    CHECK_INT(samplers_become(0), 0);
}

/* The sampler may store the next pairs meanwhile. */
static uint64_t last_ticks(const struct pit_fmt_header *header)
{
    uint32_t newest = __atomic_load_n(&header->last_pair, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&header->last[newest].ticks, __ATOMIC_RELAXED);
}

TEST(the_sampler_moves_the_end_of_a_run_on)
{
    pit_options options = {.in_memory = 1, .sample_hz = 200};
    REQUIRE(pit_open(NULL, &options) == 0);
    const struct pit_fmt_header *header = pit_recorder_memory(NULL, NULL);
    uint64_t before = last_ticks(header), after = before, until = probe_ns() + 600000000000u;
    while (after == before && probe_ns() < until) {
        usleep(2000);
        after = last_ticks(header);
    }
    CHECK(after > before);
    CHECK_INT(pit_close(), 0);
}

TEST(recorders_side_by_side_keep_their_own_spans)
{
    probe_open();
    pit_options options = {.in_memory = 1, .sample_hz = -1};
    int code = 1;
    pit_recorder *a = pit_recorder_open(NULL, &options, &code);
    REQUIRE(a);
    CHECK_INT(code, 0);
    pit_recorder *b = pit_recorder_open(NULL, &options, NULL);
    REQUIRE(b);
    CHECK(a != b && pit_default_recorder() != a && pit_default_recorder() != b);
    static pit_site site = PIT_SITE("shared name");
    for (int i = 0; i < 10; i++)
        PIT_SPAN("shared name") {
            pit_token in_a = pit_recorder_begin(a, &site);
            pit_token in_b = pit_recorder_begin_name(b, "shared name");
            pit_recorder_end(a, in_b); /* not its token: no effect */
            pit_recorder_end(b, in_b);
            pit_recorder_end(a, in_a);
        }
    CHECK_INT(probe_first(probe_read(NULL), "shared name")->count, 10);
    CHECK_INT(probe_first(probe_read(a), "shared name")->count, 10);
    CHECK_INT(probe_first(probe_read(b), "shared name")->count, 10);
    CHECK_INT(probe_read(a)->losses.end_without_begin, 0);
    CHECK(probe_holds(probe_read(a)) && probe_holds(probe_read(b)));
    CHECK_INT(pit_recorder_close(a), 0);
    CHECK_INT(pit_recorder_close(a), PIT_NOT_OPEN);
    CHECK_INT((long long)pit_recorder_begin(a, &site), 0);
    CHECK_INT(probe_read(a)->state, PIT_RUN_CLOSED);
    CHECK_INT(probe_first(probe_read(a), "shared name")->count, 10); /* readable until freed */
    pit_recorder_free(a);
    pit_recorder_free(b);
    pit_recorder_free(NULL);
    CHECK_INT(pit_recorder_close(NULL), PIT_NOT_OPEN);
    PIT_SPAN("still") {
    }
    CHECK_INT(probe_first(probe_read(NULL), "still")->count, 1);
}

TEST(durations_of_another_recorder_are_nanoseconds)
{
    pit_options options = {.in_memory = 1, .sample_hz = -1};
    pit_recorder *rec = pit_recorder_open(NULL, &options, NULL);
    REQUIRE(rec);
    uint64_t before = probe_ns();
    pit_token token = pit_recorder_begin_name(rec, "x");
    uint64_t start = probe_ns();
    probe_spin(300000);
    uint64_t inside = probe_ns() - start;
    uint64_t ns = pit_recorder_end(rec, token);
    CHECK((double)ns >= (double)inside * 0.98 - 2000);
    CHECK((double)ns <= (double)(probe_ns() - before) * 1.02 + 10000);
    pit_recorder_free(rec);
}

TEST(a_recorder_can_be_opened_and_freed_over_and_over)
{
    pit_options options = {.in_memory = 1, .sample_hz = -1};
    for (int i = 0; i < 200 / probe_slowness(); i++) {
        pit_recorder *rec = pit_recorder_open(NULL, &options, NULL);
        REQUIRE(rec);
        for (int k = 0; k < 3; k++)
            pit_recorder_end(rec, pit_recorder_begin_name(rec, "x"));
        pit_run *run = pit_run_read(rec, NULL);
        REQUIRE(run);
        CHECK_INT(probe_first(run, "x")->count, 3);
        pit_run_free(run);
        pit_recorder_free(rec);
    }
}

TEST(labels_given_at_open_and_later_are_facts_of_the_run)
{
    const char *const labels[] = {"model=resnet", "lr=0.1", NULL};
    pit_options options = {.in_memory = 1, .sample_hz = -1, .labels = labels};
    REQUIRE(pit_open(NULL, &options) == 0);
    CHECK_INT(pit_label("seed", "7"), 0);
    CHECK_INT(pit_label("", "x"), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_label(NULL, "x"), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_label("x", NULL), PIT_BAD_ARGUMENT);
    const pit_run *run = probe_read(NULL);
    CHECK_STR(pit_run_fact(run, "label.model"), "resnet");
    CHECK_STR(pit_run_fact(run, "label.lr"), "0.1");
    CHECK_STR(pit_run_fact(run, "label.seed"), "7");
    CHECK(pit_run_fact(run, "label.none") == NULL);
    char pid[24];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    CHECK_STR(pit_run_fact(run, "pid"), pid);
    CHECK_INT(run->pid, getpid());
    CHECK(pit_run_fact(run, "program") && pit_run_fact(run, "kernel"));
}

TEST(a_label_given_again_replaces_the_earlier_one)
{
    probe_open();
    CHECK_INT(pit_label("phase", "warm-up"), 0);
    CHECK_INT(pit_label("phase", "training"), 0);
    CHECK_STR(pit_run_fact(probe_read(NULL), "label.phase"), "training");
}

TEST(a_fact_stands_beside_those_that_the_library_finds)
{
    CHECK_INT(pit_add_fact("device", "cpu"), PIT_NOT_OPEN);
    probe_open();
    CHECK_INT(pit_add_fact("device", "cpu"), 0);
    CHECK_INT(pit_add_fact("device", "cuda:0"), 0);
    CHECK_INT(pit_add_fact("", "x"), PIT_BAD_ARGUMENT);
    const pit_run *run = probe_read(NULL);
    CHECK_STR(pit_run_fact(run, "device"), "cuda:0");
    CHECK(pit_run_fact(run, "label.device") == NULL && pit_run_fact(run, "program"));
}

TEST(every_code_has_its_own_text)
{
    static const int codes[] = {
#define CODE(name, number, text) name,
        PIT_CODES(CODE)
#undef CODE
    };
    size_t count = sizeof codes / sizeof codes[0];
    for (size_t i = 0; i < count; i++) {
        CHECK(pit_strerror(codes[i])[0] != 0);
        CHECK(strcmp(pit_strerror(codes[i]), pit_strerror(12345)) != 0);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(pit_strerror(codes[i]), pit_strerror(codes[k])) != 0);
    }
    CHECK_STR(pit_strerror(PIT_OFF), "recording is switched off by PITWALL=0");
}

TEST(past_its_size_limit_a_run_counts_spans_and_keeps_what_it_has)
{
    probe_open_with(PIT_RING_OFF, 4u << 20);
    char name[32];
    pit_end(pit_begin_name("first"));
    for (int i = 0; i < 6000; i++) { /* a node takes 1216 bytes */
        snprintf(name, sizeof name, "node %d", i);
        pit_end(pit_begin_name(name));
    }
    pit_end(pit_begin_name("first"));
    const pit_run *run = probe_read(NULL);
    uint64_t finished = 0;
    for (size_t i = 0; i < run->threads[0].node_count; i++)
        finished += run->threads[0].nodes[i].count;
    CHECK(run->threads[0].node_count > 2000 && run->threads[0].node_count < 4000);
    CHECK_INT(finished + run->losses.table_full, 6002);
    CHECK_INT(probe_first(run, "first")->count, 2);
    CHECK(run->used_bytes <= 4u << 20);
}

TEST(the_cost_of_a_span_is_measured_at_open)
{
    probe_open();
    const pit_run *run = probe_read(NULL);
    CHECK(run->span_cost_ns > 0.5);
    CHECK(run->span_cost_ns < 100000);
}

TEST(a_process_reads_its_own_run_by_path_and_keeps_its_lock)
{
    const char *folder = probe_folder();
    char path[128];
    snprintf(path, sizeof path, "%s/own.pit", folder);
    pit_options options = {.sample_hz = -1};
    REQUIRE(pit_open(path, &options) == 0);
    CHECK(pit_recorder_find(path) == pit_default_recorder());
    CHECK(pit_recorder_find("/no/such/file") == NULL);
    PIT_SPAN("x") {
    }
    for (int i = 0; i < 2; i++) {
        pit_run *run = pit_run_open(path, NULL);
        REQUIRE(run);
        CHECK_INT(run->state, PIT_RUN_LIVE);
        pit_run_free(run);
    }
    pid_t child = fork(); /* another process still sees it as live */
    if (child == 0) {
        pit_run *run = pit_run_open(path, NULL);
        int live = run && run->state == PIT_RUN_LIVE;
        pit_run_free(run);
        _exit(live ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    pit_close();
    probe_clean(folder);
}

static void *span_then_exit(void *arg)
{
    pit_thread_name(arg);
    PIT_SPAN("worker") {
    }
    pit_begin_name("left");
    return NULL;
}

TEST(a_finished_threads_table_passes_on_and_goes_on_counting)
{
    probe_open();
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, span_then_exit, (void *)(uintptr_t) "pool") == 0);
        pthread_join(thread, NULL);
    }
    const pit_run *run = probe_read(NULL);
    REQUIRE(run->thread_count == 1);
    CHECK_INT(run->threads[0].thread_count, 20);
    CHECK_INT(run->threads[0].attached, 0);
    CHECK_STR(run->threads[0].name, "pool");
    CHECK_INT(probe_first(run, "worker")->count, 20);
    CHECK_INT(run->losses.left_open, 20);
    CHECK_INT(run->threads[0].open_count, 0);
}

TEST(a_long_thread_name_is_cut_to_63_bytes)
{
    probe_open();
    char name[100];
    memset(name, 'n', sizeof name);
    name[99] = 0;
    pit_thread_name(name);
    CHECK_INT(strlen(probe_read(NULL)->threads[0].name), 63);
}

/* Places in the code: counted in the right span, bounded, consistent at any moment, merged over runs. */
#include "probe.h"

#include "made_run.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

static void note(const char *function, uint32_t line, uint64_t samples)
{
    CHECK_INT(pit_note_place(PIT_PLACE_PYTHON, function, "/home/me/train.py", line, samples), 0);
}

static const pit_hot_place *find(const pit_run *run, const char *function)
{
    for (size_t i = 0; i < run->place_count; i++)
        if (strcmp(run->places[i].function, function) == 0)
            return &run->places[i];
    return NULL;
}

static uint64_t sum_of(const pit_run *run)
{
    uint64_t samples = 0;
    for (size_t i = 0; i < run->place_count; i++)
        samples += run->places[i].samples;
    return samples;
}

/* The name of the span of a place, "" outside all spans. */
static const char *span_of(const pit_run *run, const pit_hot_place *place)
{
    REQUIRE(place);
    return place->node == PIT_NO_NODE ? "" : run->threads[place->thread].nodes[place->node].name;
}

TEST(a_place_counts_in_the_innermost_open_span)
{
    probe_open();
    note("before all", 1, 1); /* the main thread has no table yet */
    pit_token outer = pit_begin_name("outer");
    note("in outer", 2, 1);
    pit_token inner = pit_begin_name("inner");
    note("in inner", 3, 1);
    note("in inner", 3, 4);
    pit_end(inner);
    note("outer again", 4, 1);
    pit_end(outer);
    note("after", 5, 1);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->place_count, 5);
    CHECK_STR(span_of(run, find(run, "before all")), "");
    CHECK_INT(find(run, "before all")->thread, PIT_NO_NODE);
    CHECK_STR(span_of(run, find(run, "in outer")), "outer");
    CHECK_STR(span_of(run, find(run, "in inner")), "inner");
    CHECK_STR(span_of(run, find(run, "outer again")), "outer");
    CHECK_STR(span_of(run, find(run, "after")), "");
    CHECK_INT(find(run, "after")->thread, 0);
    CHECK_INT(find(run, "in inner")->samples, 5);
    CHECK_INT(find(run, "in inner")->line, 3);
    CHECK_STR(find(run, "in inner")->file, "/home/me/train.py");
    CHECK_INT(run->place_samples, 9);
    CHECK_INT(run->places_dropped, 0);
    CHECK(run->places_reason == NULL);
}

TEST(the_same_line_in_two_spans_is_two_places)
{
    probe_open();
    for (int i = 0; i < 6; i++) {
        pit_token token = pit_begin_name(i % 2 ? "odd" : "even");
        note("step", 7, 1);
        pit_end(token);
    }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->place_count, 2);
    CHECK_INT(run->places[0].samples, 3);
    CHECK_INT(run->places[1].samples, 3);
    CHECK(run->places[0].node != run->places[1].node);
}

static void *note_from_elsewhere(void *unused)
{
    PIT_SPAN("of the other thread") {
        note("seen from elsewhere", 1, 1);
    }
    return unused;
}

TEST(it_is_the_main_thread_whose_span_counts)
{
    probe_open();
    pthread_t thread;
    PIT_SPAN("of the main thread") {
        REQUIRE(pthread_create(&thread, NULL, note_from_elsewhere, NULL) == 0);
        pthread_join(thread, NULL);
    }
    const pit_run *run = probe_read(NULL);
    CHECK_STR(span_of(run, find(run, "seen from elsewhere")), "of the main thread");
}

TEST(a_span_that_has_ended_below_others_is_not_where_it_is)
{
    probe_open();
    pit_token outer = pit_begin_name("outer"), middle = pit_begin_name("middle");
    pit_token inner = pit_begin_name("inner");
    pit_end_out_of_order(middle);
    note("in inner", 1, 1);
    pit_end(inner);
    note("in outer", 2, 1);
    pit_end(outer);
    const pit_run *run = probe_read(NULL);
    CHECK_STR(span_of(run, find(run, "in inner")), "inner");
    CHECK_STR(span_of(run, find(run, "in outer")), "outer");
}

TEST(long_texts_keep_the_begin_of_a_name_and_the_end_of_a_path)
{
    char function[300], file[400];
    probe_open();
    memset(function, 'f', sizeof function);
    memset(file, '/', sizeof file);
    memcpy(function + 94, "\xc3\xa9", 2); /* its second byte does not fit */
    memcpy(file + 271, "\xc3\xa9", 2);    /* its first one does not */
    function[299] = file[399] = 0;
    pit_note_place(PIT_PLACE_NATIVE, function, file, 0, 1);
    pit_note_place(PIT_PLACE_NATIVE, NULL, NULL, 0, 1);
    const pit_run *run = probe_read(NULL);
    REQUIRE(run->place_count == 2);
    const pit_hot_place *cut = *run->places[0].function ? &run->places[0] : &run->places[1];
    CHECK_INT(strlen(cut->function), 94);
    CHECK_INT(strlen(cut->file), 126);
    CHECK_INT(cut->kind, PIT_PLACE_NATIVE);
}

TEST(a_place_that_becomes_hot_when_all_room_is_taken_is_found)
{
    probe_open();
    for (uint32_t i = 0; i < 5000; i++) {
        pit_token token = pit_begin_name(i % 2 ? "odd" : "even");
        note("once", i, 1);
        if (i >= 4000)
            note("late", 1, 1);
        pit_end(token);
    }
    const pit_run *run = probe_read(NULL);
    uint64_t odd = 0, late = 0;
    for (size_t i = 0; i < run->place_count; i++) {
        if (strcmp(span_of(run, &run->places[i]), "odd") == 0)
            odd += run->places[i].samples;
        if (strcmp(run->places[i].function, "late") == 0)
            late += run->places[i].samples;
    }
    CHECK_INT(late, 1000);
    CHECK_INT(odd, 3000); /* the sum of the span stays correct */
    CHECK_INT(sum_of(run), 6000);
    CHECK_INT(run->place_samples, 6000);
    CHECK_INT(run->places_dropped, 0);
    CHECK(run->place_count <= 1024);
}

TEST(what_finds_no_room_at_all_is_counted_as_dropped)
{
    char name[32];
    probe_open();
    for (uint32_t i = 0; i < 3000; i++) { /* more spans than entries for their remaining samples */
        snprintf(name, sizeof name, "span %u", i);
        pit_token token = pit_begin_name(name);
        note("place", i, 2);
        pit_end(token);
    }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->place_samples, 6000);
    CHECK(run->places_dropped > 0);
    CHECK_INT(sum_of(run) + run->places_dropped, 6000);
    CHECK_INT(run->place_sources[PIT_PLACE_PYTHON].dropped, run->places_dropped);
}

TEST(how_samples_are_taken_and_why_not_is_told)
{
    probe_open();
    const pit_run *run = probe_read(NULL);
    CHECK_HAS(run->places_reason, "no samples");
    CHECK(run->place_hz == 0);
    CHECK_INT(pit_note_sampling(PIT_PLACE_NATIVE, 0, "perf is forbidden"), 0);
    run = probe_read(NULL);
    CHECK_STR(run->places_reason, "perf is forbidden");
    CHECK_INT(pit_note_sampling(PIT_PLACE_PYTHON, 12.5, "not told"), 0);
    note("f", 1, 3);
    run = probe_read(NULL);
    CHECK(run->place_hz == 12.5);
    CHECK(run->places_reason == NULL);
    CHECK_STR(run->place_sources[PIT_PLACE_NATIVE].reason, "perf is forbidden");
    CHECK(run->place_sources[PIT_PLACE_PYTHON].reason == NULL);
    CHECK_INT(run->place_sources[PIT_PLACE_PYTHON].samples, 3);
    CHECK_INT(pit_note_sampling(PIT_PLACE_PYTHON, 0, "no more"), 0);
    CHECK_STR(probe_read(NULL)->place_sources[PIT_PLACE_PYTHON].reason, "no more");
}

TEST(the_option_is_told_by_the_status_and_bounded)
{
    static const struct {
        double asked, told;
    } rates[] = {{0, 10}, {-1, 0}, {25, 25}, {1000, 100}};
    pit_status status;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        pit_options options = {.in_memory = 1, .sample_hz = -1, .sample_stacks = rates[i].asked};
        REQUIRE(pit_open(NULL, &options) == 0);
        CHECK_INT(pit_get_status(NULL, &status), 0);
        CHECK(status.sample_stacks == rates[i].told);
        note("f", 1, i + 1);
        CHECK_INT(pit_get_status(NULL, &status), 0);
        CHECK_INT(status.place_samples, i + 1);
        pit_close();
    }
    setenv("PITWALL_SAMPLE_STACKS", "0", 1);
    probe_open();
    CHECK_INT(pit_get_status(NULL, &status), 0);
    CHECK(status.sample_stacks == 0);
}

TEST(wrong_arguments_and_closed_recorders_are_refused)
{
    CHECK_INT(pit_note_place(PIT_PLACE_PYTHON, "f", "g", 1, 1), PIT_NOT_OPEN);
    CHECK_INT(pit_note_sampling(PIT_PLACE_PYTHON, 1, NULL), PIT_NOT_OPEN);
    probe_open();
    CHECK_INT(pit_note_place((enum pit_place_kind)2, "f", "g", 1, 1), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_note_place(PIT_PLACE_PYTHON, "f", "g", 1, 0), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_note_sampling((enum pit_place_kind) - 1, 1, NULL), PIT_BAD_ARGUMENT);
    note("f", 1, 1);
    pit_close();
    CHECK_INT(pit_note_place(PIT_PLACE_PYTHON, "f", "g", 1, 1), PIT_NOT_OPEN);
    CHECK_INT(probe_read(NULL)->place_samples, 1);
}

TEST(a_forked_child_notes_into_its_own_run_alone)
{
    probe_open();
    note("of the parent", 1, 1);
    pid_t child = fork();
    if (child == 0) {
        int code = pit_note_place(PIT_PLACE_PYTHON, "too early", "g", 1, 1);
        PIT_SPAN("opens its own") {
            pit_note_place(PIT_PLACE_PYTHON, "of the child", "g", 1, 1);
        }
        pit_run *own = pit_run_read(NULL, NULL);
        _exit(code == PIT_NOT_OPEN && own && own->place_count == 1 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    CHECK_INT(probe_read(NULL)->place_count, 1);
}

TEST(a_recorder_opened_for_samples_alone_can_be_undone)
{
    const char *folder = probe_folder();
    char path[128];
    snprintf(path, sizeof path, "%s/run.pit", folder);
    pit_options options = {.sample_hz = -1};
    CHECK_INT(pit_discard_run(), PIT_NOT_OPEN);
    REQUIRE(pit_open(path, &options) == 0);
    pit_position(); /* the thread has a table, and no span */
    note("f", 1, 1);
    CHECK_INT(pit_discard_run(), 0);
    CHECK(access(path, F_OK) != 0);
    REQUIRE(pit_open(path, &options) == 0);
    pit_status status;
    CHECK_INT(pit_get_status(NULL, &status), 0);
    CHECK_STR(status.path, path);
    PIT_SPAN("one") {
    }
    CHECK_INT(pit_discard_run(), PIT_BAD_ARGUMENT);
    CHECK_INT(probe_count(probe_read(NULL), "one"), 1);
    CHECK_INT(pit_close(), 0);
    CHECK(access(path, F_OK) == 0);
    probe_clean(folder);
}

/* ---- at any moment ------------------------------------------------------------------------- */

/* Function and file of a place contain its line, so that a mixture is detected. */
static void note_odd_one(uint32_t line)
{
    char function[96], file[128];
    snprintf(function, sizeof function, "%*u", 1 + (int)(line % 90), line);
    snprintf(file, sizeof file, "%*u", 1 + (int)(line % 120), line);
    pit_note_place(PIT_PLACE_PYTHON, function, file, line, 1 + line % 3);
}

static void check_whole(const pit_run *run)
{
    for (size_t i = 0; i < run->place_count; i++) {
        const pit_hot_place *place = &run->places[i];
        if (!*place->function) /* other places of its span */
            continue;
        CHECK_INT(strtoul(place->function, NULL, 10), place->line);
        CHECK_INT(strtoul(place->file, NULL, 10), place->line);
        CHECK_INT(place->samples % (1 + place->line % 3), 0);
    }
}

static uint32_t must_end;

static void *note_on_and_on(void *unused)
{
    for (uint32_t i = 0; !__atomic_load_n(&must_end, __ATOMIC_RELAXED); i++)
        note_odd_one(i % 2000); /* more than there are entries */
    return unused;
}

TEST(a_reader_of_a_live_run_sees_whole_places)
{
    pthread_t thread;
    probe_open();
    REQUIRE(pthread_create(&thread, NULL, note_on_and_on, NULL) == 0);
    size_t most = 0;
    for (int i = 0; i < 300 / probe_slowness() || most < 800; i++) {
        pit_run *run = pit_run_read(NULL, NULL);
        REQUIRE(run);
        check_whole(run);
        most = run->place_count > most ? run->place_count : most;
        pit_run_free(run);
    }
    __atomic_store_n(&must_end, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    check_whole(probe_read(NULL));
}

/* At any moment of the update. */
TEST(a_run_killed_at_any_moment_has_whole_places)
{
    const char *folder = probe_folder();
    char path[128];
    uint32_t *noted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(noted != MAP_FAILED);
    for (uint32_t i = 0; i < 60 / (uint32_t)probe_slowness(); i++) {
        snprintf(path, sizeof path, "%s/%u.pit", folder, i);
        *noted = 0;
        pid_t child = fork();
        if (child == 0) {
            pit_options options = {.sample_hz = -1};
            if (pit_open(path, &options) == 0)
                for (uint32_t k = 0;; __atomic_store_n(noted, ++k, __ATOMIC_RELAXED))
                    note_odd_one(k % 2000);
            _exit(1);
        }
        while (__atomic_load_n(noted, __ATOMIC_RELAXED) < 40 * i + 1)
            sched_yield();
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        pit_run *run = pit_run_open(path, NULL);
        REQUIRE(run);
        check_whole(run);
        CHECK(run->place_count > 0);
        uint64_t in_all = sum_of(run) + run->places_dropped;
        CHECK(in_all + 1000000 > run->place_samples); /* sums that wrapped would be far off */
        pit_run_free(run);
    }
    probe_clean(folder);
}

/* ---- in a tree ----------------------------------------------------------------------------- */

static pit_run run_with(const pit_thread *thread, const pit_hot_place *places, size_t count)
{
    pit_run run = made_run(thread, 1);
    run.places = places;
    run.place_count = count;
    for (size_t i = 0; i < count; i++)
        run.place_samples += places[i].samples;
    return run;
}

TEST(a_tree_has_the_places_of_its_nodes_over_all_runs)
{
    pit_raw_node nodes[] = {made_node("step", PIT_NO_NODE, 10, 100, 0),
                            made_node("load", 0, 10, 60, 0)};
    pit_raw_node others[] = {made_node("other", PIT_NO_NODE, 1, 5, 0),
                             made_node("step", PIT_NO_NODE, 10, 100, 0)};
    pit_thread thread = made_thread("main", nodes, 2), other = made_thread("main", others, 2);
    const pit_hot_place first[] = {
        {0, 0, 74, PIT_PLACE_PYTHON, "step", "/a/train.py", 30},
        {0, 0, 80, PIT_PLACE_PYTHON, "step", "/a/train.py", 10},
        {0, 0, 0, PIT_PLACE_NATIVE, "gemm", "libblas.so", 99},
        {0, 1, 12, PIT_PLACE_PYTHON, "read", "/a/data.py", 40},
        {0, PIT_NO_NODE, 0, PIT_PLACE_PYTHON, "", "", 15},
        {PIT_NO_NODE, PIT_NO_NODE, 5, PIT_PLACE_PYTHON, "<module>", "/a/train.py", 5},
        {0, 77, 9, PIT_PLACE_PYTHON, "damaged", "x.py", 0},
    };
    const pit_hot_place second[] = {
        {0, 1, 80, PIT_PLACE_PYTHON, "step", "/a/train.py", 60},
    };
    pit_run a = run_with(&thread, first, 7), b = run_with(&other, second, 1);
    const pit_run *runs[] = {&a, &b};
    pit_tree *tree = pit_tree_build(runs, 2);
    REQUIRE(tree);
    uint32_t step = 0;
    while (strcmp(tree->nodes[step].path, "step") != 0)
        step++;
    const pit_tree_place *hottest = pit_tree_hottest(tree, step);
    REQUIRE(hottest);
    CHECK_INT(hottest->line, 80);
    CHECK_INT(hottest->samples, 70);
    CHECK_INT(hottest->node_samples, 100);
    CHECK(hottest->share == 0.7);
    CHECK(hottest->run_share == 70 / 160.0);
    CHECK_INT(tree->nodes[step].place_count, 3);
    CHECK_INT(tree->nodes[step].places[2].kind, PIT_PLACE_NATIVE);
    CHECK(tree->nodes[step].places[2].share == 1);
    hottest = pit_tree_hottest(tree, PIT_NO_NODE); /* a place without a name is not an answer */
    REQUIRE(hottest);
    CHECK_STR(hottest->function, "<module>");
    CHECK_INT(hottest->node_samples, 20);
    CHECK_INT(tree->outside_count, 3);
    CHECK(pit_tree_hottest(tree, (uint32_t)tree->node_count) == NULL);
    CHECK(pit_tree_hottest(NULL, 0) == NULL);
    CHECK_INT(tree->place_samples, 259);
    pit_tree_free(tree);
}

TEST(a_tree_without_samples_has_no_places)
{
    pit_raw_node nodes[] = {made_node("step", PIT_NO_NODE, 10, 100, 0)};
    pit_thread thread = made_thread("main", nodes, 1);
    pit_run run = made_run(&thread, 1);
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree);
    CHECK(pit_tree_hottest(tree, 0) == NULL && pit_tree_hottest(tree, PIT_NO_NODE) == NULL);
    CHECK(tree->places == NULL && tree->nodes[0].place_count == 0);
    pit_tree_free(tree);
}

static const char *words(uint32_t kind, const char *function, const char *file, uint32_t line)
{
    static char text[64];
    pit_tree_place place = {.function = function, .file = file, .line = line, .kind = kind};
    return pit_place_text(&place, text, sizeof text);
}

TEST(a_place_in_words)
{
    CHECK_STR(words(PIT_PLACE_PYTHON, "step", "/a/b/train.py", 74), "train.py:74 in step");
    CHECK_STR(words(PIT_PLACE_PYTHON, "step", "train.py", 0), "train.py in step");
    CHECK_STR(words(PIT_PLACE_PYTHON, "f", "/a/model/__init__.py", 3), "model/__init__.py:3 in f");
    CHECK_STR(words(PIT_PLACE_PYTHON, "step", "", 0), "step");
    CHECK_STR(words(PIT_PLACE_NATIVE, "gemm", "/usr/lib/libblas.so.3", 0), "gemm (libblas.so.3)");
    CHECK_STR(words(PIT_PLACE_NATIVE, "matmul", "/a/train_gpt2.c", 9), "matmul (train_gpt2.c:9)");
    CHECK_STR(words(PIT_PLACE_NATIVE, "", "/usr/lib/libblas.so.3", 0), "libblas.so.3");
    CHECK_STR(words(PIT_PLACE_NATIVE, "main", "", 0), "main");
    CHECK_STR(words(PIT_PLACE_PYTHON, "", "", 0), "elsewhere");
}

/* ---- printed ------------------------------------------------------------------------------- */

TEST(the_report_shows_the_hottest_places_if_there_are_samples_enough)
{
    pit_raw_node nodes[] = {made_node("step", PIT_NO_NODE, 10, 100, 0)};
    pit_thread thread = made_thread("main", nodes, 1);
    pit_hot_place places[] = {
        {0, 0, 74, PIT_PLACE_PYTHON, "step", "/a/train.py", 7},
        {0, PIT_NO_NODE, 3, PIT_PLACE_PYTHON, "<module>", "/a/train.py", 2},
        {0, 0, 0, PIT_PLACE_NATIVE, "gemm", "libblas.so", 9},
    };
    pit_run run = run_with(&thread, places, 3);
    CHECK(!strstr(made_report(&run, NULL, NULL), "hottest places"));
    places[0].samples = 8;
    const char *text = made_report(&run, NULL, NULL);
    CHECK_HAS(text, "hottest places");
    CHECK_HAS(text, "train.py:74 in step");
    CHECK_HAS(text, "80.0 %");
    CHECK_HAS(text, "(outside of all spans)");
    CHECK(!strstr(text, "gemm"));
    pit_report_options options = {.view = "places"};
    text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "gemm (libblas.so)");
    int code = 0;
    pit_run none = run_with(&thread, NULL, 0);
    none.places_reason = "perf is forbidden";
    text = made_report(&none, &options, &code);
    CHECK_INT(code, PIT_NOTHING);
    CHECK_HAS(text, "perf is forbidden");
}

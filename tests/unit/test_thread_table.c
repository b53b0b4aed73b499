/* Thread tables whose recorder was freed: the next recorder reuses them, never two at once. */
#include "probe.h"

#include "recorder/recorder.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>

static pit_recorder *open_in_memory(void)
{
    pit_options options = {.in_memory = 1, .sample_hz = -1};
    pit_recorder *rec = pit_recorder_open(NULL, &options, NULL);
    REQUIRE(rec);
    return rec;
}

static void span_in(pit_recorder *rec, unsigned flags)
{
    pit_site site = {"x", 0, flags};
    pit_recorder_end(rec, pit_recorder_begin(rec, &site));
}

static void check_count(pit_recorder *rec, uint64_t count)
{
    pit_run *run = pit_run_read(rec, NULL);
    REQUIRE(run);
    uint64_t seen = 0;
    for (size_t i = 0; i < run->thread_count; i++)
        for (size_t k = 0; k < run->threads[i].node_count; k++)
            seen += run->threads[i].nodes[k].count;
    CHECK_INT(seen, count);
    pit_run_free(run);
}

TEST(the_next_recorder_has_the_table_and_the_control_of_the_one_before)
{
    const struct pit__thread *table = NULL;
    const struct pit__control *control = NULL;
    const struct pit__measured *measured = NULL;
    for (int i = 0; i < 20; i++) {
        pit_recorder *rec = open_in_memory();
        span_in(rec, i % 2 ? PIT_MEMORY : 0);
        span_in(rec, 0);
        check_count(rec, 2);
        const struct pit__thread *own = pit__attached(rec);
        REQUIRE(own);
        CHECK(!table || own == table);
        CHECK(!control || rec->control == control);
        CHECK(!measured || own->measured == measured);
        table = own;
        control = rec->control;
        measured = own->measured;
        pit_recorder_free(rec);
    }
    CHECK(measured != NULL);
}

TEST(recorders_side_by_side_and_freed_in_any_order_keep_their_own_tables)
{
    pit_recorder *recs[8] = {NULL};
    probe_open();
    for (int i = 0; i < 100; i++) {
        size_t at = (size_t)(i * 5 + i / 8) % 8;
        pit_recorder_free(recs[at]);
        recs[at] = open_in_memory();
        for (size_t k = 0; k < 8; k++)
            if (recs[k])
                span_in(recs[k], 0);
        PIT_SPAN("default") {
        }
    }
    for (size_t k = 0; k < 8; k++) {
        for (size_t j = 0; j < k; j++)
            CHECK(pit__attached(recs[k]) != pit__attached(recs[j]));
        pit_recorder_free(recs[k]);
    }
    CHECK_INT(probe_first(probe_read(NULL), "default")->count, 100);
}

struct worker {
    pit_recorder *rec;
    sem_t go, done;
    int is_last;
};

static void *work(void *arg)
{
    struct worker *worker = arg;
    while (sem_wait(&worker->go) == 0 && !worker->is_last) {
        span_in(worker->rec, 0);
        sem_post(&worker->done);
    }
    return NULL;
}

TEST(a_table_of_a_thread_that_goes_on_is_given_back_by_that_thread)
{
    struct worker worker = {0};
    pthread_t thread;
    const struct pit__thread *tables = NULL;
    sem_init(&worker.go, 0, 0);
    sem_init(&worker.done, 0, 0);
    REQUIRE(pthread_create(&thread, NULL, work, &worker) == 0);
    for (int i = 0; i < 50; i++) {
        worker.rec = open_in_memory();
        sem_post(&worker.go);
        span_in(worker.rec, 0);
        sem_wait(&worker.done);
        check_count(worker.rec, 2);
        CHECK_INT(worker.rec->thread_count, 2);
        if (!tables || worker.rec->threads < tables)
            tables = worker.rec->threads;
        /* the same few tables, whichever recorder uses them */
        CHECK(worker.rec->threads - tables < 4);
        pit_recorder_free(worker.rec);
    }
    worker.is_last = 1;
    sem_post(&worker.go);
    pthread_join(thread, NULL);
}

static void *span_and_end(void *rec)
{
    span_in(rec, 0);
    return NULL;
}

TEST(tables_of_ended_threads_serve_again)
{
    const struct pit__thread *table = NULL;
    for (int i = 0; i < 20; i++) {
        pit_recorder *rec = open_in_memory();
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, span_and_end, rec) == 0);
        pthread_join(thread, NULL);
        check_count(rec, 1);
        CHECK(!table || rec->threads == table);
        table = rec->threads;
        if (i % 2)
            pit_recorder_close(rec);
        pit_recorder_free(rec);
    }
}

TEST(there_is_a_table_for_each_thread_that_a_process_can_have)
{
    for (int i = 0; i < 32768; i++) /* the kernel's usual limit */
        REQUIRE(pit__wiped_alloc(sizeof(struct pit__thread)) != NULL);
}

TEST(a_forked_child_makes_and_frees_recorders_of_its_own)
{
    probe_open();
    PIT_SPAN("default") {
    }
    pit_recorder *parents = open_in_memory();
    span_in(parents, 0);
    pit_recorder_free(open_in_memory());
    pid_t child = fork();
    if (child == 0) {
        pit_recorder_free(parents);
        for (int i = 0; i < 20; i++) {
            pit_recorder *rec = open_in_memory();
            span_in(rec, 0);
            check_count(rec, 1);
            pit_recorder_free(rec);
        }
        _exit(0);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    span_in(parents, 0);
    check_count(parents, 2);
    pit_recorder_free(parents);
}

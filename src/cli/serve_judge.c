/* serve_judge.c: figures that take longer than reading a run's head: its headline, and when a span last
 * began or ended. A few runs at a time, those that need attention first. Live runs are judged repeatedly,
 * at a cost of at most 1/400 of a core. */
#include "serve.h"
#include "top.h"

#include "model/last_span.h"
#include "model/run_memory.h"
#include "reader/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_S 10.0
#define NEAR 0.9          /* share of the available memory */
#define STALLED_S 60.0    /* without any span that begins or ends, and */
#define STALLED_CORES 0.1 /* using less processor than this */
#define DIED_LATELY_NS (24 * 3600e9)

const char *serve_need_word(enum serve_need need)
{
    static const char *const words[] = {
        [SERVE_DIED] = "died", [SERVE_STALLED] = "stalled", [SERVE_NEAR_LIMIT] = "near_limit",
        [SERVE_ACT] = "act",   [SERVE_LIVE_WELL] = "live",  [SERVE_ENDED] = "ended"};
    return words[need];
}

static int is_stalled(const struct served_run *run)
{
    return serve_wall_ns() - run->last_span_ns > STALLED_S * 1e9 && run->cores < STALLED_CORES;
}

static enum serve_need need_of(const struct served_run *run)
{
    if (run->state == PIT_RUN_DIED && !run->ended_by_parent)
        return serve_wall_ns() - (double)run->ended_ns < DIED_LATELY_NS ? SERVE_DIED : SERVE_ENDED;
    if (run->state != PIT_RUN_LIVE)
        return SERVE_ENDED;
    if (is_stalled(run))
        return SERVE_STALLED;
    if (run->rss >= NEAR * run->limit)
        return SERVE_NEAR_LIMIT;
    return run->severity >= 2 ? SERVE_ACT : SERVE_LIVE_WELL;
}

void serve_set_need(struct served_run *run)
{
    run->need = need_of(run);
}

/* ---- how a worker ended ------------------------------------------------------------------------ */

static int was_ended_by(const struct serve_runs *runs, const struct served_run *run,
                        const struct served_run *parent)
{
    pit_run above = {.state = parent->state,
                     .start_wall_ns = parent->started_ns,
                     .duration_ns = 1e9 * parent->duration_s};
    pit_run *whole = parent->state == PIT_RUN_DIED ? NULL : serve_run_open(runs, run, NULL);
    if (!whole)
        return 0;
    memcpy(above.run_id, whole->parent_run_id, sizeof above.run_id);
    int was_ended = pit__was_ended_by(whole, &above);
    pit_run_free(whole);
    return was_ended;
}

/* Again whenever the state of the parent changes: a worker of a parent that died has died too. */
void serve_judge_ends(struct serve_runs *runs)
{
    for (size_t i = 0; i < runs->id_count; i++) {
        struct served_run *run = runs->by_id[i];
        if (run->state != PIT_RUN_DIED || !*run->parent)
            continue;
        const struct served_run *parent = serve_runs_find(runs, run->parent);
        int seen = parent ? 1 + (int)parent->state : 0;
        if (seen == run->parent_seen)
            continue;
        int was_ended = parent && was_ended_by(runs, run, parent);
        run->parent_seen = seen;
        if (was_ended == run->ended_by_parent)
            continue;
        run->ended_by_parent = was_ended;
        run->version = runs->version + 1;
        serve_metrics_drop(run);
        serve_set_need(run);
    }
}

/* ---- headlines ------------------------------------------------------------------------------- */

/* The innermost open span; "" if there is none. */
static void write_inside(const pit_run *run, struct pit__text *words)
{
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        for (size_t i = thread->open_count; i-- > 0;) {
            uint32_t node = thread->open[i].node;
            if (node >= thread->node_count || thread->nodes[node].detached)
                continue;
            pit__text_puts(words, " inside ");
            pit__text_add_visible(words, thread->nodes[node].name ? thread->nodes[node].name : "");
            return;
        }
    }
}

/* Of a run that died: where, and the most likely reason. */
static void take_death(struct served_run *run, const pit_run *whole)
{
    struct pit__run_memory memory;
    struct pit__text words = {0};
    if (pit__run_memory_make(whole, &memory) != 0)
        return;
    pit__text_puts(&words, "DIED");
    write_inside(whole, &words);
    pit__text_puts(&words, ": ");
    pit__verdict_words(&memory, &words);
    char *headline = words.failed ? NULL : strdup(pit__text_string(&words));
    if (headline) {
        free(run->headline);
        run->headline = headline;
    }
    pit__text_free(&words);
    pit__run_memory_free(&memory);
}

static void judge(struct serve_runs *runs, struct served_run *run)
{
    double before = top_processor_seconds();
    pit_run *whole = serve_run_open(runs, run, NULL);
    const pit_run *judged = whole;
    /* advice takes longer than all the rest: that of a live run's page serves here too */
    const pit_advice *known = run->state == PIT_RUN_LIVE ? serve_watch_advice(runs, run->id) : NULL;
    pit_advice *made = whole && !known ? pit_advise(&judged, 1, 0) : NULL;
    const pit_advice *advice = known ? known : made;
    if (whole && advice)
        run->severity = top_take_verdict(advice, &run->headline);
    if (whole && pit__has_died(whole))
        take_death(run, whole);
    if (whole)
        run->last_span_ns = pit__last_span_wall_ns(whole);
    pit_advice_free(made);
    pit_run_free(whole);
    run->judge_due = run->state == PIT_RUN_LIVE
                         ? top_next_time(top_processor_seconds() - before, PAUSE_S)
                         : HUGE_VAL;
    serve_set_need(run);
    run->version = runs->version + 1;
}

/* Of the runs that are due, the one with the highest need, the newest first. */
static struct served_run *next_of(const struct serve_runs *runs, double now)
{
    struct served_run *best = NULL;
    for (size_t i = 0; i < runs->id_count; i++) {
        struct served_run *run = runs->by_id[i];
        if (run->judge_due > now)
            continue;
        if (!best || run->need < best->need ||
            (run->need == best->need && run->started_ns > best->started_ns))
            best = run;
    }
    return best;
}

int serve_judge(struct serve_runs *runs, double budget_s)
{
    double begun = top_processor_seconds();
    struct served_run *run;
    int judged = 0;
    while ((run = next_of(runs, serve_now())) != NULL) {
        if (judged && top_processor_seconds() - begun > budget_s)
            return 1;
        judge(runs, run);
        judged = 1;
    }
    return 0;
}

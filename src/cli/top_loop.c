/* top_loop.c: the screen's loop: update, draw, wait for a key. */
#include "top.h"

#include "base/clock_ns.h"

#include <signal.h>
#include <time.h>

#define SORT_ALWAYS 1000   /* rows */
#define SORT_PAUSE 2.0     /* seconds */
#define FIRST_INTERVAL 0.1 /* short, so the first screens have rates */

double top_now(void)
{
    return 1e-9 * (double)pit__clock_ns(CLOCK_MONOTONIC);
}

/* Update the shown run, or all runs; 1: draw. */
static int look_again(struct top_runs *runs, struct top_choice *choice, const struct top_look *look)
{
    size_t count = runs->count;
    top_runs_find_more(runs);
    if (runs->count == 0)
        return 0;
    if (count == 0)
        top_begin(runs, choice);
    top_follow(runs, choice);
    struct top_run *run = runs->list[choice->run];
    int is_new = choice->is_overview || choice->is_fresh;
    for (size_t i = 0; choice->is_overview && i < runs->count; i++)
        if (runs->list[i] != run)
            top_run_look(runs->list[i], PIT__ALL_THREADS);
    is_new |= top_run_look(run, choice->thread);
    top_run_judge(run, look->ascii);
    return is_new;
}

/* Sorting thousands of rows at every update would cost more than everything else. So many rows keep their
 * order for some updates, unless the user selected something or rows were added. */
static void draw(struct top_runs *runs, struct top_choice *choice, const struct top_look *look,
                 int must_sort)
{
    if (runs->count == 0) {
        if (choice->is_help)
            top_draw(runs, choice, look);
        else
            top_draw_waiting(runs, look);
        return;
    }
    struct top_run *run = runs->list[choice->run];
    double now = top_now();
    if (must_sort || run->rows.count < SORT_ALWAYS || run->live.count != run->sorted_nodes ||
        now >= run->sort_due) {
        if (pit__live_rows(&run->live, choice->sort, choice->filter, &run->rows) != 0)
            return;
        run->sorted_nodes = run->live.count;
        run->sort_due = now + SORT_PAUSE;
    }
    top_draw(runs, choice, look);
}

int top_screen_loop(struct top_runs *runs, const struct top_look *look)
{
    struct top_choice choice = {.thread = PIT__ALL_THREADS, .node = PIT_NO_NODE, .is_fresh = 1};
    if (terminal_open(look->colour) != 0)
        return -1;
    double due = 0;
    top_begin(runs, &choice);
    while (!choice.is_leaving && !terminal_signal) {
        int must_draw = 0, is_fresh = choice.is_fresh;
        double now = top_now();
        if (choice.is_fresh || (!choice.is_paused && now >= due)) {
            must_draw = look_again(runs, &choice, look) | choice.is_fresh | (runs->count == 0);
            is_fresh |= choice.is_fresh;
            due = now + (choice.is_fresh ? FIRST_INTERVAL : look->interval);
            choice.is_fresh = 0;
        }
        if (must_draw)
            draw(runs, &choice, look, is_fresh);
        double wait = choice.is_paused ? 3600 : due - top_now();
        if (!terminal_wait(wait > 0 ? wait : 0))
            continue;
        for (int key = terminal_key(); key >= 0; key = terminal_key())
            top_key(runs, &choice, key);
        if (!choice.is_fresh) /* otherwise it is drawn after the update */
            draw(runs, &choice, look, 1);
    }
    terminal_close();
    pit__text_free(&choice.notice);
    if (terminal_signal) { /* so the shell sees which signal ended it */
        signal(terminal_signal, SIG_DFL);
        raise(terminal_signal);
    }
    return EXIT_GOOD;
}

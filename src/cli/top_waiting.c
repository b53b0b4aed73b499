/* top_waiting.c: the screen while there is no run, and which run is shown when one ends. */
#define NCURSES_NOMACROS 1

#include "top.h"

#include "reader/reader.h"
#include "report/units.h"
#include "views/list_view.h"

#include <limits.h>
#include <ncurses.h>
#include <unistd.h>

#define LIST_FROM 3 /* with this many live programs at the start, the list is shown first */

/* ---- which run --------------------------------------------------------------------------------- */

void top_show_run(struct top_choice *choice, size_t run)
{
    choice->run = run;
    choice->thread = PIT__ALL_THREADS;
    choice->node = PIT_NO_NODE;
    choice->was_live = 0;
    choice->is_fresh = 1;
}

/* The ranks of a job count as one program, and so do the processes that a run has started. */
void top_begin(const struct top_runs *runs, struct top_choice *choice)
{
    size_t programs = 0, ranks = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const pit_run *run = pit_watch_run(runs->list[i]->watch);
        if (pit_run_fact(run, "rank"))
            ranks = 1;
        else if (!top_is_below(runs, run))
            programs++;
    }
    choice->is_overview = programs + ranks >= LIST_FROM;
    if (runs->is_elsewhere && runs->count > 0) {
        const char *folder = pit_run_fact(pit_watch_run(runs->list[0]->watch), "cwd");
        pit__text_puts(&choice->notice, "no live run in this folder; showing one of ");
        pit__text_add_visible(&choice->notice, folder ? folder : runs->list[0]->path);
    }
}

static const char *name_of(const pit_run *run)
{
    const char *program = pit_run_fact(run, "program");
    return program && *program ? program : "the run";
}

static void tell(struct top_choice *choice, const pit_run *from, const pit_run *to)
{
    char time[PIT__UNIT_BYTES];
    choice->notice.length = 0;
    pit__text_add_visible(&choice->notice, name_of(from));
    if (from->state == PIT_RUN_LIVE)
        pit__text_puts(&choice->notice, " runs in another folder");
    else
        pit__text_printf(&choice->notice, " %s %s",
                         pit__has_died(from) ? "died after" : "ended after",
                         pit__unit_duration(time, from->duration_ns, 1));
    pit__text_puts(&choice->notice, "; now showing ");
    pit__text_add_visible(&choice->notice, name_of(to));
    pit__text_printf(&choice->notice, ", pid %u. Tab: other runs", to->pid);
}

/* The run to show next: live, and begun last. */
static size_t newest_live(struct top_runs *runs)
{
    size_t newest = SIZE_MAX;
    uint64_t began = 0;
    for (size_t i = 0; i < runs->count; i++) {
        top_run_look(runs->list[i], PIT__ALL_THREADS);
        const pit_run *run = pit_watch_run(runs->list[i]->watch);
        if (run->state == PIT_RUN_LIVE && !*runs->list[i]->problem && !top_is_below(runs, run) &&
            (newest == SIZE_MAX || run->start_wall_ns > began)) {
            newest = i;
            began = run->start_wall_ns;
        }
    }
    return newest;
}

void top_follow(struct top_runs *runs, struct top_choice *choice)
{
    struct top_run *shown = runs->list[choice->run];
    int is_live = pit_watch_run(shown->watch)->state == PIT_RUN_LIVE;
    choice->was_live |= is_live;
    int is_list = choice->is_overview && !runs->has_come_here;
    int wants_another =
        runs->has_come_here || (!is_live && (choice->was_live || !choice->is_by_hand));
    /* keep showing a rank that has died: the others wait for it */
    if (pit_run_fact(pit_watch_run(shown->watch), "rank") && !runs->has_come_here)
        wants_another = 0;
    runs->has_come_here = 0;
    if (!wants_another || is_list || (runs->argument && !runs->is_folder))
        return;
    size_t next = newest_live(runs);
    if (next == SIZE_MAX || next == choice->run)
        return;
    tell(choice, pit_watch_run(shown->watch), pit_watch_run(runs->list[next]->watch));
    top_show_run(choice, next);
    choice->is_by_hand = 0;
    choice->is_overview = 0;
}

/* ---- no run yet -------------------------------------------------------------------------------- */

void top_draw_waiting(const struct top_runs *runs, const struct top_look *look)
{
    struct pit__text line = {0};
    char here[PATH_MAX];
    pit__text_puts(&line, "Waiting for a run");
    if (runs->argument || getcwd(here, sizeof here)) {
        pit__text_puts(&line, runs->argument ? ": " : " in ");
        pit__text_add_visible(&line, runs->argument ? runs->argument : here);
    }
    erase();
    top_put(0, 1, COLS - 2, TOP_STRONG, pit__text_string(&line), look->ascii);
    top_put(2, 1, COLS - 2, TOP_PLAIN,
            runs->is_starting ? "A program was started here. It has not begun to record yet."
                              : "To record a program, start it in another terminal:",
            look->ascii);
    if (!runs->is_starting)
        top_put(3, 5, COLS - 6, TOP_COOL, "pitwall run -- PROGRAM [ARGUMENTS]", look->ascii);
    top_put(LINES - 1, 1, COLS - 2, TOP_DIM, "q quit", look->ascii);
    refresh();
    pit__text_free(&line);
}

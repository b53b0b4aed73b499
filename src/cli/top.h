/* top.h: declarations shared by the parts of `pitwall top`.
 *
 *   cmd_top.c       options, and the choice of screen, text or JSON
 *   top_find.c      which runs to watch
 *   top_runs.c      the watched runs, and their updates
 *   top_loop.c      the screen's loop: update, draw, wait for a key
 *   top_screen.c    the head of the screen; top_table.c its rows; top_help.c the list of keys
 *   top_waiting.c   the screen while there is no run, and which run is shown next
 *   top_overview.c  all runs, one line each
 *   top_ranks.c     the ranks of one job together
 *   top_keys.c      what a key does
 *   top_terminal.c  sets up and restores the terminal; top_guard.c restores it after SIGKILL
 *   top_plain.c     one snapshot as text, or one line of JSON per interval
 */
#ifndef PIT_TOP_H
#define PIT_TOP_H

#include "cli.h"

#include "model/live_tree.h"
#include "report/text.h"

struct top_run {
    char *path;
    pit_watch *watch;
    struct pit__live live;
    struct pit__live_rows rows;
    char *verdict;       /* of the advice rules so far; NULL: none yet */
    int severity;        /* of the verdict: 2 act, 1 consider, 0; -1: no finding, or unknown */
    double verdict_due;  /* time of the next verdict, in seconds of the monotonic clock */
    size_t sorted_nodes; /* number of nodes when the rows were last sorted */
    double sort_due;
    int has_ended;
    char problem[256]; /* why it can no longer be read; "" */
};

enum top_wait {
    TOP_NO_WAIT,
    TOP_WAIT_IF_STARTED, /* for the run of a program that `pitwall run` has started in this folder */
    TOP_WAIT             /* for a live run, and its first span */
};

struct top_seen { /* a file that was checked and is not a live run */
    char *path;
    int is_fresh; /* written so recently that it is checked again */
};

struct top_runs {
    const char *argument; /* as given: a run, a folder, a pid; NULL: find them */
    struct top_run **list;
    size_t count;
    enum top_wait wait;
    int is_folder;     /* the argument is a folder */
    int is_starting;   /* a program was started in this folder and has no run yet */
    int is_elsewhere;  /* the runs are from other folders: this one has no live run */
    int has_come_here; /* now this folder has a live run: show it */
    struct top_seen **seen;
    size_t seen_count;
    void *seen_tree; /* the same by path, for tfind */
    double scan_due; /* time of the next search */
    const char *job; /* as requested; NULL: the newest */
    char *job_id;    /* of the job whose ranks are watched; NULL: any */
    uint64_t restart;
    char *ranks_text; /* the last text of the view `ranks`; NULL: fewer than two */
    int ranks_width;
    double ranks_due;
};

/* The user's choices. */
struct top_choice {
    enum pit__live_sort sort;
    char filter[64];
    int is_typing; /* the filter */
    int is_paused;
    int is_help;
    int is_overview; /* all runs, one line each */
    int is_leaving;
    int is_fresh;            /* update now: another run or thread was chosen */
    int is_by_hand;          /* the run was chosen by a key */
    int was_live;            /* the shown run was live when it appeared */
    struct pit__text notice; /* says that the shown run changed; until the next key */
    size_t run;
    size_t thread; /* or PIT__ALL_THREADS */
    uint32_t node; /* the row that is marked; PIT_NO_NODE: the first */
    size_t first;  /* row at the top of the table */
    size_t page;   /* rows that fit, as drawn last */
};

struct top_look { /* how it is shown */
    int colour, ascii;
    double interval; /* seconds */
};

double top_now(void); /* seconds of the monotonic clock */
double top_processor_seconds(void);
/* When to repeat work that took `cost` seconds, at the earliest after `pause` seconds. */
double top_next_time(double cost, double pause);

/* top_find.c. Find runs for the first time: the live ones, or else the newest; none if we wait for runs.
 * 0, or an exit status after the message. */
int top_runs_start(struct top_runs *runs);
/* Search for new runs if it is time to. */
void top_runs_find_more(struct top_runs *runs);
/* Did the process of a watched run start the process of this run? */
int top_is_below(const struct top_runs *runs, const pit_run *run);
void top_find_free(struct top_runs *runs);

/* top_runs.c. Returns 0, or a code with *error. */
int top_runs_add(struct top_runs *runs, const char *path, pit_error *error);
void top_runs_free(struct top_runs *runs);
void top_run_free(struct top_run *run);

/* top_waiting.c. Show another run, with a notice, if the shown one has ended or is of another folder. */
void top_follow(struct top_runs *runs, struct top_choice *choice);
/* Begin with the list of runs if there are several programs. */
void top_begin(const struct top_runs *runs, struct top_choice *choice);
/* Show this run. */
void top_show_run(struct top_choice *choice, size_t run);
void top_draw_waiting(const struct top_runs *runs, const struct top_look *look);

/* top_ranks.c. If several jobs are watched, keep one and print which. 0, or an exit status after the
 * message. Quiet: no message, because we wait for a job that does not exist yet. */
int top_choose_job(struct top_runs *runs, int is_quiet);
/* Is it a rank of a job other than the watched one? */
int top_is_other_job(const struct top_runs *runs, const pit_run *run);
/* The view `ranks` of the last update; NULL: fewer than two ranks. */
const char *top_ranks_text(struct top_runs *runs, const struct top_look *look, int width);
/* Update a run; 1: something has changed. */
int top_run_look(struct top_run *run, size_t thread);
/* Update its verdict if it is time to. */
void top_run_judge(struct top_run *run, int ascii);
/* Replaces *verdict, which is freed, by the advice in one line. Returns its severity, -1 if there is no
 * finding. Also used by pitwall serve. */
int top_take_verdict(const pit_advice *advice, char **verdict);

/* top_loop.c: an exit status; -1: this terminal cannot be used. */
int top_screen_loop(struct top_runs *runs, const struct top_look *look);

/* top_plain.c. Without a screen: wait for a run and for its first span, if requested. */
void top_wait_for_span(struct top_runs *runs);
/* These return exit statuses. */
int top_print_once(struct top_runs *runs, const struct top_look *look);
/* One line per run. */
int top_print_json_once(struct top_runs *runs, const struct top_look *look);
/* One line per interval, until the runs have ended. */
int top_print_json(struct top_runs *runs, const struct top_look *look);

/* top_screen.c, top_table.c, top_help.c: draw everything. */
void top_draw(struct top_runs *runs, struct top_choice *choice, const struct top_look *look);
void top_draw_table(struct top_run *run, struct top_choice *choice, const struct top_look *look,
                    int first_line, int lines);
void top_draw_help(const struct top_look *look);
/* top_overview.c: on the screen, and as text. Returns 0 or a code. */
void top_draw_overview(struct top_runs *runs, const struct top_choice *choice,
                       const struct top_look *look);
int top_print_overview(const struct top_runs *runs, const struct top_look *look);

enum top_style {
    TOP_PLAIN,
    TOP_DIM,
    TOP_STRONG,
    TOP_GOOD,
    TOP_COOL,
    TOP_WARM,
    TOP_HOT,
    TOP_HEAD, /* titles of columns */
    TOP_STYLES
};
/* Draw a visible text, cut to `width` columns; returns the columns used. */
int top_put(int y, int x, int width, enum top_style style, const char *text, int ascii);
/* The same, right-aligned at `right`. */
void top_put_right(int y, int right, int width, enum top_style style, const char *text, int ascii);

/* top_keys.c: handle a key. */
void top_key(struct top_runs *runs, struct top_choice *choice, int key);
/* The index of the marked row; keeps it and the first row inside the table. */
size_t top_marked_row(const struct top_run *run, struct top_choice *choice);

/* top_terminal.c. Open: 0, or -1 if the terminal cannot be used. Wait: 1 after a possible key or signal, 0
 * after the timeout; terminal_signal is then the signal to end by, or 0. */
int terminal_open(int colour);
void terminal_close(void);
int terminal_wait(double seconds);
int terminal_key(void); /* -1: no key is pending */
extern volatile int terminal_signal;

/* top_guard.c: a separate process that restores the terminal if this one is killed. */
struct termios;
void guard_start(const struct termios *saved, const char *leave, size_t bytes);
void guard_tell(char what); /* 't' terminal in use, 'b' restored */

#endif

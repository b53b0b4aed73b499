/* serve.h: declarations shared by the parts of `pitwall serve`.
 *
 *   cmd_serve.c       options, the link, --open
 *   serve_token.c     the token, made or read
 *   serve_open.c      a browser started
 *   serve_listen.c    the socket: an address and port, or a path
 *   serve_http.c      connections, who may ask, headers; one thread, libmicrohttpd by microhttpd.h
 *   serve_guard.c     paths, Host and token as texts
 *   serve_routes.c    which document a request gets
 *   serve_runs.c      the runs of the folders: search, cache and updates
 *   serve_judge.c     their headlines, which take longer, a few at a time
 *   serve_list.c      the document of all runs
 *   serve_watch.c     the document of one run, and what changed in it; serve_parts.c cuts it
 *   serve_series.c    the durations of one node over the run
 *   serve_compare.c   two runs side by side
 *   serve_assets.c    the page itself
 *   serve_metrics.c   /metrics
 *
 * All of this runs in one thread. A request is answered from a cached document if that is not older than
 * --refresh, so an additional viewer costs only a copy. */
#ifndef PIT_SERVE_H
#define PIT_SERVE_H

#include "cli.h"
#include "serve_guard.h"

#include "exports/prometheus.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#define SERVE_SPARK 24 /* points of a sparkline */

/* ---- options --------------------------------------------------------------------------------- */

struct serve_options {
    const char *listen;
    const char *token_file;
    int no_token, open, json;
    const char **allowed; /* hosts, ended by NULL */
    size_t allowed_count;
    char *const *folders;
    size_t folder_count;
    size_t metrics_spans;
    double metrics_keep_s;
    double refresh_s; /* maximum age of an answer */
};

/* ---- bytes that several answers share -------------------------------------------------------- */

struct serve_bytes {
    size_t uses, count;
    char etag[40]; /* including its quotes */
    char data[];
};

/* The caller owns one reference. Returns NULL if memory is exhausted. */
struct serve_bytes *serve_bytes_make(const void *data, size_t count);
struct serve_bytes *serve_bytes_use(struct serve_bytes *bytes);
void serve_bytes_drop(struct serve_bytes *bytes);

/* The output of `write`; NULL if memory is exhausted or `write` returns a code. */
struct serve_bytes *serve_bytes_printed(int (*write)(FILE *out, void *arg), void *arg);

uint64_t serve_hash(const void *data, size_t count); /* not secure against attacks */
double serve_now(void);                              /* seconds of the monotonic clock */

/* ---- runs ------------------------------------------------------------------------------------ */

enum serve_need { /* in display order */
                  SERVE_DIED,
                  SERVE_STALLED,
                  SERVE_NEAR_LIMIT,
                  SERVE_ACT, /* live, and the advice says: act */
                  SERVE_LIVE_WELL,
                  SERVE_ENDED
};
const char *serve_need_word(enum serve_need need);

struct serve_file { /* identifies the version of a file that was read */
    dev_t device;
    ino_t inode;
    off_t size;
    int64_t changed_ns;
    uid_t owner;
};

struct served_run {
    char *path;
    struct serve_file file;
    enum serve_need need;
    int is_kept; /* the last search found it again */
    char *why;   /* why it cannot be shown; NULL: it can */
    char id[SERVE_ID_DIGITS + 1], parent[SERVE_ID_DIGITS + 1]; /* "": none */
    enum pit_run_state state;
    int ended_by_parent; /* a worker that died, but whose parent ended it; serve_judge.c */
    int parent_seen;     /* 1 + the state of its parent when that was decided; 0: not decided yet */
    char *program, *host, *job, *rank; /* NULL: not told */
    char *note;                        /* such as damage; NULL: none */
    uint64_t started_ns, ended_ns;     /* wall clock; ended: now of a live one */
    double duration_s;
    double rss, peak, limit; /* bytes; NaN: not known */
    double cores;            /* processors in use over the last readings; NaN */
    double spark[SERVE_SPARK];
    size_t spark_count;
    /* serve_judge.c */
    char *headline;      /* NULL: not computed yet */
    int severity;        /* of the headline; -1: no finding */
    double last_span_ns; /* wall clock when a span last began or ended; NaN: not known */
    double judge_due;    /* serve_now() of the next judgement; 0: never judged */
    /* for the list */
    uint64_t version; /* version of the list when it last changed */
    uint64_t printed; /* hash of its row at that time */
    double ended_at;  /* serve_now() when its end was first seen; 0: live */
    /* serve_metrics.c */
    struct pit__metrics *metrics;     /* NULL: not made yet */
    enum pit_run_state metrics_state; /* state of the run when they were made */
    double metrics_at;
    struct pit__metrics_floor floor;
};

struct serve_gone {
    char id[SERVE_ID_DIGITS + 1];
    uint64_t version;
};

struct serve_runs {
    const struct serve_options *options;
    struct served_run **list; /* by path */
    size_t count;
    struct served_run **by_id; /* runs that can be shown, one per id */
    size_t id_count;
    double looked_at; /* serve_now() of the last search; 0: none */
    uint64_t version,
        forgotten; /* of the list; the newest version whose removed runs are no longer known */
    struct serve_gone *gone;
    size_t gone_count;
    char epoch[20];  /* distinguishes this server's versions from those of other servers */
    double asked_at; /* serve_now() of the last request about runs */
    struct serve_watch *watches;
    uint64_t documents; /* number of run documents made so far, used as their versions */
};

/* Read the folders, unless the last reading is recent enough. */
void serve_runs_look(struct serve_runs *runs);
int serve_same_file(const struct serve_file *a, const struct serve_file *b);
struct served_run *serve_runs_find(const struct serve_runs *runs, const char *id);
int serve_runs_has_below(const struct serve_runs *runs, const char *id);
void serve_runs_free(struct serve_runs *runs);
double serve_wall_ns(void);

/* Read the whole run, with its sub-runs; NULL with *error. */
pit_run *serve_run_open(const struct serve_runs *runs, const struct served_run *run,
                        pit_error *error);

/* serve_judge.c: judge the runs that are due, for at most `budget_s` of processor time, but at least one.
 * 1: there is more to do. */
int serve_judge(struct serve_runs *runs, double budget_s);
void serve_set_need(struct served_run *run);
/* Which of the runs that died are workers that their parent ended. */
void serve_judge_ends(struct serve_runs *runs);

/* ---- documents: NULL without memory, or with *status where it cannot be ------------------------ */

struct serve_bytes *serve_list_document(struct serve_runs *runs, const char *since);
struct serve_bytes *serve_metrics_document(struct serve_runs *runs);
void serve_metrics_drop(struct served_run *run);   /* its lines: to be made again */
void serve_metrics_forget(struct served_run *run); /* and the floor of its counters */

/* The document of a run; with is_job, of all ranks of its job. */
struct serve_bytes *serve_run_document(struct serve_runs *runs, struct served_run *run, int is_job,
                                       unsigned *status);
struct serve_bytes *serve_run_changes(struct serve_runs *runs, struct served_run *run, int is_job,
                                      const char *since, unsigned *status);
/* The durations of one node, named by its path. */
struct serve_bytes *serve_series_document(struct serve_runs *runs, struct served_run *run,
                                          const char *node, unsigned *status);
/* Two runs, or groups of runs: ids separated by commas. */
struct serve_bytes *serve_compare_document(struct serve_runs *runs, const char *a, const char *b,
                                           unsigned *status);
void serve_watches_free(struct serve_runs *runs);
/* Renew the advice of live runs that are viewed. It takes longer than all the rest of a document, so this is
 * done between requests. */
void serve_watches_advise(struct serve_runs *runs);
/* The advice of a live run that is viewed; NULL: none. It lives until the next document is made. */
const pit_advice *serve_watch_advice(const struct serve_runs *runs, const char *id);

/* ---- routes and connections --------------------------------------------------------------------- */

struct serve_question {
    const char *path;
    const char *since, *node, *version, *a, *b, *ranks; /* parameters of the query; NULL: missing */
};
struct serve_answer {
    unsigned status;
    const char *type;
    struct serve_bytes *body; /* one reference to it, or NULL: the status as text */
    const char *cache;        /* Cache-Control */
    char disposition[160];    /* "" none */
};
/* serve_assets.c: a file of web/; version: the hash that the page uses for it, or NULL. */
void serve_asset(const char *name, const char *version, struct serve_answer *answer);
void serve_answer_to(struct serve_runs *runs, const struct serve_question *question,
                     struct serve_answer *answer);

/* serve_token.c: returns 0 or an exit status after the message. */
#define SERVE_TOKEN_ROOM 129
int serve_token(const struct serve_options *options, char token[SERVE_TOKEN_ROOM]);

/* serve_listen.c */
struct serve_socket {
    int fd;
    char link[300];  /* "http://127.0.0.1:7481/", or the path of the socket */
    char bound[80];  /* the address in the form of a Host header; "" for a wildcard or a path */
    char *path;      /* removed at the end, or NULL */
    int is_loopback; /* a loopback address or a path: not reachable from outside */
};
int serve_listen(const char *where, struct serve_socket *made);
void serve_socket_close(struct serve_socket *made);
/* The local address of a connection in the form of a Host header; "" if there is none. */
void serve_own_address(int fd, char *text, size_t room);

/* serve_open.c: start a browser with the page, through a file that redirects to it; and remove that file.
 * The browser gets the signals as they were before serve_catch_signals. */
void serve_open_browser(const char *link, const sigset_t *before);
void serve_open_done(void);

/* serve_http.c: from here on a signal that ends the server is kept until serve_http waits, so that no file
 * stays behind. */
void serve_catch_signals(sigset_t *before);
/* Serve until a signal. Returns an exit status. */
struct httpd;
int serve_http(const struct httpd *httpd, const struct serve_socket *socket, const char *token,
               struct serve_runs *runs, const sigset_t *before);

#endif

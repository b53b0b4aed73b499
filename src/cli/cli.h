/* cli.h: what the commands share. The tool uses the public headers alone. */
#ifndef PIT_CLI_H
#define PIT_CLI_H

#include "pitwall_report.h"
#include <stdio.h>

/* Exit status. 1: a gate found a regression; 2: there is no verdict. */
enum {
    EXIT_GOOD = 0,
    EXIT_REGRESSION = 1,
    EXIT_NO_VERDICT = 2,
    EXIT_USAGE = 64,
    EXIT_CANNOT_READ = 66,
    EXIT_COMMAND_FAILED = 69,
    EXIT_CANNOT_WRITE = 74,
    EXIT_INTERRUPTED = 130, /* before there was an answer */
    EXIT_READER_GONE = 141  /* as a shell has it of SIGPIPE; nothing is said */
};

struct command {
    const char *name;
    const char *summary;               /* one line, for the list */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; an exit status */
};

/* What SIGPIPE did when we were started: programs that we start get it back. */
extern void (*pipe_signal)(int);

/* The commands: a new one is a file of its own, cmd_<name>.c, and its line here. Help, completion and
 * man pages have it then. */
/* clang-format off */
#define COMMANDS(X) \
    X("report", cmd_report, "where the time of one or several runs went") \
    X("compare", cmd_compare, "which of two or more is faster, and whether that is real") \
    X("diff", cmd_compare, "the same as compare") \
    X("race", cmd_race, "which of several commands is faster, run in turn") \
    X("scale", cmd_scale, "how a command's cost grows with a size") \
    X("export", cmd_export, "runs as CSV, JSON, Markdown or a trace") \
    X("log", cmd_log, "tables of the timing lines in text logs") \
    X("run", cmd_run, "start a program with recording switched on") \
    X("top", cmd_top, "watch a run while it goes on") \
    X("serve", cmd_serve, "the runs of folders in a browser, live, and as metrics") \
    X("list", cmd_list, "which runs there are: live, done or died") \
    X("info", cmd_info, "what is known of a run: clock, place, size, cost, losses") \
    X("doctor", cmd_doctor, "what this machine can measure, and why not the rest") \
    X("recover", cmd_recover, "bring runs back that died in shared memory")
/* clang-format on */

#define DECLARE_COMMAND(name_, run_, summary_) int run_(int argc, char **argv);
COMMANDS(DECLARE_COMMAND)

/* "pitwall: what: path: why" on standard error; path and why may be NULL. Returns status, so that
 * `return fail(…)` ends a command. Where standard output cannot be written because its reader has gone
 * it says nothing and returns EXIT_READER_GONE. */
int fail(int status, const char *what, const char *path, const char *why);

/* The same for a mistake in the command line of `command` ("" for the tool), with where to read on.
 * Returns EXIT_USAGE. */
int fail_usage(const char *command, const char *what, const char *argument, const char *why);

/* The same for an option that getopt_long answered with '?' or ':'. */
int fail_option(const char *command, int answer, char *const *argv);

/* After a call of the library that prints: 0 for its code 0, else an exit status after the message.
 * path: where it wrote to; NULL: standard output. */
int fail_printed(int code, const char *what, const char *path);

/* Flush and close standard output; EXIT_CANNOT_WRITE with a message if that, or anything written
 * before, failed; else status. */
int finish_output(int status);

/* terminal.c: how standard output wants to be written. */
int parse_width(const char *text, int *width); /* 0 or 40 to 10000; else 0 is returned */
int output_width(void);  /* columns of the terminal; 0: none, as wide as need be */
int output_height(void); /* rows of the terminal; 0: none, or not known */
int output_colour(void); /* a terminal, and NO_COLOR and FORCE_COLOR say nothing else */
int output_ascii(void);  /* the locale is not UTF-8 */

/* The same of standard error. */
int talk_width(void);
int talk_colour(void);

/* form.c: the options that say how an answer is written, for the table of getopt_long and for what
 * it answers. form_option: 0; an exit status after the message; -1: it is none of them. */
enum { FORM_JSON = 1000, FORM_CSV, FORM_MARKDOWN, FORM_WIDTH, FORM_NO_COLOUR };

/* clang-format off */
#define FORM_TABLE_OPTIONS                                                                         \
    {"json", no_argument, NULL, FORM_JSON}, {"csv", no_argument, NULL, FORM_CSV},                  \
    {"markdown", no_argument, NULL, FORM_MARKDOWN}
#define FORM_LOOK_OPTIONS                                                                          \
    {"width", required_argument, NULL, FORM_WIDTH},                                                \
    {"no-colour", no_argument, NULL, FORM_NO_COLOUR},                                              \
    {"no-color", no_argument, NULL, FORM_NO_COLOUR}
/* clang-format on */

pit_report_options output_form(void); /* as standard output wants it */
int form_option(const char *command, int option, pit_report_options *options);

/* For a command that has no others but --help (value 'h'). 0; an exit status; or -1 after the help
 * was printed. */
struct option;
int parse_form_options(int argc, char **argv, const char *help, const struct option *table,
                       pit_report_options *options);

/* share.c: a number over 0, with a percent sign or, as `bare` says, without: 1 is then 1 % (0.01) or
 * all (1). 0: it is none, or not below `most`. */
int parse_share(const char *text, double bare, double most, double *share);

/* run_list.c: the runs named on a command line. A folder stands for all *.pit in it. */
struct run_list {
    char **paths;
    size_t count;
};

/* 0, or an exit status after the message. */
int run_list_make(struct run_list *list, char *const *arguments, int count);
/* The same, but a folder without any is none of the mistakes. */
int run_list_find(struct run_list *list, char *const *arguments, int count);
/* Where runs are without being named: ./pitwall-runs and the folder itself. */
int run_list_here(struct run_list *list);
/* For a command without a run: the newest run there. If it is a rank, all of them, for job_choose. */
int run_list_newest(struct run_list *list, const char *command);
int run_list_add(struct run_list *list, const char *path);
void run_list_free(struct run_list *list);

/* job_choice.c: leave one job in the list, the newest or the one of that name (may be NULL), and tell
 * what is left out; a list without ranks stays as it is. *is_job: it has several ranks of one job. 0, or
 * an exit status after the message. */
int job_choose(struct run_list *list, const char *name, int *is_job);

/* open_runs.c: read them; `runs` has room for all. How many could be; *status says if one could
 * not, after the message. */
size_t runs_open(const struct run_list *list, pit_run **runs, int *status);
void runs_free(pit_run **runs, size_t count);
/* Is this file one of them? It is the one thing that cannot be made again. */
int is_one_of_runs(const char *output, const pit_run *const *runs, size_t count);

/* The runs of the list are read and handed to `use`, which returns an exit status and may leave fewer of
 * them, as pit_runs_nest does; runs that cannot be read are left out and make the status bad. */
int runs_use_list(const struct run_list *list, int (*use)(pit_run **runs, size_t *count, void *arg),
                  void *arg);
/* The same of the runs that the arguments name. */
int runs_use(char *const *arguments, int argument_count,
             int (*use)(pit_run **runs, size_t *count, void *arg), void *arg);

/* Which commit the tool was built from, "" if that is not known; made by cmake/tool.cmake. */
extern const char tool_commit[];

/* compile_flags.c: `pitwall --cflags --libs`, either or both. */
int compile_flags(int argc, char **argv);

/* program_env.c: what a program that is started finds in its environment. tool_relative: `found`
 * (PATH_MAX) becomes the real path of a file that the tool's folder leads to; 0 if it is not there, and
 * `found` is then the tool's folder. library_find: a library of
 * ours beside the tool, its path into `found` (PATH_MAX); 0 if it is not there. */
int tool_relative(const char *way, char *found);
int library_find(const char *file, char *found);

/* Preload the library that counts allocations. 0, or an exit status after the message. */
int alloc_environment(void);

/* Preload the library that puts OpenCL's work into the tree, if `program` names libOpenCL in its file; NULL:
 * in any case. 0, or an exit status after the message. */
int opencl_environment(const char *program);

/* Likewise the library that measures OpenMP's teams, if `program` names libgomp, libomp or libiomp5;
 * where the library is not there then, that is told and no failure. */
int openmp_environment(const char *program);

/* Have a program that knows nothing of Pitwall record: Python's libraries by hooks, functions compiled
 * with -finstrument-functions, and calls of MPI. What is not there is told and left out. 0, or an exit status
 * after the message. */
int auto_environment(const char *program);
/* All of them that the program seems to need, as `pitwall run` does by default. */
int hooks_environment(const char *program);

/* program_needs.c: does the program's own file name a library whose name begins so? 0 where it cannot be
 * read. */
int program_needs(const char *program, const char *library);

/* regular_file.c: for reading; NULL and *why if it cannot be, or is no regular file. */
FILE *regular_file_open(const char *path, const char **why);

#endif

/* cli.h: declarations shared by the commands. The tool uses only the public headers. */
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
    EXIT_READER_GONE = 141  /* what a shell reports for SIGPIPE; no message */
};

struct command {
    const char *name;
    const char *summary;               /* one line, for `pitwall --help` */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; an exit status */
};

/* The action of SIGPIPE when the tool was started; restored for programs that the tool starts. */
extern void (*pipe_signal)(int);

/* The commands. A new one needs a file cmd_<name>.c and a line here; help, completion and man pages
 * follow from it. */
/* clang-format off */
#define COMMANDS(X) \
    X("report", cmd_report, "show where the time of one or several runs went") \
    X("compare", cmd_compare, "find which side is faster, and whether the difference is real") \
    X("diff", cmd_compare, "the same as compare") \
    X("race", cmd_race, "run commands in turn and find which is faster") \
    X("scale", cmd_scale, "find how the cost of a command grows with a size") \
    X("export", cmd_export, "write runs as CSV, JSON, Markdown or a trace") \
    X("log", cmd_log, "print tables of the timing lines in text logs") \
    X("run", cmd_run, "run a program and record it") \
    X("top", cmd_top, "watch a live run") \
    X("serve", cmd_serve, "show runs in a browser, live, and as metrics") \
    X("list", cmd_list, "list runs: live, done or died") \
    X("info", cmd_info, "show facts about a run: clock, storage, size, cost, losses") \
    X("doctor", cmd_doctor, "show what this machine can measure, and remedies for the rest") \
    X("recover", cmd_recover, "recover runs that died in shared memory")
/* clang-format on */

#define DECLARE_COMMAND(name_, run_, summary_) int run_(int argc, char **argv);
COMMANDS(DECLARE_COMMAND)

/* "pitwall: what: path: why" on standard error; path and why may be NULL. Returns status, so
 * a command can end with `return fail(…)`. If standard output cannot be written because its reader has
 * gone, it prints nothing and returns EXIT_READER_GONE. */
int fail(int status, const char *what, const char *path, const char *why);

/* The same for a wrong command line of `command` ("" for the tool), followed by a hint to its --help.
 * Returns EXIT_USAGE. */
int fail_usage(const char *command, const char *what, const char *argument, const char *why);

/* The same for an option that getopt_long answered with '?' or ':'. */
int fail_option(const char *command, int answer, char *const *argv);

/* For the code of a library call that prints: 0 if it is 0; otherwise prints a message and returns an
 * exit status. path: the output file; NULL: standard output. */
int fail_printed(int code, const char *what, const char *path);

/* Flush and close standard output; EXIT_CANNOT_WRITE with a message if that, or anything written
 * before, failed; else status. */
int finish_output(int status);

/* terminal.c: width, colour and characters of standard output. */
int parse_width(const char *text, int *width); /* 0 or 40 to 10000; else 0 is returned */
int output_width(void);  /* columns of the terminal; 0: no terminal, no limit */
int output_height(void); /* rows of the terminal; 0: no terminal, or unknown */
int output_colour(void); /* a terminal, unless NO_COLOR or FORCE_COLOR overrides it */
int output_ascii(void);  /* the locale is not UTF-8 */

/* The same for standard error. */
int talk_width(void);
int talk_colour(void);

/* form.c: the options for the output format, for the table of getopt_long. form_option handles one of
 * them: 0; an exit status after the message; -1 if the option is not handled here. */
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

pit_report_options output_form(void); /* defaults for standard output */
int form_option(const char *command, int option, pit_report_options *options);

/* For a command whose only other option is --help (value 'h'). 0; an exit status; or -1 after the help
 * was printed. */
struct option;
int parse_form_options(int argc, char **argv, const char *help, const struct option *table,
                       pit_report_options *options);

/* share.c: a number over 0, with a percent sign or without. `bare` is the value of a 1 without percent
 * sign: 0.01 (1 %) or 1 (all). Returns 0 if the text is not such a number, or not below `most`. */
int parse_share(const char *text, double bare, double most, double *share);

/* run_list.c: the runs named on a command line. A folder means all *.pit in it. */
struct run_list {
    char **paths;
    size_t count;
};

/* 0, or an exit status after the message. */
int run_list_make(struct run_list *list, char *const *arguments, int count);
/* The same, but a folder without runs is not an error. */
int run_list_find(struct run_list *list, char *const *arguments, int count);
/* The default runs: those in ./pitwall-runs and in the current folder. */
int run_list_here(struct run_list *list);
/* For a command without a run: the newest run there. If it is a rank, all of them, for job_choose. */
int run_list_newest(struct run_list *list, const char *command);
int run_list_add(struct run_list *list, const char *path);
void run_list_free(struct run_list *list);

/* job_choice.c: keep one job in the list, the newest or the one of that name (may be NULL), and print
 * what is left out. A list without ranks is unchanged. *is_job: the list has several ranks of one job.
 * 0, or an exit status after the message. */
int job_choose(struct run_list *list, const char *name, int *is_job);

/* open_runs.c: read the runs of the list; `runs` has room for all. Returns how many could be read. If one
 * could not, prints a message and sets *status. */
size_t runs_open(const struct run_list *list, pit_run **runs, int *status);
void runs_free(pit_run **runs, size_t count);
/* The message for a run that pit_run_open could not read. Returns EXIT_CANNOT_READ. */
int fail_run(const char *path, const pit_error *error);

/* Is this file one of the runs? A run must not be overwritten: it cannot be recorded again. */
int is_one_of_runs(const char *output, const pit_run *const *runs, size_t count);

/* Reads the runs of the list and passes them to `use`, which returns an exit status and may reduce their
 * number, as pit_runs_nest does. Runs that cannot be read are left out and make the status bad. */
int runs_use_list(const struct run_list *list, int (*use)(pit_run **runs, size_t *count, void *arg),
                  void *arg);
/* The same for the runs that the arguments name. */
int runs_use(char *const *arguments, int argument_count,
             int (*use)(pit_run **runs, size_t *count, void *arg), void *arg);

/* Which commit the tool was built from, "" if that is not known; made by cmake/tool.cmake. */
extern const char tool_commit[];

/* compile_flags.c: `pitwall --cflags --libs`, either or both. */
int compile_flags(int argc, char **argv);

/* program_env.c: the environment of a program that the tool starts. tool_relative: sets `found`
 * (PATH_MAX) to the real path of a file relative to the tool's folder; returns 0 if it does not exist,
 * with the tool's folder in `found`. library_find: sets `found` (PATH_MAX) to the path of a Pitwall
 * library next to the tool; returns 0 if it does not exist. */
int tool_relative(const char *way, char *found);
int library_find(const char *file, char *found);

/* Preload the library that counts allocations. 0, or an exit status after the message. */
int alloc_environment(void);

/* Preload the library that adds OpenCL's work to the tree, if `program` is linked with libOpenCL; with
 * NULL: always. 0, or an exit status after the message. */
int opencl_environment(const char *program);

/* The same for the library that measures OpenMP's teams, if `program` is linked with libgomp, libomp or
 * libiomp5. In that case a missing library causes a message, but no failure. */
int openmp_environment(const char *program);

/* Record a program that does not use Pitwall: Python libraries by hooks, functions compiled with
 * -finstrument-functions, and MPI calls. Missing parts cause a message and are left out. 0, or an exit
 * status after the message. */
int auto_environment(const char *program);
/* All of the above that the program seems to need, as `pitwall run` does by default. */
int hooks_environment(const char *program);

/* program_needs.c: is the program linked with a library whose name begins with `library`? 0 if its file
 * cannot be read. */
int program_needs(const char *program, const char *library);
/* Is it a user's program, without Pitwall in it, that none of our hooks records? */
int program_is_plain(const char *program);
int program_is_python(const char *program); /* by its name */

/* regular_file.c: open a file for reading; NULL and *why if it cannot be opened or is not a regular
 * file. */
FILE *regular_file_open(const char *path, const char **why);

#endif

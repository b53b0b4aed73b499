/* main.c: the tool: one of its commands.
 *
 * Standard output is data, standard error is talk. Every command returns an exit status; standard
 * output is flushed and checked here, once, after it.
 */
#include "cli.h"

#include "reader/live_map.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

void (*pipe_signal)(int);

#define ENTRY(name_, run_, summary_) {name_, summary_, run_},
static const struct command commands[] = {COMMANDS(ENTRY)};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

/* A run may be cut while it is read: what is gone reads as zeros then, and the reader says so. */
static void on_bus_error(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    if (pit__live_mend(info->si_addr))
        return;
    signal(number, SIG_DFL); /* none of ours: it ends us */
    raise(number);
}

static void guard_reading(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error};
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGBUS, &action, NULL);
}

static void print_help(FILE *out)
{
    fputs("pitwall: where a program's time goes\n"
          "\n"
          "Usage: pitwall COMMAND [arguments]\n"
          "\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n"
          "  --version  print the version and the commit it was built from\n"
          "  --cflags   print the compiler flags for C programs that use this installation\n"
          "  --libs     print the linker flags for them\n"
          "  --help     print this help; `pitwall COMMAND --help` shows that of a command\n",
          out);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return EXIT_GOOD;
    }
    if (strcmp(name, "--version") == 0) {
        printf(*tool_commit ? "pitwall %s (%s)\n" : "pitwall %s\n", PITWALL_VERSION, tool_commit);
        return EXIT_GOOD;
    }
    if (strcmp(name, "--cflags") == 0 || strcmp(name, "--libs") == 0)
        return compile_flags(argc, argv);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return fail_usage("", *name == '-' ? "unknown option" : "unknown command", name, NULL);
}

/* A standard stream that is closed must not become the number of a file that we open: what we say would
 * go into it. What we start finds it closed, as it was; writing to it fails, as it would. */
static void fill_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv)
{
    fill_streams();
    setlocale(LC_CTYPE, ""); /* numbers stay as they are in C */
    /* a reader that goes away ends a command by its status, so that it can put things in order first */
    pipe_signal = signal(SIGPIPE, SIG_IGN);
    guard_reading();
    int status = run(argc, argv);
    if (status == EXIT_CANNOT_WRITE || status == EXIT_READER_GONE) /* said already */
        return status;
    return finish_output(status);
}

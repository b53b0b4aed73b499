/* main.c: runs one command of the tool.
 *
 * Data goes to standard output, messages to standard error. Every command returns an exit status; after
 * it, standard output is flushed and checked here.
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

/* If a run is truncated while it is read, the missing part reads as zeros and the reader reports it. */
static void on_bus_error(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    if (pit__live_mend(info->si_addr))
        return;
    signal(number, SIG_DFL); /* not caused by a run: die from it */
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

/* If a standard stream is closed, its number must not be reused for a file that we open: messages would be
 * written into that file. Programs that we start still find the stream closed, and writing to it fails. */
static void fill_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv)
{
    fill_streams();
    setlocale(LC_CTYPE, ""); /* numbers keep the format of the C locale */
    /* when the reader goes away, writing fails and the command can clean up before it ends */
    pipe_signal = signal(SIGPIPE, SIG_IGN);
    guard_reading();
    int status = run(argc, argv);
    if (status == EXIT_CANNOT_WRITE || status == EXIT_READER_GONE) /* already reported */
        return status;
    return finish_output(status);
}

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

/* Letters to insert, delete or replace to turn one word into the other. */
static size_t difference(const char *a, const char *b)
{
    size_t row[32], length = strlen(b);
    if (length >= sizeof row / sizeof row[0])
        return SIZE_MAX;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; *a; a++, i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t above = row[j], least = diagonal + (*a != b[j - 1]);
            least = above + 1 < least ? above + 1 : least;
            row[j] = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            diagonal = above;
        }
    }
    return row[length];
}

static int fail_command(const char *name)
{
    char why[64];
    const char *nearest = NULL;
    size_t least = 3;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (difference(name, commands[i].name) < least) {
            least = difference(name, commands[i].name);
            nearest = commands[i].name;
        }
    if (!nearest || *name == '-')
        return fail_usage("", *name == '-' ? "unknown option" : "unknown command", name, NULL);
    snprintf(why, sizeof why, "did you mean %s?", nearest);
    return fail_usage("", "unknown command", name, why);
}

static int run_command(int argc, char **argv)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[0], commands[i].name) == 0)
            return commands[i].run(argc, argv);
    return fail_command(argv[0]);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 && argc > 2 && argv[2][0] != '-') {
        char *words[] = {argv[2], "--help", NULL};
        return run_command(2, words);
    }
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
    return run_command(argc - 1, argv + 1);
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

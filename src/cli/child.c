/* See child.h. The clock runs from just before the fork to the end of the wait: the time that a
 * user waits. */
#include "child.h"

#include "base/clock_ns.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEPT_OUTPUT 65536u

static double now_seconds(void)
{
    return 1e-9 * (double)pit__clock_ns(CLOCK_MONOTONIC);
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* Signals that we handle get their default action in the child, also before exec; ignored signals stay
 * ignored. */
static void use_default(int signal)
{
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
        action = (struct sigaction){.sa_handler = SIG_DFL};
        sigaction(signal, &action, NULL);
    }
}

static _Noreturn void become(char *const *argv, char *const *settings, int output,
                             const sigset_t *mask)
{
    int input = open("/dev/null", O_RDONLY);
    signal(SIGPIPE, SIG_DFL);
    use_default(SIGINT);
    use_default(SIGTERM);
    sigprocmask(SIG_SETMASK, mask, NULL);
    for (size_t i = 0; settings && settings[i]; i++)
        putenv(settings[i]);
    if (input >= 0 && dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2)
        execvp(argv[0], argv);
    int status = errno == ENOENT ? 127 : 126;
    dprintf(2, "%s: %s\n", argv[0], strerror(errno));
    _exit(status);
}

/* An unnamed file, because a pipe would have to be read while the command runs. */
static int output_file(void)
{
    const char *folder = getenv("TMPDIR");
    int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    FILE *file = tmpfile();
    if (!file)
        return -1;
    fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
    fclose(file);
    return fd;
}

static char *read_output(int fd)
{
    char *text = malloc(KEPT_OUTPUT + 1);
    ssize_t got = text ? pread(fd, text, KEPT_OUTPUT, 0) : 0;
    if (text)
        text[got > 0 ? got : 0] = 0;
    return text;
}

static volatile sig_atomic_t running; /* its process id; 0: none */

void child_signal(int signal)
{
    if (running > 0)
        kill((pid_t)running, signal);
}

int child_run(char *const *argv, char *const *settings, struct child *child)
{
    struct rusage usage;
    int output = output_file(), status = 0;
    memset(child, 0, sizeof *child);
    if (output < 0)
        return errno;
    sigset_t all, before;
    sigfillset(&all);
    double begun = now_seconds();
    sigprocmask(SIG_BLOCK, &all, &before); /* so a signal handler always finds its pid */
    pid_t pid = fork();
    int error = pid < 0 ? errno : 0;
    running = pid > 0 ? pid : 0;
    if (pid == 0)
        become(argv, settings, output, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    while (!error && wait4(pid, &status, 0, &usage) < 0)
        error = errno == EINTR ? 0 : errno;
    running = 0;
    child->wall_seconds = now_seconds() - begun;
    if (!error) {
        child->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        child->cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
        child->peak_bytes = (double)usage.ru_maxrss * 1024;
        child->output = read_output(output);
    }
    close(output);
    return error;
}

void child_free(struct child *child)
{
    free(child->output);
    child->output = NULL;
}

/* ---- words --------------------------------------------------------------------------------- */

/* Is {name} at `at`? */
static int is_mark(const char *at, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    return name && *at == '{' && strncmp(at + 1, name, length) == 0 && at[length + 1] == '}';
}

/* The line with {name} replaced by value. */
static char *replaced(const char *line, const char *name, const char *value)
{
    size_t places = 0;
    for (const char *at = line; *at; at++)
        places += (size_t)is_mark(at, name);
    char *text = malloc(strlen(line) + places * (name ? strlen(value) : 0) + 1), *to = text;
    while (text && *line) {
        if (is_mark(line, name)) {
            to = stpcpy(to, value);
            line += strlen(name) + 2;
        } else {
            *to++ = *line++;
        }
    }
    if (text)
        *to = 0;
    return text;
}

/* Unquotes one word in place. Returns where the next word begins; NULL if a quote is not closed. */
static char *take_word(char *at)
{
    char *to = at, quote = 0;
    for (; *at && (quote || !strchr(" \t\n", *at)); at++) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (*at == '\\' && quote != '\'' && at[1])
            *to++ = *++at;
        else
            *to++ = *at;
    }
    if (quote)
        return NULL;
    char *next = *at ? at + 1 : at;
    *to = 0;
    return next;
}

/* Splits `text`, which is changed, into `words`. Returns their number; 0 if a quote is not closed. */
static size_t split(char *text, char **words)
{
    size_t count = 0;
    while (text && *(text += strspn(text, " \t\n"))) {
        words[count++] = text;
        text = take_word(text);
    }
    return text ? count : 0;
}

char **child_words(const char *line, const char *shell, const char *name, const char *value)
{
    char *text = replaced(line, name, value);
    size_t most = text ? strlen(text) / 2 + 5 : 0, count;
    char **words = text ? malloc(most * sizeof *words + strlen(text) + 1) : NULL;
    if (!words) {
        free(text);
        return NULL;
    }
    char *copy = strcpy((char *)(words + most), text);
    free(text);
    if (shell && strcmp(shell, "none") == 0) {
        count = split(copy, words);
    } else {
        words[0] = (char *)(uintptr_t)(shell ? shell : "sh");
        words[1] = (char *)(uintptr_t) "-c";
        words[2] = copy;
        count = 3;
    }
    words[count] = NULL;
    if (count > 0)
        return words;
    free(words);
    return NULL;
}

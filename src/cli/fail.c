/* fail.c: all error messages of the tool. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STANDARD_OUTPUT "standard output"

/* Names come from outside: control characters in them must not reach the terminal. */
static void put_safe(const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            fprintf(stderr, "\\x%02x", c);
        else
            putc(c, stderr);
    }
}

static void put_message(const char *what, const char *path, const char *why)
{
    fputs("pitwall: ", stderr);
    put_safe(what);
    if (path) {
        fputs(": ", stderr);
        put_safe(*path ? path : "''");
    }
    if (why) {
        fputs(": ", stderr);
        put_safe(why);
    }
    putc('\n', stderr);
}

/* Ask the pipe whether its reader has gone; errno may have changed since the failed write. */
static int reader_is_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

int fail(int status, const char *what, const char *path, const char *why)
{
    int is_output = !path || strcmp(path, STANDARD_OUTPUT) == 0;
    if (status == EXIT_CANNOT_WRITE && is_output && reader_is_gone())
        return EXIT_READER_GONE; /* as with `… | head`: not an error */
    put_message(what, path, why);
    return status;
}

int fail_usage(const char *command, const char *what, const char *argument, const char *why)
{
    put_message(what, argument, why);
    fprintf(stderr, "Try `pitwall %s%s--help`.\n", command, *command ? " " : "");
    return EXIT_USAGE;
}

/* getopt has not moved past a word of several letters when one of its letters is wrong. */
int fail_option(const char *command, int answer, char *const *argv)
{
    char letter[3] = {'-', (char)optopt, 0};
    return fail_usage(command, answer == ':' ? "option requires a value" : "unknown option",
                      optopt > 0 && optopt < 256 ? letter : argv[optind - 1], NULL);
}

int fail_printed(int code, const char *what, const char *path)
{
    if (code == PIT_CANNOT_WRITE)
        return fail(EXIT_CANNOT_WRITE, "cannot write", path ? path : STANDARD_OUTPUT,
                    strerror(errno ? errno : EIO));
    return code ? fail(EXIT_CANNOT_READ, what, NULL, pit_strerror(code)) : 0;
}

/* If standard output was closed from the start, that is not an error if we wrote nothing. */
int finish_output(int status)
{
    int bad = fflush(stdout) != 0 || ferror(stdout);
    if (bad || (fclose(stdout) != 0 && errno != EBADF)) {
        const char *why = strerror(errno ? errno : EIO);
        return fail(EXIT_CANNOT_WRITE, "cannot write", STANDARD_OUTPUT, why);
    }
    return status;
}

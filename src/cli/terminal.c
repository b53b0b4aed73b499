/* terminal.c: width, colour and characters of standard output and standard error. */
#include "cli.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NARROWEST 40
#define WIDEST 10000
#define LONG_OUTPUT 10

int parse_width(const char *text, int *width)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end || (number != 0 && (number < NARROWEST || number > WIDEST)))
        return 0;
    *width = (int)number;
    return 1;
}

static int width_of(int fd)
{
    struct winsize size;
    if (!isatty(fd))
        return 0;
    long width = 0;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    const char *columns = getenv("COLUMNS");
    if (width <= 0 && columns)
        width = strtol(columns, NULL, 10);
    if (width <= 0 || width > WIDEST)
        return 80;
    return width < NARROWEST ? NARROWEST : (int)width;
}

/* The eye is at the prompt below the output: ten lines are long, also on a tall screen. */
int output_height(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO))
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
        return size.ws_row < LONG_OUTPUT ? size.ws_row : LONG_OUTPUT;
    return LONG_OUTPUT;
}

/* The value of a variable; NULL if it is unset or empty. */
static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static int colour_of(int fd)
{
    if (setting("NO_COLOR"))
        return 0;
    const char *force = setting("FORCE_COLOR"), *terminal = setting("TERM");
    if (force)
        return strcmp(force, "0") != 0;
    return isatty(fd) && terminal && strcmp(terminal, "dumb") != 0;
}

int output_width(void)
{
    return width_of(STDOUT_FILENO);
}

int output_colour(void)
{
    return colour_of(STDOUT_FILENO);
}

int talk_width(void)
{
    return width_of(STDERR_FILENO);
}

int talk_colour(void)
{
    return colour_of(STDERR_FILENO);
}

int output_ascii(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

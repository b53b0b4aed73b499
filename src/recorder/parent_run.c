/* parent_run.c: the parent run of this process, as given by its environment.
 *
 * PITWALL_PARENT is the run's id in hex, PITWALL_RUN_PID the process that is to use the id for its run:
 * `pitwall run` sets both before the program starts, so that all its child processes can name a run
 * that is not open yet. The program itself uses the id for its own run; every other process
 * that finds it names it as its parent. The environment is read once, when the library is loaded:
 * variables that a process sets later are meant for its children.
 */
#include "own_file.h"
#include "place.h"
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned char parent_id[16];
static int has_parent;
static long program_pid; /* 0: no process is to use the id */
/* the process that has used it: this one, or one that this one was forked from */
static long taken_by;

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

static int parse_id(const char *text, unsigned char *id)
{
    unsigned any = 0;
    for (size_t i = 0; i < 32; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0)
            return 0;
        id[i / 2] = (unsigned char)(i % 2 ? id[i / 2] | digit : digit << 4);
        any |= (unsigned)digit;
    }
    return any && !text[32];
}

void pit__parent_read(void)
{
    const char *id = secure_getenv("PITWALL_PARENT"), *pid = secure_getenv("PITWALL_RUN_PID");
    has_parent = id && parse_id(id, parent_id);
    program_pid = has_parent && pid ? strtol(pid, NULL, 10) : 0;
}

int pit__has_parent(void)
{
    return has_parent;
}

static int is_program(void)
{
    return has_parent && program_pid == (long)getpid();
}

int pit__is_below(void)
{
    return has_parent && !is_program();
}

/* A program that was replaced by exec left its run at this path. */
static int is_taken(const char *path)
{
    struct pit_fmt_header header;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return 0;
    int taken = pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                memcmp(header.run_id, parent_id, sizeof parent_id) == 0;
    close(fd);
    return taken;
}

void pit__take_id(const char *path, unsigned char *id)
{
    /* Do not open its own run: closing it would release its lock. */
    if (!is_program() || taken_by == program_pid || is_taken(path))
        return;
    taken_by = program_pid;
    memcpy(id, parent_id, sizeof parent_id);
}

void pit__give_id(const unsigned char *id)
{
    if (is_program() && taken_by == program_pid && memcmp(id, parent_id, sizeof parent_id) == 0)
        taken_by = 0;
}

int pit__name_inherited(struct pit_fmt_header *header)
{
    int has_other = has_parent && memcmp(header->run_id, parent_id, sizeof parent_id) != 0;
    if (has_other)
        memcpy(header->parent_run_id, parent_id, sizeof parent_id);
    return has_other;
}

/* ---- runs in other folders ------------------------------------------------------------------ */

static int folder_facts(const char *path, struct stat *facts)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (!slash || length >= sizeof folder)
        return 0;
    memcpy(folder, path, length);
    folder[length] = 0;
    return stat(folder, facts) == 0;
}

static int in_one_folder(const char *path, const char *other)
{
    struct stat a, b;
    return folder_facts(path, &a) && folder_facts(other, &b) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* The folder may not exist yet. If no link can be created, the run is found only at its own path: not an
 * error for the program. */
void pit__leave_link(const char *path, const char *above)
{
    char program[PATH_MAX], first[PATH_MAX], name[PATH_MAX];
    if (!has_parent || !path[0] ||
        (!above && pit__path_of_program(program, program_pid ? program_pid : getpid()) != 0))
        return;
    above = above ? above : program;
    if (in_one_folder(path, above) || pit__make_folders(above, name, pit__file_mode(0)) != 0 ||
        pit__path_of_link(first, above) != 0)
        return;
    for (int tries = 0; tries < 3; tries++)
        if (pit__path_beside(name, first, pit__free_beside(first)) != 0 ||
            symlink(path, name) == 0 || errno != EEXIST)
            return;
}

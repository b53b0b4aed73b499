/* Names of run files: templates, the default name, and the name of a child's run in its parent's folder;
 * for this process or for one that it starts. */
#include "own_file.h"
#include "place.h"
#include "recorder.h"

#include "base/file_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_FOLDER "pitwall-runs/"
#define SUFFIX ".pit"

static void host_name(char *text, size_t room)
{
    if (gethostname(text, room) != 0)
        text[0] = 0;
    text[room - 1] = 0;
    for (char *c = text; *c; c++)
        if (*c == '/' || (unsigned char)*c < ' ')
            *c = '_';
    if (!text[0])
        snprintf(text, room, "host");
}

/* The process whose run is named. */
struct whose {
    const char *program;
    long pid;
    time_t start;
    int is_below; /* PITWALL_FILE was meant for a parent process */
};

static void rank_or_pid(char *text, size_t room, const struct whose *whose)
{
    pit__rank(text, room);
    if (!text[0])
        snprintf(text, room, "%ld", whose->pid);
}

/* The default file name, without a folder. */
static void default_name(char *name, size_t room, const struct whose *whose)
{
    char host[65], rank[24], start[32] = "";
    host_name(host, sizeof host);
    rank_or_pid(rank, sizeof rank, whose);
    struct tm parts;
    if (localtime_r(&whose->start, &parts))
        strftime(start, sizeof start, "%Y%m%d-%H%M%S", &parts);
    snprintf(name, room, "%.80s-%s-%s-%s" SUFFIX, whose->program, start, host, rank);
}

/* Append text at *at, with a terminating zero. 0 or ENAMETOOLONG. */
static int append(char *path, size_t *at, const char *text)
{
    size_t length = strlen(text);
    if (*at + length >= PATH_MAX)
        return ENAMETOOLONG;
    memcpy(path + *at, text, length + 1);
    *at += length;
    return 0;
}

static int append_field(char *path, size_t *at, char which, const struct whose *whose)
{
    char text[72];
    switch (which) {
    case 'p':
        snprintf(text, sizeof text, "%ld", whose->pid);
        break;
    case 'r':
        rank_or_pid(text, sizeof text, whose);
        break;
    case 'h':
        host_name(text, sizeof text);
        break;
    case '%':
        snprintf(text, sizeof text, "%%");
        break;
    default: /* unknown: keep it as written */
        snprintf(text, sizeof text, "%%%c", which);
    }
    return append(path, at, text);
}

static int expand_template(char *path, size_t *at, const char *wanted, const struct whose *whose)
{
    int error = 0;
    for (const char *c = wanted; *c && !error; c++) {
        if (*c == '%' && c[1]) {
            error = append_field(path, at, *++c, whose);
        } else {
            char one[2] = {*c, 0};
            error = append(path, at, one);
        }
    }
    return error;
}

/* Absolute, because the program may change its folder before it closes. */
static int start_absolute(char *path, size_t *at, const char *wanted)
{
    path[0] = 0;
    *at = 0;
    if (wanted[0] == '/')
        return 0;
    if (!getcwd(path, PATH_MAX))
        return errno;
    *at = strlen(path);
    return append(path, at, "/");
}

/* Length of path without its ".pit". */
static size_t stem_length(const char *path)
{
    size_t length = strlen(path), suffix = strlen(SUFFIX);
    if (length > suffix && strcmp(path + length - suffix, SUFFIX) == 0)
        return length - suffix;
    return length;
}

/* `stem` + between + the suffix that path had. 0 or ENAMETOOLONG. */
static int insert_before_suffix(char *to, const char *path, const char *between)
{
    int stem = (int)stem_length(path);
    int length = snprintf(to, PATH_MAX, "%.*s%s%s", stem, path, between, path + stem);
    return length < PATH_MAX ? 0 : ENAMETOOLONG;
}

/* Does the template give each process a different name? */
static int tells_processes_apart(const char *wanted)
{
    return strstr(wanted, "%p") || strstr(wanted, "%r");
}

/* The name in the environment is for the program that was started with it; its child processes get a
 * name in the same folder. */
static int name_below(char *path, long pid)
{
    char beside[PATH_MAX], between[32];
    snprintf(between, sizeof between, "-spawn%ld", pid);
    int error = insert_before_suffix(beside, path, between);
    if (!error)
        memcpy(path, beside, strlen(beside) + 1);
    return error;
}

static int expand(char *path, const char *wanted, const struct whose *whose)
{
    char name[PATH_MAX];
    int from_environment = !wanted || !*wanted;
    if (from_environment)
        wanted = secure_getenv("PITWALL_FILE");
    if (!wanted || !*wanted)
        wanted = DEFAULT_FOLDER;
    size_t at;
    int error = start_absolute(path, &at, wanted);
    if (!error)
        error = expand_template(path, &at, wanted, whose);
    if (error)
        return error;
    struct stat found;
    int is_folder = path[at - 1] == '/' || (stat(path, &found) == 0 && S_ISDIR(found.st_mode));
    if (!is_folder)
        return from_environment && whose->is_below && !tells_processes_apart(wanted)
                   ? name_below(path, whose->pid)
                   : 0;
    if (path[at - 1] != '/')
        error = append(path, &at, "/");
    default_name(name, sizeof name, whose);
    return error ? error : append(path, &at, name);
}

int pit__path_expand(char *path, const char *wanted)
{
    struct pit__program program;
    pit__program_own(&program);
    struct whose whose = {program.name, (long)getpid(), time(NULL), pit__is_below()};
    return expand(path, wanted, &whose);
}

struct named { /* the arguments and the result of pit_run_path */
    char *path;
    size_t room;
    const char *wanted;
    const char *const *argv;
    long pid;
    uint64_t start_wall_ns;
    int code;
};

static void name_run(void *arg)
{
    struct named *named = arg;
    char made[PATH_MAX];
    struct pit__program program;
    pit__program_of(&program, named->argv);
    struct whose whose = {program.name, named->pid, (time_t)(named->start_wall_ns / 1000000000u),
                          pit__has_parent()};
    int fits = expand(made, named->wanted, &whose) == 0 && strlen(made) < named->room;
    if (fits)
        memcpy(named->path, made, strlen(made) + 1);
    named->code = fits ? PIT_OK : PIT_BAD_ARGUMENT;
}

int pit_run_path(char *path, size_t room, const char *wanted, const char *const *argv, long pid,
                 uint64_t start_wall_ns)
{
    if (!path || !argv || !argv[0])
        return PIT_BAD_ARGUMENT;
    struct named named = {path, room, wanted, argv, pid, start_wall_ns, PIT_BUSY};
    pit__with_room(name_run, &named);
    return named.code;
}

int pit__path_of_program(char *path, long pid)
{
    struct pit__program program;
    const char *wanted = secure_getenv("PITWALL_FILE");
    if (!wanted || !*wanted)
        return ENOENT;
    pit__program_own(&program);
    struct whose whose = {program.name, pid, time(NULL), 0};
    return expand(path, NULL, &whose);
}

int pit__path_of_link(char *path, const char *above)
{
    char between[32];
    snprintf(between, sizeof between, "-link%ld", (long)getpid());
    return insert_before_suffix(path, above, between);
}

int pit__path_of_child(char *path, const char *parent_path)
{
    char between[32];
    snprintf(between, sizeof between, "-fork%ld", (long)getpid());
    return insert_before_suffix(path, parent_path, between);
}

int pit__path_beside(char *beside, const char *path, int number)
{
    char between[16] = "";
    if (number > 1)
        snprintf(between, sizeof between, "-%d", number);
    return insert_before_suffix(beside, path, between);
}

/* Is the name free? A link with this name counts as taken. */
static int is_free(const char *path, int number)
{
    char name[PATH_MAX];
    struct stat found;
    return pit__path_beside(name, path, number) != 0 || lstat(name, &found) != 0;
}

int pit__free_beside(const char *path)
{
    int taken = 0, free_one = 1; /* invariant: `taken` is taken (or 0), `free_one` was free */
    while (free_one < PIT__MOST_BESIDE && !is_free(path, free_one)) {
        taken = free_one;
        free_one *= 2;
    }
    while (free_one - taken > 1) {
        int middle = taken + (free_one - taken) / 2;
        if (is_free(path, middle))
            free_one = middle;
        else
            taken = middle;
    }
    return free_one;
}

#define TRIES 1000 /* another process may take the name that was just free */

int pit__create_beside(char *path, uint32_t mode)
{
    char tried[PATH_MAX];
    int number = 1, fd = -1;
    if (pit__is_not_a_file(path)) {
        errno = EINVAL;
        return -1;
    }
    errno = EEXIST;
    for (int i = 0; i < TRIES && fd < 0 && errno == EEXIST; i++) {
        if (pit__path_beside(tried, path, number) != 0) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open(tried, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd < 0 && errno == EEXIST) {
            number = pit__free_beside(path);
            errno = EEXIST;
        }
    }
    if (fd < 0)
        return -1;
    fd = pit__moved_up(fd);
    if (fd >= 0)
        memcpy(path, tried, strlen(tried) + 1);
    else
        unlink(tried); /* it is empty */
    return fd;
}

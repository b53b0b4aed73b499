/* Run facts about the program and the machine, collected once at open. */
#include "place.h"
#include "recorder.h"

#include "device/gpu_table.h"
#include "device/rapl_domains.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

void pit__random(void *bytes, size_t count)
{
    if (getrandom(bytes, count, GRND_NONBLOCK) == (ssize_t)count)
        return;
    /* Early boot or an old kernel: unique enough to tell runs apart. */
    uint64_t seed = pit__clock_monotonic_ns() ^ (uint64_t)getpid() << 32;
    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        ((unsigned char *)bytes)[i] = (unsigned char)(seed >> 56);
    }
}

/* The text of a small file, without its last newline; -1 if it cannot be read. */
static ssize_t read_text(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t got = read(fd, text, room - 1);
    close(fd);
    if (got < 0)
        return -1;
    while (got > 0 && text[got - 1] == '\n')
        got--;
    text[got] = 0;
    return got;
}

static void add(pit_recorder *rec, const char *key, const char *value)
{
    if (value && *value)
        pit__fact_add(rec, key, value);
}

ssize_t pit__command_line(char *text, size_t room)
{
    return read_text("/proc/self/cmdline", text, room);
}

static void add_program(pit_recorder *rec, const struct pit__program *program)
{
    add(rec, "program", program->name);
    add(rec, "interpreter", program->interpreter);
}

static void add_arguments(pit_recorder *rec)
{
    char text[4096];
    ssize_t length = pit__command_line(text, sizeof text);
    if (length <= 0)
        return;
    const char *end = text + length, *first = text + strlen(text) + 1;
    for (char *c = text; c < end - 1; c++)
        if (!*c)
            *c = ' ';
    if (first < end)
        add(rec, "arguments", first);
}

static void add_cpu(pit_recorder *rec)
{
    char text[4096];
    if (read_text("/proc/cpuinfo", text, sizeof text) <= 0)
        return;
    char *line = strstr(text, "model name");
    char *value = line ? strchr(line, ':') : NULL;
    char *end = value ? strchr(value, '\n') : NULL;
    if (!end)
        return;
    *end = 0;
    add(rec, "cpu", value + 1 + strspn(value + 1, " \t"));
}

static void add_machine(pit_recorder *rec)
{
    struct utsname name;
    char text[400];
    if (uname(&name) == 0) {
        add(rec, "host", name.nodename);
        snprintf(text, sizeof text, "%s %s %s", name.sysname, name.release, name.machine);
        add(rec, "kernel", text);
    }
    add_cpu(rec);
    snprintf(text, sizeof text, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    add(rec, "cpus", text);
}

static void add_start(pit_recorder *rec, time_t start)
{
    char text[48];
    struct tm parts;
    if (!localtime_r(&start, &parts))
        return;
    size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &parts);
    if (length > 5) { /* +0200 becomes +02:00 */
        memmove(text + length - 1, text + length - 2, 3);
        text[length - 2] = ':';
    }
    add(rec, "start", text);
}

/* The folder searched for hardware, if not /sys; and why there are no energy counters. */
static void add_devices(pit_recorder *rec)
{
    add(rec, "sysfs", pit__sysfs_fake());
    add(rec, "no_rapl", pit__rapl_find()->why);
    add(rec, "no_gpu", pit__gpus_find()->why);
}

/* ---- the git commit, without running git --------------------------------------------------- */

/* path as seen from folder; 0 if it is too long. */
static int join(char *to, size_t room, const char *folder, const char *path)
{
    int length =
        path[0] == '/' ? snprintf(to, room, "%s", path) : snprintf(to, room, "%s/%s", folder, path);
    return length < (int)room;
}

/* Set `git` to the .git folder of the nearest folder upwards that has one. */
static int find_git(char *git, size_t room)
{
    char folder[PATH_MAX], pointer[PATH_MAX];
    if (!getcwd(folder, sizeof folder))
        return 0;
    for (;;) {
        struct stat found;
        if (snprintf(git, room, "%s/.git", folder) >= (int)room)
            return 0;
        if (stat(git, &found) == 0) {
            if (S_ISDIR(found.st_mode))
                return 1;
            /* a worktree or a submodule: the file says "gitdir: PATH" */
            return read_text(git, pointer, sizeof pointer) > 8 &&
                   strncmp(pointer, "gitdir: ", 8) == 0 && join(git, room, folder, pointer + 8);
        }
        char *last = strrchr(folder, '/');
        if (!last || last == folder)
            return 0;
        *last = 0;
    }
}

/* packed-refs has lines "commit refname". */
static int find_packed(const char *git, const char *ref, char *commit)
{
    char path[PATH_MAX + 32], line[512];
    snprintf(path, sizeof path, "%s/packed-refs", git);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    int found = 0;
    while (!found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        found = strlen(line) > 41 && line[40] == ' ' && strcmp(line + 41, ref) == 0;
    }
    fclose(file);
    if (found)
        snprintf(commit, 41, "%.40s", line);
    return found;
}

/* Resolve a ref. A worktree has its own HEAD; its refs are in the folder of the main one. */
static int find_ref(const char *git, const char *ref, char *commit, size_t room)
{
    char path[PATH_MAX + 600], common[PATH_MAX], folder[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", git, ref);
    if (read_text(path, commit, room) > 0)
        return 1;
    snprintf(path, sizeof path, "%s/commondir", git);
    if (read_text(path, common, sizeof common) <= 0)
        return find_packed(git, ref, commit);
    if (!join(folder, sizeof folder, git, common))
        return 0;
    snprintf(path, sizeof path, "%s/%s", folder, ref);
    return read_text(path, commit, room) > 0 || find_packed(folder, ref, commit);
}

static void add_git(pit_recorder *rec)
{
    char git[PATH_MAX], head[512], path[PATH_MAX + 600], commit[128] = "";
    if (!find_git(git, sizeof git))
        return;
    snprintf(path, sizeof path, "%s/HEAD", git);
    if (read_text(path, head, sizeof head) <= 0)
        return;
    if (strncmp(head, "ref: ", 5) != 0)
        snprintf(commit, sizeof commit, "%.64s", head);
    else if (!find_ref(git, head + 5, commit, sizeof commit))
        return;
    if (strlen(commit) >= 40 && strspn(commit, "0123456789abcdef") == strlen(commit))
        add(rec, "git", commit);
}

static void add_labels(pit_recorder *rec, const char *const *labels)
{
    char key[256];
    for (; labels && *labels; labels++) {
        const char *equals = strchr(*labels, '=');
        if (!equals || equals == *labels || equals - *labels > 200)
            continue;
        snprintf(key, sizeof key, "label.%.*s", (int)(equals - *labels), *labels);
        pit__fact_add(rec, key, equals + 1);
    }
}

/* PITWALL_LABELS: one "key=value" per line. */
static void add_environment_labels(pit_recorder *rec)
{
    char line[4400];
    const char *text = secure_getenv("PITWALL_LABELS");
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        if (length < sizeof line) {
            const char *const one[] = {line, NULL};
            memcpy(line, text, length);
            line[length] = 0;
            add_labels(rec, one);
        }
        text += length + (text[length] == '\n');
    }
}

static void boot_id(unsigned char *id)
{
    char text[64];
    if (read_text("/proc/sys/kernel/random/boot_id", text, sizeof text) <= 0)
        return;
    unsigned at = 0, value;
    for (char *c = text; *c && at < 16; c++)
        if (*c != '-' && c[1] && sscanf(c, "%2x", &value) == 1) {
            id[at++] = (unsigned char)value;
            c++;
        }
}

/* Facts about the machine: for this process and for one that it starts. */
static void add_place(pit_recorder *rec, const char *path, long pid)
{
    char text[PATH_MAX];
    if (getcwd(text, sizeof text))
        add(rec, "cwd", text);
    add(rec, "path", path);
    snprintf(text, sizeof text, "%ld", pid);
    add(rec, "pid", text);
    add_machine(rec);
    pit__launcher_facts(add, rec);
}

void pit__facts_write(pit_recorder *rec, const pit_options *options)
{
    struct pit__program program;
    boot_id(rec->header->boot_id);
    pit__program_own(&program);
    add_program(rec, &program);
    add_arguments(rec);
    add_place(rec, rec->path, (long)getpid());
    if (!pit__is_bare_clone()) { /* the calendar and files by FILE take locks of libc */
        add_start(rec, time(NULL));
        add_git(rec);
    }
    add_devices(rec);
    add_environment_labels(rec);
    add_labels(rec, options->labels);
}

void pit__facts_of_other(pit_recorder *rec, const char *path, const char *const *argv,
                         const pit_ended *ended)
{
    char text[4096] = "";
    size_t used = 0;
    struct pit__program program;
    boot_id(rec->header->boot_id);
    pit__program_of(&program, argv);
    add_program(rec, &program);
    for (size_t i = 1; argv[i] && used < sizeof text; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 1 ? " " : "", argv[i]);
    add(rec, "arguments", text);
    add_place(rec, path, ended->pid);
    add_start(rec, (time_t)(ended->start_wall_ns / 1000000000u));
    add_git(rec);
    add_environment_labels(rec);
}

/* See cgroup_folder.h. A version 1 controller is mounted under its own name, or several together
 * under a list of names; version 2 has one tree for all; used together with version 1, in `unified`. */
#include "cgroup_folder.h"

#include "sample_source.h"

#include <stdio.h>
#include <string.h>

struct pit__cgroup_tree pit__cgroup_tree = {"/sys/fs/cgroup", "/proc/self/cgroup"};

/* A container may see its own cgroup as the root, whatever its path says. */
static int try_mount(struct pit__cgroup_folder *folder, const struct pit__controller *controller,
                     int version, const char *mount, const char *path)
{
    char file[PIT__CGROUP_FILE_BYTES], text[64];
    const char *const paths[] = {path, "/"};
    folder->version = version;
    for (int i = 0; i < 2; i++) {
        snprintf(folder->path, sizeof folder->path, "%s%s%s%s", pit__cgroup_tree.root,
                 *mount ? "/" : "", mount, paths[i][1] ? paths[i] : "");
        pit__cgroup_file(folder, controller->v1_file, controller->v2_file, file, sizeof file);
        if (pit__file_text(file, text, sizeof text))
            return 1;
    }
    return folder->version = 0;
}

static int is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == 0 || at[length] == ','))
            return 1;
    }
    return 0;
}

int pit__cgroup_find(struct pit__cgroup_folder *folder, const struct pit__controller *controller)
{
    char text[4096], *save = NULL;
    folder->version = 0;
    if (!pit__file_text(pit__cgroup_tree.own, text, sizeof text))
        return 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *names = strchr(line, ':');
        char *path = names ? strchr(++names, ':') : NULL;
        if (!path)
            continue;
        *path++ = 0;
        if (*names == 0 && (try_mount(folder, controller, 2, "", path) ||
                            try_mount(folder, controller, 2, "unified", path)))
            return 1;
        if (is_listed(names, controller->name) &&
            (try_mount(folder, controller, 1, controller->name, path) ||
             try_mount(folder, controller, 1, names, path)))
            return 1;
    }
    return 0;
}

void pit__cgroup_file(const struct pit__cgroup_folder *folder, const char *v1, const char *v2,
                      char *file, size_t room)
{
    snprintf(file, room, "%s/%s", folder->path, folder->version == 2 ? v2 : v1);
}

int pit__cgroup_up(struct pit__cgroup_folder *folder)
{
    char *last = strrchr(folder->path, '/');
    if (folder->version && last && strlen(folder->path) > strlen(pit__cgroup_tree.root))
        *last = 0;
    else
        folder->version = 0;
    return folder->version != 0;
}

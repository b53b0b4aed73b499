/* Finds the cgroup folder of the process for one controller. */
#ifndef PIT_CGROUP_FOLDER_H
#define PIT_CGROUP_FOLDER_H

#include <stddef.h>

#define PIT__CGROUP_FOLDER_BYTES 1024
#define PIT__CGROUP_FILE_BYTES 1200

struct pit__cgroup_folder {
    int version; /* 0: none */
    char path[PIT__CGROUP_FOLDER_BYTES];
};

/* What to look for. The folder that has the file of its version is used. */
struct pit__controller {
    const char *name; /* as version 1 lists it: "memory" */
    const char *v1_file, *v2_file;
};

/* Where cgroups are mounted, and the list of the process's groups. Tests replace these. */
struct pit__cgroup_tree {
    const char *root, *own;
};
extern struct pit__cgroup_tree pit__cgroup_tree;

/* 1 if there is such a folder. */
int pit__cgroup_find(struct pit__cgroup_folder *folder, const struct pit__controller *controller);

/* The path of a file in the folder. */
void pit__cgroup_file(const struct pit__cgroup_folder *folder, const char *v1, const char *v2,
                      char *file, size_t room);

/* Go to the parent group. 0: the folder was the topmost visible one; there is no folder now. */
int pit__cgroup_up(struct pit__cgroup_folder *folder);

#endif

/* place.h: where a run is kept, its name, its parent, and the facts about its process. */
#ifndef PIT_PLACE_H
#define PIT_PLACE_H

#include "recorder.h"

/* Create the run's file and map it, or continue in memory. 0, PIT_NO_FILE or PIT_NO_MEMORY. */
int pit__place_run(pit_recorder *rec, const char *wanted, uint64_t max_bytes);
/* Create a new file at path or, if it is taken, at the next free name; path (PATH_MAX) is set to it.
 * The descriptor, or -1 with errno. */
int pit__create_beside(char *path, uint32_t mode);
/* Is the file at the recorder's path its own, or none? */
int pit__path_is_ours(const pit_recorder *rec);
/* The number of a free name, found in few steps however many are taken. */
int pit__free_beside(const char *path);
/* The name with this number, from 1 on; 1 is path itself. 0 or an errno. */
#define PIT__MOST_BESIDE 10000000
int pit__path_beside(char *beside, const char *path, int number);
/* Create the folders of path for files of this mode; `folder` (PATH_MAX) gets the last one. 0 or an
 * errno. */
int pit__make_folders(const char *path, char *folder, uint32_t file_mode);
/* A recorder in memory that never records: to lay out a run by hand. NULL without memory. */
pit_recorder *pit__recorder_blank(void);
/* stay_loaded.c: keep the object that contains the library from being unloaded. */
void pit__stay_loaded(void);
/* Expand a template into path (PATH_MAX): default name if NULL. 0 or an errno. */
int pit__path_expand(char *path, const char *wanted);
/* The path of a child's run, in the folder of its parent's. 0 or an errno. */
int pit__path_of_child(char *path, const char *parent_path);
/* Where the program with that pid is to write its run, as set by `pitwall run`. 0 or an errno. */
int pit__path_of_program(char *path, long pid);
/* The path of a link from the folder of the parent run to this process's run. 0 or an errno. */
int pit__path_of_link(char *path, const char *above);
/* parent_run.c: read the environment, once. */
void pit__parent_read(void);
/* Has this process a parent run? */
int pit__has_parent(void);
/* The same, but this is not the program that the parent's run id was meant for? */
int pit__is_below(void);
/* For the run that is about to be created at `path`: if the environment gives this process a run id, and
 * it was not used yet, `id` is set to it. */
void pit__take_id(const char *path, unsigned char *id);
/* The run with this id was removed: the next one may use it. */
void pit__give_id(const unsigned char *id);
/* Store the parent given by the environment, if any; 1 if there is one. */
int pit__name_inherited(struct pit_fmt_header *header);
/* If a run under `pitwall run` is in another folder than its parent (`above`; NULL: from the environment),
 * leave a link there, by which readers of the parent find it. */
void pit__leave_link(const char *path, const char *above);
void pit__random(void *bytes, size_t count);
void pit__facts_write(pit_recorder *rec, const pit_options *options);
/* The same for another process, which this one started. */
void pit__facts_of_other(pit_recorder *rec, const char *path, const char *const *argv,
                         const pit_ended *ended);
/* launcher.c: the rank of this process in `text`, or "" if there is none. */
void pit__rank(char *text, size_t room);
/* The facts given by the launcher: rank, world_size, job, …; `add` ignores NULL and "". */
void pit__launcher_facts(void (*add)(pit_recorder *rec, const char *key, const char *value),
                         pit_recorder *rec);
/* The arguments of this process, separated by zero bytes; their length, or -1. */
ssize_t pit__command_line(char *text, size_t room);
/* program_name.c: names. For a Python script, the script is the program and Python its interpreter. */
struct pit__program {
    char name[256];
    char interpreter[64]; /* "" if there is none */
};
void pit__program_of(struct pit__program *program, const char *const *argv);
void pit__program_own(struct pit__program *program); /* of this process */

#endif

/* place.h: where a run lies, what it is called, what it was started by, and what is known of its process. */
#ifndef PIT_PLACE_H
#define PIT_PLACE_H

#include "recorder.h"

/* Make the run's file and map it, or go on in memory. 0, PIT_NO_FILE or PIT_NO_MEMORY. */
int pit__place_run(pit_recorder *rec, const char *wanted, uint64_t max_bytes);
/* Make a new file at path or, if it is taken, beside it; path (PATH_MAX) becomes its name.
 * The descriptor, or -1 with errno. */
int pit__create_beside(char *path, uint32_t mode);
/* The number of a name that is free, found in few steps however many there are. */
int pit__free_beside(const char *path);
/* The name that is tried as the number-th, from 1, which is path itself. 0 or an errno. */
#define PIT__MOST_BESIDE 10000000
int pit__path_beside(char *beside, const char *path, int number);
/* Make the folders of path for files of this mode; `folder` (PATH_MAX) gets the last one. 0 or an
 * errno. */
int pit__make_folders(const char *path, char *folder, uint32_t file_mode);
/* Is it the device that swallows everything? */
int pit__is_null_device(const char *path);
/* A recorder in memory that nothing is recorded in: to lay out a run by hand. NULL without memory. */
pit_recorder *pit__recorder_blank(void);
/* Expand a template into path (PATH_MAX): default name if NULL. 0 or an errno. */
int pit__path_expand(char *path, const char *wanted);
/* path of a child's run beside its parent's. 0 or an errno. */
int pit__path_of_child(char *path, const char *parent_path);
/* Where `pitwall run` has told the program with that pid to leave its run. 0 or an errno. */
int pit__path_of_program(char *path, long pid);
/* path of a link that leads from the folder of the run above to this process's. 0 or an errno. */
int pit__path_of_link(char *path, const char *above);
/* parent_run.c: read the environment, once. */
void pit__parent_read(void);
/* Was this process started below a run? */
int pit__has_parent(void);
/* The same, without being the program that the run is to be of? */
int pit__is_below(void);
/* For the run that is about to be made at `path`, as the environment says: where this process is that
 * program, and has not taken the run's id yet, `id` becomes it. */
void pit__take_id(const char *path, unsigned char *id);
/* The run with this id is gone: the next one may take it. */
void pit__give_id(const unsigned char *id);
/* Name the parent that the environment tells of, if any; 1 if there is one. */
int pit__name_inherited(struct pit_fmt_header *header);
/* A run below `pitwall run` that is in another folder than the one above it (`above`; NULL: as the
 * environment tells): leave a link there, so that whoever reads that one finds this one. */
void pit__leave_link(const char *path, const char *above);
void pit__random(void *bytes, size_t count);
void pit__facts_write(pit_recorder *rec, const pit_options *options);
/* The same of another process, which this one started. */
void pit__facts_of_other(pit_recorder *rec, const char *path, const char *const *argv,
                         const pit_ended *ended);
/* launcher.c: the rank of this process in `text`, or "" where there is none. */
void pit__rank(char *text, size_t room);
/* What the launcher tells: rank, world_size, job, …; `add` ignores NULL and "". */
void pit__launcher_facts(void (*add)(pit_recorder *rec, const char *key, const char *value),
                         pit_recorder *rec);
/* Of this process, zero bytes between its arguments; their length, or -1. */
ssize_t pit__command_line(char *text, size_t room);
/* program_name.c: what is called how. A script of Python is a program, Python its interpreter. */
struct pit__program {
    char name[256];
    char interpreter[64]; /* "" where there is none */
};
void pit__program_of(struct pit__program *program, const char *const *argv);
void pit__program_own(struct pit__program *program); /* of this process */

#endif

/* own_file.h: the file of a live run: its permissions, its descriptor, the lock that shows that it is live. */
#ifndef PIT_OWN_FILE_H
#define PIT_OWN_FILE_H

#include "recorder.h"

/* Permissions for new run files: the program's, else PITWALL_MODE, else 0644; the umask applies too. */
uint32_t pit__file_mode(unsigned asked);
/* The file was just created as fd: remove the write permission while the run is live. */
void pit__file_begin(pit_recorder *rec, int fd);
/* The run is finished: restore the permissions. */
void pit__file_rest(pit_recorder *rec);
/* The run's descriptor in the calling thread's table, opened again if it was lost; -1 if that fails. Call with
 * the lock held. */
int pit__own_descriptor(pit_recorder *rec);
/* Is its descriptor that of the mapped file, and not closed by the program? */
int pit__has_descriptor(const pit_recorder *rec);
/* Checked by the sampler: the file still has its length, and the lock is held. */
struct pit__file_watch {
    int has_table;               /* the thread has a separate table of descriptors */
    int fd;                      /* of the run's file, in that table; -1: not open */
    int is_locked, has_searched; /* has_searched: for the file under another name */
    unsigned turns;              /* readings without that lock */
};
void pit__file_watch(pit_recorder *rec, struct pit__file_watch *watch);
/* Write into the header how other processes can see that this process is alive. */
void pit__name_process(pit_recorder *rec);

/* Give a new descriptor a number that a program does not expect for its own next file, and never that of
 * standard input, output or error. Returns -1 with errno, and closes fd, if there is none. */
int pit__moved_up(int fd);

#endif

/* child.h: run a command to its end and measure it. */
#ifndef CHILD_H
#define CHILD_H

#include <stddef.h>
#include <stdint.h>

struct child {
    double wall_seconds;
    double cpu_seconds; /* user and system, of the command and its children */
    double peak_bytes;  /* of the largest of these processes */
    int status;         /* its exit status; 128 + the signal it was killed by; 127 or 126: it could
                             not be started */
    char *output;       /* first 64 kB of standard output and error; freed by child_free */
};

/* argv ended by NULL; settings "NAME=value" are put into its environment, ended by NULL, or NULL. Its
 * input is empty. 0, or an errno: there is no child. */
int child_run(char *const *argv, char *const *settings, struct child *child);
void child_free(struct child *child);

/* Send a signal to the command that runs now, if one does. For signal handlers. */
void child_signal(int signal);

/* A command line as words for child_run: by the shell ("sh -c"), or with shell "none" split at blanks
 * outside of quotes. {NAME} becomes value (name NULL: no replacement). NULL without memory, or if a
 * quote is not closed. One block, freed by free(). */
char **child_words(const char *line, const char *shell, const char *name, const char *value);

#endif

/* A run in shared memory whose process is killed before its first copy reaches its path: this program
 * replaces the rename function and kills itself in the rename that would put the copy there. With the
 * argument "late" it does so in the second rename, at the close. */
#include "pitwall.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int renames_left;

int rename(const char *from, const char *to)
{
    if (renames_left-- == 0)
        raise(SIGKILL);
    return (int)syscall(SYS_renameat2, -100, from, -100, to, 0);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 99;
    renames_left = argc > 2 && strcmp(argv[2], "late") == 0;
    pit_open(argv[1], NULL);
    for (int i = 0; i < 5; i++)
        PIT_SPAN("before") {
        }
    pit_close();
    puts("done");
    return 0;
}

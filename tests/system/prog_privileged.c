/* Records one span and prints whether it was recorded: "recording N". With an argument it calls pit_open
 * first, with that path, or with NULL if it is "-". The test makes it a set-user-id program. */
#include "pitwall.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
    umask(0);
    if (argc > 1)
        printf("open %d\n", pit_open(strcmp(argv[1], "-") == 0 ? NULL : argv[1], NULL));
    PIT_SPAN("work") {
    }
    pit_status status;
    pit_get_status(NULL, &status);
    printf("recording %d\n", status.recording);
    printf("close %d\n", pit_close());
    return 0;
}

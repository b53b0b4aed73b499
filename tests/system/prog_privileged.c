/* One span, and what the recorder makes of it: "recording N". With an argument pit_open is called first:
 * with it as the path, or with none if it is "-". Its test makes it a set-user-id program. */
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

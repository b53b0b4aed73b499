/* See comm_names.h. */
#include "comm_names.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define NAME_MOST 80

/* Letters and digits in lower case: "All-Reduce" becomes allreduce. */
static void plain(const char *name, char out[NAME_MOST + 1])
{
    size_t n = 0;
    for (; *name && n < NAME_MOST; name++)
        if (isalnum((unsigned char)*name))
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = 0;
}

int pit__is_comm_name(const char *name)
{
    static const char *const wholes[] = {"comm",     "communication", "communicate", "send",
                                         "recv",     "receive",       "sync",        "synchronize",
                                         "exchange", "halo",          "reduce",      "gather",
                                         "scatter",  "nccl",          "gloo"};
    static const char *const inside[] = {"allreduce", "allgather",    "alltoall", "reducescatter",
                                         "broadcast", "bcast",        "barrier",  "sendrecv",
                                         "gradsync",  "haloexchange", "syncgrad", "gradientsync"};
    char text[NAME_MOST + 1];
    if (strncmp(name, "MPI_", 4) == 0 || strncmp(name, "mpi_", 4) == 0)
        return 1;
    plain(name, text);
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++)
        if (strcmp(text, wholes[i]) == 0)
            return 1;
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++)
        if (strstr(text, inside[i]))
            return 1;
    return 0;
}

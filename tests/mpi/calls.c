/* calls: MPI as programs use it; the first argument selects the case. Each rank writes the calls it made
 * into the file said-RANK, as "rank name calls bytes", so that a test can compare them with the run. Files,
 * because a launcher may mix the output of ranks. */
#include <mpi.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
static FILE *words;

static void say(const char *name, long calls, long bytes)
{
    fprintf(words, "%d %s %ld %ld\n", rank, name, calls, bytes);
}

/* The messages that this rank sends, by rank of the world and by size; size class i is from 2^(i-1) to
 * below 2^i. */
#define MOST 64
static long to_count[MOST], to_bytes[MOST], count_of[2][MOST], bytes_of[2][MOST];

static void note_size(int is_collective, long bytes, long times)
{
    int class = 0;
    while (bytes >> class)
        class ++;
    count_of[is_collective][class] += times;
    bytes_of[is_collective][class] += times * bytes;
}

static void sends(int to, long bytes, long times)
{
    to_count[to] += times;
    to_bytes[to] += times * bytes;
    note_size(0, bytes, times);
}

static void gives(long bytes, long times)
{
    note_size(1, bytes, times);
}

static void say_messages(void)
{
    char name[32];
    say("messages", 0, 0);
    for (int i = 0; i < MOST; i++) {
        snprintf(name, sizeof name, "to:%d", i);
        if (to_count[i])
            say(name, to_count[i], to_bytes[i]);
        for (int kind = 0; kind < 2; kind++) {
            snprintf(name, sizeof name, "%s:%d", kind ? "all" : "size", i);
            if (count_of[kind][i])
                say(name, count_of[kind][i], bytes_of[kind][i]);
        }
    }
}

/* Send to the next rank and receive from the previous one; messages are smaller than the buffers. */
static void point_to_point(void)
{
    double out[100] = {0}, in[200];
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Request requests[2];
    for (int i = 0; i < 20; i++) {
        MPI_Irecv(in, 200, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 100, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Sendrecv(out, 50, MPI_DOUBLE, next, 2, in, 200, MPI_DOUBLE, before, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 5; i++) { /* the even ones send first */
        MPI_Status status;
        int other = rank % 2 ? rank - 1 : rank + 1;
        if (rank % 2 == 0 && other < ranks) {
            MPI_Send(out, 10, MPI_INT, other, 3, MPI_COMM_WORLD);
            MPI_Recv(in, 100, MPI_CHAR, other, 4, MPI_COMM_WORLD, &status);
        } else if (rank % 2) {
            MPI_Probe(other, 3, MPI_COMM_WORLD, &status);
            MPI_Recv(in, 100, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, 7, MPI_CHAR, other, 4, MPI_COMM_WORLD);
        }
    }
    sends(next, 800, 20);
    sends(next, 400, 20);
    if (rank % 2 || rank + 1 < ranks)
        sends(rank % 2 ? rank - 1 : rank + 1, rank % 2 ? 7 : 40, 5);
    MPI_Send(out, 10, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD); /* to no rank: no message */
    say("MPI_Irecv", 20, 0);
    say("MPI_Isend", 20, 20 * 800);
    say("MPI_Waitall", 20, 0);
    say("MPI_Sendrecv", 20, 20 * 400);
    say("MPI_Send", 6, 40 + (rank % 2 ? 5 * 7 : 5 * 40));
    say("MPI_Recv", 5, rank % 2 ? 5 * 40 : 5 * 7);
    if (rank % 2)
        say("MPI_Probe", 5, 0);
}

static __attribute__((noinline)) void collectives(void)
{
    int *out = calloc((size_t)ranks * 8, sizeof *out), *in = calloc((size_t)ranks * 8, sizeof *in);
    int counts[64], starts[64], sum = 0;
    for (int i = 0; i < ranks; i++) {
        counts[i] = i + 1;
        starts[i] = sum;
        sum += i + 1;
    }
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < 3; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Bcast(out, 4, pair, 0, MPI_COMM_WORLD);
        MPI_Allreduce(out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Reduce(out, in, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
        MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, starts, MPI_INT, MPI_COMM_WORLD);
        MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Request request;
        MPI_Iallreduce(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&pair);
    gives(32, 3);
    gives(20, 6);
    gives(12, 3);
    gives(8, 3);
    gives(rank == 0 ? 8 * ranks : 0, 3);
    gives(8, 6);
    gives(8 * ranks, 3);
    gives(4 * (rank + 1), 3);
    gives(4, 3);
    gives(8, 3);
    say("MPI_Barrier", 3, 0);
    say("MPI_Bcast", 3, 3 * 32);
    say("MPI_Allreduce", 6, 6 * 20);
    say("MPI_Reduce", 3, 3 * 12);
    say("MPI_Gather", 3, 3 * 8);
    say("MPI_Scatter", 3, rank == 0 ? 3 * 8 * ranks : 0);
    say("MPI_Allgather", 6, 6 * 8);
    say("MPI_Alltoall", 3, 3 * 8 * ranks);
    say("MPI_Allgatherv", 3, 3 * 4 * (rank + 1));
    say("MPI_Scan", 3, 3 * 4);
    say("MPI_Iallreduce", 3, 3 * 8);
    say("MPI_Wait", 3, 0);
    say("collectives", 3 * 13, 0);
    free(out);
    free(in);
}

/* Each half in reverse order; a copy of it; and a half that only one colour has. */
static void split(void)
{
    MPI_Comm half, copy, some;
    int value = 0, sum;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &some);
    for (int i = 0; i < 4; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Barrier(copy);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, rank >= 2, 0, rank >= 2, 0, copy, MPI_STATUS_IGNORE);
    sends((rank + 2) % 4, 4, 1); /* the halves are reversed: rank 0 of a half is 2, or 3 */
    gives(4, 4);
    say("MPI_Sendrecv_replace", 1, 4);
    if (some != MPI_COMM_NULL) {
        MPI_Barrier(some);
        MPI_Comm_free(&some);
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &half);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
    say("MPI_Comm_split", 3, 0);
    say("MPI_Comm_dup", 1, 0);
    say("MPI_Allreduce", 4, 16);
    say("MPI_Barrier", rank == 0 ? 2 : 3, 0);
    say("MPI_Comm_free", rank == 0 ? 3 : 4, 0);
}

static void persistent(void)
{
    int out[25] = {0}, in[25], next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Request both[2];
    MPI_Send_init(out, 25, MPI_INT, next, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Recv_init(in, 25, MPI_INT, before, 0, MPI_COMM_WORLD, &both[1]);
    for (int i = 0; i < 6; i++) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE); /* NOLINT(*mpi*): persistent */
    }
    for (int i = 0; i < 2; i++) {
        MPI_Start(&both[1]);
        MPI_Start(&both[0]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    sends(next, 100, 8);
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    say("MPI_Send_init", 1, 0);
    say("MPI_Recv_init", 1, 0);
    say("MPI_Startall", 6, 6 * 100);
    say("MPI_Start", 4, 2 * 100);
    say("MPI_Waitall", 8, 0);
    say("MPI_Request_free", 2, 0);
}

/* MPI reuses handles. Data about an old handle must not apply to the new one with the same value, nor
 * take its room. */
#define RENEWED 3000
#define RENEWED_COMMS 80
static void renewed(void)
{
    static MPI_Request many[RENEWED];
    int out[8] = {0}, in[8], next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Comm copy;
    for (int i = 0; i < RENEWED_COMMS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Barrier(copy);
        MPI_Comm_free(&copy);
    }
    for (int i = 0; i < RENEWED; i++) {
        MPI_Send_init(out, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &many[0]);
        MPI_Request_free(&many[0]);
    }
    for (int i = 0; i < RENEWED; i++)
        MPI_Send_init(out, 2, MPI_INT, next, 0, MPI_COMM_WORLD, &many[i]);
    for (int i = 0; i < RENEWED; i += RENEWED - 1) { /* the first and the last one */
        MPI_Start(&many[i]);
        MPI_Recv(in, 8, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&many[i], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < RENEWED; i++)
        MPI_Request_free(&many[i]);
    for (int i = 0; i < 6; i++) {
        MPI_Datatype type;
        MPI_Type_contiguous(2 + i, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Sendrecv(out, 1, type, next, 1, in, 8, MPI_INT, before, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Type_free(&type);
        sends(next, 4 * (2 + i), 1);
    }
    sends(next, 8, 2);
    say("MPI_Comm_dup", RENEWED_COMMS, 0);
    say("MPI_Barrier", RENEWED_COMMS, 0);
    say("MPI_Comm_free", RENEWED_COMMS, 0);
    say("MPI_Send_init", 2 * RENEWED, 0);
    say("MPI_Request_free", 2 * RENEWED, 0);
    say("MPI_Start", 2, 16);
    say("MPI_Recv", 2, 16);
    say("MPI_Wait", 2, 0);
    say("MPI_Sendrecv", 6, 4 * (2 + 3 + 4 + 5 + 6 + 7));
}

static void one_sided(void)
{
    int memory[4] = {0}, value = rank;
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    say("MPI_Win_create", 1, 0);
    say("MPI_Win_fence", 2, 0);
    say("MPI_Put", 1, 4);
    say("MPI_Win_free", 1, 0);
}

static void file(const char *path)
{
    int value[3] = {rank, rank, rank};
    MPI_File out;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &out);
    MPI_File_write_at_all(out, 12 * rank, value, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(out, 12 * rank, value, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&out);
    say("MPI_File_open", 1, 0);
    say("MPI_File_write_at_all", 1, 12);
    say("MPI_File_read_at", 1, 12);
    say("MPI_File_close", 1, 0);
}

/* A communicator for each thread, as MPI requires. */
#define THREADS 3
static MPI_Comm own[THREADS];

static void *thread(void *number)
{
    MPI_Comm comm = own[(long)number];
    int value = 0, sum;
    for (int i = 0; i < 40; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % ranks, (int)(long)number,
                             (rank + ranks - 1) % ranks, (int)(long)number, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    return NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];
    for (long i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, thread, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
    gives(4, THREADS * 40);
    sends((rank + 1) % ranks, 4, THREADS * 10);
    say("MPI_Comm_dup", THREADS, 0);
    say("MPI_Allreduce", THREADS * 40, THREADS * 40 * 4);
    say("MPI_Sendrecv_replace", THREADS * 10, THREADS * 10 * 4);
}

/* After 5 calls the last rank does not arrive any more: it prints that, and waits to be killed. */
static void hang(void)
{
    int value = 0, sum;
    for (int i = 0; i < 5 || rank != ranks - 1; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (;;)
        pause();
}

/* The last rank ends the job, in which the others wait for it. */
static void give_up(void)
{
    if (rank == ranks - 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "nothing";
    int level;
    if (strcmp(what, "threads") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else
        MPI_Init(&argc, &argv);
    /* without MPI_Finalize too */
    if (strcmp(what, "nothing") == 0)
        return 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char path[32];
    snprintf(path, sizeof path, "said-%d", rank);
    words = fopen(path, "w");
    if (!words)
        return 1;
    if (strcmp(what, "messages") == 0)
        point_to_point();
    else if (strcmp(what, "collectives") == 0)
        collectives();
    else if (strcmp(what, "split") == 0)
        split();
    else if (strcmp(what, "persistent") == 0)
        persistent();
    else if (strcmp(what, "renewed") == 0)
        renewed();
    else if (strcmp(what, "one_sided") == 0)
        one_sided();
    else if (strcmp(what, "file") == 0)
        file(argv[2]);
    else if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "hang") == 0)
        hang();
    else if (strcmp(what, "abort") == 0)
        give_up();
    say(strcmp(what, "threads") == 0 ? "MPI_Init_thread" : "MPI_Init", 1, 0);
    say("MPI_Finalize", 1, 0);
    say_messages();
    fclose(words);
    MPI_Finalize();
    return 0;
}

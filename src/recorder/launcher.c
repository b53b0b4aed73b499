/* launcher.c: reads from the environment which rank of which job a process is.
 *
 * One table, a line for each launcher, in the order in which they are tried. The first one that gives a
 * rank is used; facts that it does not give are taken from those below it: torchrun inside a Slurm job
 * has Slurm's nodes. A variable that is unset is left out, never guessed.
 */
#include "place.h"
#include "recorder.h"

#include "base/file_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANK, WORLD_SIZE, LOCAL_RANK, JOB, NODES, NODE_RANK, RESTART, TOLD };

static const char *const keys[TOLD] = {
    [RANK] = "rank",   [WORLD_SIZE] = "world_size", [LOCAL_RANK] = "local_rank", [JOB] = "job",
    [NODES] = "nodes", [NODE_RANK] = "node_rank",   [RESTART] = "restart",
};

static const struct launcher {
    const char *name;
    const char *mark; /* a variable that only this launcher sets; NULL: its rank is enough */
    const char *variables[TOLD];
} launchers[] = {
    {"torchrun",
     "TORCHELASTIC_RUN_ID",
     {[RANK] = "RANK",
      [WORLD_SIZE] = "WORLD_SIZE",
      [LOCAL_RANK] = "LOCAL_RANK",
      [JOB] = "TORCHELASTIC_RUN_ID",
      [NODES] = "GROUP_WORLD_SIZE",
      [NODE_RANK] = "GROUP_RANK",
      [RESTART] = "TORCHELASTIC_RESTART_COUNT"}},
    {"openmpi",
     NULL,
     {[RANK] = "OMPI_COMM_WORLD_RANK",
      [WORLD_SIZE] = "OMPI_COMM_WORLD_SIZE",
      [LOCAL_RANK] = "OMPI_COMM_WORLD_LOCAL_RANK",
      [JOB] = "PMIX_NAMESPACE",
      [NODES] = "OMPI_MCA_orte_num_nodes"}},
    {"pmix", NULL, {[RANK] = "PMIX_RANK", [JOB] = "PMIX_NAMESPACE"}},
    {"mpich",
     NULL,
     {[RANK] = "PMI_RANK",
      [WORLD_SIZE] = "PMI_SIZE",
      [LOCAL_RANK] = "MPI_LOCALRANKID",
      [JOB] = "PMI_JOBID"}},
    {"slurm",
     NULL,
     {[RANK] = "SLURM_PROCID",
      [WORLD_SIZE] = "SLURM_NTASKS",
      [LOCAL_RANK] = "SLURM_LOCALID",
      [JOB] = "SLURM_JOB_ID",
      [NODES] = "SLURM_JOB_NUM_NODES",
      [NODE_RANK] = "SLURM_NODEID",
      [RESTART] = "SLURM_RESTART_COUNT"}},
};

#define LAUNCHERS (sizeof launchers / sizeof launchers[0])
#define NUMBER_DIGITS 9 /* of a rank, at most */

static const char *value_of(const char *variable)
{
    const char *value = variable ? secure_getenv(variable) : NULL;
    return value && *value ? value : NULL;
}

/* Only digits may reach a file name. */
static int is_number(const char *value)
{
    return value && strspn(value, "0123456789") == strlen(value) && strlen(value) <= NUMBER_DIGITS;
}

static const char *rank_of(const struct launcher *launcher)
{
    const char *value = value_of(launcher->variables[RANK]);
    return is_number(value) ? value : NULL;
}

/* The first launcher that gives a rank; NULL: none does. */
static const struct launcher *first_launcher(void)
{
    for (size_t i = 0; i < LAUNCHERS; i++)
        if (rank_of(&launchers[i]))
            return &launchers[i];
    return NULL;
}

void pit__rank(char *text, size_t room)
{
    const struct launcher *launcher = first_launcher();
    const char *rank = launcher ? rank_of(launcher) : NULL;
    text[0] = 0;
    if (rank && strlen(rank) < room)
        memcpy(text, rank, strlen(rank) + 1);
}

static const char *name_from(const struct launcher *launcher)
{
    for (; launcher < launchers + LAUNCHERS; launcher++)
        if (rank_of(launcher) && (!launcher->mark || value_of(launcher->mark)))
            return launcher->name;
    return "environment"; /* RANK, set by hand or by a launcher that is not in the table */
}

/* A value of a launcher that gave no rank is ignored: a shell inside a Slurm job has the job's variables
 * and an id, without being a rank. */
static const char *told_from(const struct launcher *launcher, int what)
{
    for (; launcher < launchers + LAUNCHERS; launcher++) {
        const char *value = value_of(launcher->variables[what]);
        if (value && (what == JOB || (rank_of(launcher) && is_number(value))))
            return value;
    }
    return NULL;
}

/* ---- hydra, MPICH's own launcher, which gives no job id ---------------------------------------- */

#define ANCESTORS 16 /* to search: the program, pitwall run, shells between them */

/* 0: no such process, or /proc does not show it. The name is in brackets and may contain brackets. */
static long parent_of(long pid, char *name, size_t room)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    text[0] = 0;
    if (!pit__file_text(path, text, sizeof text))
        return 0;
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open || strlen(close) < 5)
        return 0;
    snprintf(name, room, "%.*s", (int)(close - open - 1), open + 1);
    return strtol(close + 4, NULL, 10); /* ") S 123" */
}

/* On every machine a job has a proxy process above its ranks, whose arguments name the address at which
 * mpirun listens: the same for all, and different from other running jobs. 0: not found. */
static int hydra_job(char *text, size_t room)
{
    static const char option[] = "--control-port";
    char name[32] = "", path[64], words[4096] = ""; /* zero after the text that is read */
    long pid = getppid(), above = 0;
    int levels = 0;
    for (; pid > 1 && levels < ANCESTORS; levels++, pid = above) {
        above = parent_of(pid, name, sizeof name);
        if (!above || strcmp(name, "hydra_pmi_proxy") == 0)
            break;
    }
    if (pid <= 1 || levels == ANCESTORS || !above)
        return 0;
    snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
    if (!pit__file_text(path, words, sizeof words - 1))
        return 0;
    const char *at = words;
    while (*at && strcmp(at, option) != 0)
        at += strlen(at) + 1;
    if (*at)
        snprintf(text, room, "%s", at + strlen(at) + 1);
    return text[0] != 0;
}

/* What distinguishes this start of ranks from others. Each srun of a Slurm job is a separate step;
 * torchrun without a rendezvous calls every job "none", and its ranks share an address. */
static void name_job(char *text, size_t room, const struct launcher *launcher)
{
    const char *job = told_from(launcher, JOB), *step = value_of("SLURM_STEP_ID");
    const char *address = value_of("MASTER_ADDR"), *port = value_of("MASTER_PORT");
    text[0] = 0;
    if (!job && strcmp(launcher->name, "mpich") == 0 && hydra_job(text, room))
        return;
    if (!job)
        return;
    if (strcmp(job, "none") == 0 && address && port)
        snprintf(text, room, "%s:%s", address, port);
    else if (job == value_of("SLURM_JOB_ID") && step)
        snprintf(text, room, "%s.%s", job, step);
    else
        snprintf(text, room, "%s", job);
}

void pit__launcher_facts(void (*add)(pit_recorder *rec, const char *key, const char *value),
                         pit_recorder *rec)
{
    const struct launcher *launcher = first_launcher();
    char job[256];
    if (!launcher)
        return;
    name_job(job, sizeof job, launcher);
    add(rec, "launcher", name_from(launcher));
    for (int what = 0; what < TOLD; what++)
        add(rec, keys[what], what == JOB ? job : told_from(launcher, what));
}

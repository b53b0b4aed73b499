/* The variables that launchers set: those of torchrun, OpenMPI, MPICH and PMIx were taken from the real
 * programs; those of Slurm, which is not tested here, from its documentation. */
#include "probe.h"
#include "recorder/place.h"
#include "recorder/recorder.h"

#include <string.h>

struct told {
    char text[2000];
};
static struct told told;

static void keep_fact(pit_recorder *rec, const char *key, const char *value)
{
    size_t used = strlen(told.text);
    (void)rec;
    if (value && *value)
        snprintf(told.text + used, sizeof told.text - used, "%s%s=%s", used ? " " : "", key, value);
}

/* The facts of a process with these variables and no others of a launcher. */
static const char *facts_of(const char *const *variables)
{
    static const char *const all[] = {"RANK",
                                      "WORLD_SIZE",
                                      "LOCAL_RANK",
                                      "GROUP_RANK",
                                      "GROUP_WORLD_SIZE",
                                      "TORCHELASTIC_RUN_ID",
                                      "TORCHELASTIC_RESTART_COUNT",
                                      "MASTER_ADDR",
                                      "MASTER_PORT",
                                      "OMPI_COMM_WORLD_RANK",
                                      "OMPI_COMM_WORLD_SIZE",
                                      "OMPI_COMM_WORLD_LOCAL_RANK",
                                      "OMPI_MCA_orte_num_nodes",
                                      "PMIX_RANK",
                                      "PMIX_NAMESPACE",
                                      "PMI_RANK",
                                      "PMI_SIZE",
                                      "MPI_LOCALRANKID",
                                      "SLURM_PROCID",
                                      "SLURM_NTASKS",
                                      "SLURM_LOCALID",
                                      "SLURM_JOB_ID",
                                      "SLURM_STEP_ID",
                                      "SLURM_JOB_NUM_NODES",
                                      "SLURM_NODEID",
                                      "SLURM_RESTART_COUNT"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        unsetenv(all[i]);
    for (; *variables; variables += 2)
        setenv(variables[0], variables[1], 1);
    told.text[0] = 0;
    pit__launcher_facts(keep_fact, NULL);
    return told.text;
}

#define FACTS(...) facts_of((const char *const[]){__VA_ARGS__, NULL})

TEST(a_process_without_a_launcher_has_no_such_facts)
{
    CHECK_STR(facts_of((const char *const[]){NULL}), "");
    /* a shell inside a Slurm job */
    CHECK_STR(FACTS("SLURM_JOB_ID", "4711", "SLURM_NTASKS", "8"), "");
}

TEST(torchrun_tells_all_of_them)
{
    CHECK_STR(FACTS("RANK", "5", "WORLD_SIZE", "8", "LOCAL_RANK", "1", "GROUP_RANK", "2",
                    "GROUP_WORLD_SIZE", "4", "TORCHELASTIC_RUN_ID", "abc",
                    "TORCHELASTIC_RESTART_COUNT", "3", "MASTER_ADDR", "h", "MASTER_PORT", "29500"),
              "launcher=torchrun rank=5 world_size=8 local_rank=1 job=abc nodes=4 node_rank=2 "
              "restart=3");
}

TEST(torchrun_without_a_rendezvous_has_its_address_for_an_id)
{
    CHECK_STR(FACTS("RANK", "0", "WORLD_SIZE", "2", "TORCHELASTIC_RUN_ID", "none", "MASTER_ADDR",
                    "127.0.0.1", "MASTER_PORT", "29500"),
              "launcher=torchrun rank=0 world_size=2 job=127.0.0.1:29500");
}

TEST(openmpi_mpich_and_pmix)
{
    CHECK_STR(FACTS("OMPI_COMM_WORLD_RANK", "3", "OMPI_COMM_WORLD_SIZE", "4",
                    "OMPI_COMM_WORLD_LOCAL_RANK", "1", "OMPI_MCA_orte_num_nodes", "2", "PMIX_RANK",
                    "3", "PMIX_NAMESPACE", "1555759105"),
              "launcher=openmpi rank=3 world_size=4 local_rank=1 job=1555759105 nodes=2");
    CHECK_STR(FACTS("PMI_RANK", "1", "PMI_SIZE", "2", "MPI_LOCALRANKID", "0"),
              "launcher=mpich rank=1 world_size=2 local_rank=0");
    CHECK_STR(FACTS("PMIX_RANK", "2", "PMIX_NAMESPACE", "prterun-vm-17@1"),
              "launcher=pmix rank=2 job=prterun-vm-17@1");
}

TEST(slurm_has_an_id_for_each_step)
{
    CHECK_STR(FACTS("SLURM_PROCID", "7", "SLURM_NTASKS", "8", "SLURM_LOCALID", "3", "SLURM_JOB_ID",
                    "4711", "SLURM_STEP_ID", "1", "SLURM_JOB_NUM_NODES", "2", "SLURM_NODEID", "1",
                    "SLURM_RESTART_COUNT", "2"),
              "launcher=slurm rank=7 world_size=8 local_rank=3 job=4711.1 nodes=2 node_rank=1 "
              "restart=2");
}

TEST(what_the_first_launcher_leaves_out_comes_from_those_below_it)
{
    /* srun with PMIx: the size comes from Slurm */
    CHECK_STR(FACTS("PMIX_RANK", "2", "PMIX_NAMESPACE", "slurm.pmix.4711.0", "SLURM_PROCID", "2",
                    "SLURM_NTASKS", "8", "SLURM_JOB_ID", "4711"),
              "launcher=pmix rank=2 world_size=8 job=slurm.pmix.4711.0");
    /* RANK set by the user's own script, inside mpirun */
    CHECK_STR(FACTS("RANK", "1", "WORLD_SIZE", "2", "OMPI_COMM_WORLD_RANK", "1",
                    "OMPI_COMM_WORLD_SIZE", "2", "PMIX_NAMESPACE", "99"),
              "launcher=openmpi rank=1 world_size=2 job=99");
    CHECK_STR(FACTS("RANK", "1"), "launcher=environment rank=1");
}

TEST(values_that_are_no_numbers_are_left_out)
{
    CHECK_STR(FACTS("RANK", "1", "WORLD_SIZE", "many", "LOCAL_RANK", "-1"),
              "launcher=environment rank=1");
    CHECK_STR(FACTS("RANK", "one", "PMI_RANK", "0", "PMI_SIZE", "2"),
              "launcher=mpich rank=0 world_size=2");
}

/* Names of run files: templates, ranks, the default name. */
#include "probe.h"
#include "recorder/place.h"
#include "recorder/recorder.h"

#include <errno.h>

static const char *expanded(const char *wanted)
{
    static char path[PATH_MAX];
    CHECK_INT(pit__path_expand(path, wanted), 0);
    return path;
}

static void no_rank(void)
{
    static const char *const variables[] = {"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                            "PMI_RANK", "SLURM_PROCID",         "PITWALL_FILE"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        unsetenv(variables[i]);
}

TEST(the_fields_of_a_template_are_filled_in)
{
    char want[512], host[65] = "";
    no_rank();
    gethostname(host, sizeof host - 1);
    snprintf(want, sizeof want, "/tmp/a-%ld-%ld-%s-%%-%%x.pit", (long)getpid(), (long)getpid(),
             host);
    CHECK_STR(expanded("/tmp/a-%p-%r-%h-%%-%x.pit"), want);
    CHECK_STR(expanded("/tmp/ends with %"), "/tmp/ends with %");
    setenv("RANK", "12", 1);
    CHECK_STR(expanded("/tmp/%r.pit"), "/tmp/12.pit");
}

TEST(the_rank_is_the_first_that_a_launcher_tells_and_only_digits)
{
    char rank[24];
    no_rank();
    pit__rank(rank, sizeof rank);
    CHECK_STR(rank, "");
    setenv("SLURM_PROCID", "3", 1);
    pit__rank(rank, sizeof rank);
    CHECK_STR(rank, "3");
    setenv("OMPI_COMM_WORLD_RANK", "5", 1);
    pit__rank(rank, sizeof rank);
    CHECK_STR(rank, "5");
    setenv("RANK", "../../evil", 1);
    pit__rank(rank, sizeof rank);
    CHECK_STR(rank, "5");
    setenv("RANK", "123456789012345678901234567890", 1); /* not a valid rank */
    pit__rank(rank, sizeof rank);
    CHECK_STR(rank, "5");
}

TEST(a_relative_path_becomes_absolute)
{
    const char *folder = probe_folder();
    char want[PATH_MAX];
    no_rank();
    REQUIRE(chdir(folder) == 0);
    snprintf(want, sizeof want, "%s/sub/run.pit", folder);
    CHECK_STR(expanded("sub/run.pit"), want);
    probe_clean(folder);
}

TEST(a_folder_gets_a_run_with_the_default_name)
{
    const char *folder = probe_folder();
    char stem[PATH_MAX];
    no_rank();
    const char *path = expanded(folder);
    snprintf(stem, sizeof stem, "%s/test_path_name-", folder);
    CHECK(strncmp(path, stem, strlen(stem)) == 0);
    char end[48];
    snprintf(end, sizeof end, "-%ld.pit", (long)getpid());
    CHECK(strlen(path) > strlen(end) && strcmp(path + strlen(path) - strlen(end), end) == 0);
    probe_clean(folder);
}

TEST(without_any_wish_the_run_goes_to_pitwall_runs)
{
    no_rank();
    CHECK(strstr(expanded(NULL), "/pitwall-runs/") != NULL);
    setenv("PITWALL_FILE", "/tmp/from-environment.pit", 1);
    CHECK_STR(expanded(NULL), "/tmp/from-environment.pit");
    CHECK_STR(expanded(""), "/tmp/from-environment.pit");
    CHECK_STR(expanded("/tmp/said.pit"), "/tmp/said.pit"); /* code takes precedence */
}

TEST(a_name_that_is_too_long_is_refused)
{
    static char wanted[PATH_MAX + 100], path[PATH_MAX];
    memset(wanted, 'a', sizeof wanted - 1);
    wanted[0] = '/';
    CHECK_INT(pit__path_expand(path, wanted), ENAMETOOLONG);
    wanted[PATH_MAX - 1] = 0;
    CHECK_INT(pit__path_expand(path, wanted), 0);
    CHECK_INT(strlen(path), PATH_MAX - 1);
    CHECK_INT(pit__path_of_child(wanted, path), ENAMETOOLONG);
}

TEST(a_childs_name_stands_beside_its_parents)
{
    char path[PATH_MAX], want[128];
    CHECK_INT(pit__path_of_child(path, "/tmp/run.pit"), 0);
    snprintf(want, sizeof want, "/tmp/run-fork%ld.pit", (long)getpid());
    CHECK_STR(path, want);
    CHECK_INT(pit__path_of_child(path, "/tmp/run.data"), 0);
    snprintf(want, sizeof want, "/tmp/run.data-fork%ld", (long)getpid());
    CHECK_STR(path, want);
}

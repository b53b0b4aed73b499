/* Processors and CPU quota by cgroups of both versions, in stub folders; other sources of waiting. */
#include "check.h"

#include "recorder/cgroup_folder.h"
#include "recorder/sample_source.h"

#include <sched.h>
#include <sys/stat.h>

#define UNKNOWN PIT__UNKNOWN

static char root[64], own[96];
static struct pit__sources sources;

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "w");
    REQUIRE(file);
    fputs(text, file);
    fclose(file);
}

static void folder(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    REQUIRE(mkdir(path, 0700) == 0);
}

/* An empty tree of cgroups, and the kernel's description of the process. */
static void stub(const char *told)
{
    snprintf(root, sizeof root, "/tmp/stub_cgroup_XXXXXX");
    REQUIRE(mkdtemp(root));
    snprintf(own, sizeof own, "%s/own", root);
    put("own", told);
    pit__cgroup_tree = (struct pit__cgroup_tree){root, own};
}

/* Check that no file is left behind. */
static void unstub(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    REQUIRE(system(command) == 0);
}

static const struct pit_fmt_channel *channel(const char *key, uint64_t *value)
{
    for (uint32_t i = 0; i < sources.list.count; i++)
        if (strcmp(sources.list.of[i].key, key) == 0) {
            *value = sources.row[1 + i];
            return &sources.list.of[i];
        }
    return NULL;
}

static uint64_t reading(const char *key)
{
    uint64_t value = 0;
    REQUIRE(channel(key, &value));
    return value;
}

static void read_all(void)
{
    pit__channels_list(&sources.list);
    pit__sources_reset(&sources);
    pit__sources_read(&sources, 1);
    pit__sources_close(&sources);
}

/* In hundredths, of the processors that the test itself may use. */
static uint64_t allowed(void)
{
    static char mask[4096];
    REQUIRE(sched_getaffinity(0, sizeof mask, (cpu_set_t *)mask) == 0);
    return (uint64_t)CPU_COUNT_S(sizeof mask, (cpu_set_t *)mask) * 100;
}

TEST(version_2_the_tightest_quota_on_the_way_up_holds)
{
    stub("0::/slice/job\n");
    folder("slice");
    folder("slice/job");
    put("slice/job/cpu.stat", "usage_usec 9\nnr_throttled 1\nthrottled_usec 5\n");
    put("slice/job/cpu.max", "max 100000\n");
    put("slice/cpu.stat", "usage_usec 9\nnr_periods 3\nnr_throttled 2\nthrottled_usec 1234\n");
    put("slice/cpu.max", "25000 100000\n");
    put("cpu.stat", "usage_usec 9\n");
    read_all();
    CHECK_INT(reading("processors"), 25);
    CHECK_INT(reading("throttled_ns"), 1234000);
    put("slice/job/cpu.max", "12000 100000\n"); /* the next run is then below this one */
    read_all();
    CHECK_INT(reading("processors"), 12);
    CHECK_INT(reading("throttled_ns"), 5000);
    unstub();
}

TEST(version_2_without_a_quota_tells_its_own_group)
{
    stub("0::/\n");
    put("cpu.stat", "usage_usec 9\nnr_throttled 0\nthrottled_usec 0\n");
    put("cpu.max", "max 100000\n");
    read_all();
    CHECK_INT(reading("processors"), allowed());
    CHECK_INT(reading("throttled_ns"), 0);
    unstub();
}

TEST(version_2_whose_controller_is_off_does_not_say_zero)
{
    stub("0::/\n");
    put("cpu.stat", "usage_usec 9\nuser_usec 5\n");
    read_all();
    CHECK(reading("throttled_ns") == UNKNOWN);
    unstub();
}

TEST(version_1_is_found_under_a_list_of_names_and_counts_nanoseconds)
{
    stub("4:memory:/\n3:cpuset:/\n2:cpu,cpuacct:/job\n0::/\n");
    folder("cpu,cpuacct");
    folder("cpu,cpuacct/job");
    put("cpu,cpuacct/job/cpu.stat", "nr_periods 3\nnr_throttled 2\nthrottled_time 777\n");
    put("cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n");
    put("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    put("cpu,cpuacct/cpu.stat", "throttled_time 1\n");
    put("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    read_all();
    CHECK_INT(reading("processors"), 50);
    CHECK_INT(reading("throttled_ns"), 777);
    unstub();
}

TEST(a_quota_over_the_affinity_does_not_add_processors)
{
    stub("1:cpu:/\n");
    folder("cpu");
    put("cpu/cpu.stat", "throttled_time 0\n");
    put("cpu/cpu.cfs_quota_us", "99999999999\n");
    put("cpu/cpu.cfs_period_us", "100000\n");
    read_all();
    CHECK_INT(reading("processors"), allowed());
    unstub();
}

TEST(without_a_controller_throttling_is_unknown_and_says_why)
{
    uint64_t value = 0;
    stub("1:cpuset:/\n");
    read_all();
    const struct pit_fmt_channel *throttled = channel("throttled_ns", &value);
    CHECK(value == UNKNOWN);
    CHECK_STR(throttled->missing, "no CPU controller in the cgroups it sees");
    CHECK_INT(reading("processors"), allowed());
    unstub();
}

TEST(memory_in_a_cgroup_of_version_2_that_is_the_root_of_its_container)
{
    stub("0::/elsewhere\n");
    put("memory.current", "4096\n");
    put("memory.max", "1048576\n");
    CHECK_INT(pit__cgroup_version(), 2);
    read_all();
    CHECK_INT(pit__cgroup_limit(), 1048576);
    CHECK_INT(reading("cgroup_used_bytes"), 4096);
    unstub();
}

/* What the kernel does not count is unknown with the setting as the reason, never zero. */
TEST(waiting_for_storage_is_unknown_where_the_kernel_does_not_count_it)
{
    uint64_t value = 0;
    read_all();
    const struct pit_fmt_channel *delay = channel("io_delay_ns", &value);
    REQUIRE(delay);
    if (pit__number_in("/proc/sys/kernel/task_delayacct") != 0)
        return; /* it counts, or is older than the setting */
    CHECK(value == UNKNOWN);
    CHECK_STR(delay->missing, "kernel.task_delayacct is 0");
}

TEST(counters_of_waiting_only_grow)
{
    static const char *const keys[] = {"main_cpu_ns", "run_delay_ns", "throttled_ns",
                                       "swapped_in_bytes"};
    uint64_t before[4] = {0};
    for (int round = 0; round < 200; round++) {
        read_all();
        for (int i = 0; i < 4; i++) {
            uint64_t now = reading(keys[i]);
            CHECK(now == UNKNOWN || now >= before[i]);
            before[i] = now == UNKNOWN ? 0 : now;
        }
    }
}

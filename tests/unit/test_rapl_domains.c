/* Energy counters in a stand-in for /sys/class/powercap that this test writes: which domains are counted,
 * and their range. */
#include "base/file_text.h"
#include "check.h"
#include "device/rapl_domains.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define RANGE 262143328850u

static char root[] = "/tmp/pitwall-stub-rapl-XXXXXX";

static void put(const char *zone, const char *file, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/class/powercap/%s", root, zone);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/class/powercap/%s/%s", root, zone, file);
    FILE *out = fopen(path, "we");
    REQUIRE(out);
    fprintf(out, "%s\n", text);
    fclose(out);
}

static void zone(const char *name_of, const char *name)
{
    put(name_of, "name", name);
    put(name_of, "max_energy_range_uj", "262143328850");
    put(name_of, "energy_uj", "1000");
}

static void make_stub(void)
{
    char path[300];
    REQUIRE(mkdtemp(root));
    setenv("PITWALL_SYSFS", root, 1);
    snprintf(path, sizeof path, "%s/class", root);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/class/powercap", root);
    mkdir(path, 0700);
    zone("intel-rapl:0", "package-0");
    zone("intel-rapl:0:0", "core");
    zone("intel-rapl:0:1", "dram");
    zone("intel-rapl:1", "psys");
    zone("intel-rapl-mmio:0", "package-0");
}

static void remove_stub(void)
{
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    if (system(command) != 0)
        printf("  %s stays\n", root);
}

TEST(a_package_and_its_memory_count_and_nothing_twice)
{
    make_stub();
    struct pit__rapl *rapl = pit__rapl_find();
    CHECK_INT(rapl->count, 2);
    CHECK_STR(rapl->domains[0].key, "package_0_energy_j");
    CHECK_STR(rapl->domains[1].key, "dram_0_energy_j");

    struct pit__rapl_domain *package = &rapl->domains[0];
    CHECK_INT(pit__rapl_read(package), 1000);
    put("intel-rapl:0", "energy_uj", "262143328000");
    CHECK_INT(pit__rapl_read(package), 262143328000u);
    put("intel-rapl:0", "energy_uj", "150"); /* the counter wrapped */
    CHECK_INT(pit__rapl_read(package), RANGE + 150);
    put("intel-rapl:0", "energy_uj", "262143328000");
    put("intel-rapl:0", "energy_uj", "200000000000");
    CHECK_INT(pit__rapl_read(package), RANGE + 200000000000u);
    put("intel-rapl:0", "energy_uj", "199999999000"); /* read earlier, passed later */
    CHECK_INT(pit__rapl_read(package), RANGE + 200000000000u);
    put("intel-rapl:0", "energy_uj", "not a number");
    CHECK(pit__rapl_read(package) == PIT__UNKNOWN);
    remove_stub();
}

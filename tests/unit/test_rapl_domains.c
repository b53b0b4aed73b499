/* Energy counters in a stand-in for /sys/class/powercap that this test writes: which domains are counted,
 * and their range. */
#include "base/file_text.h"
#include "check.h"
#include "device/rapl_domains.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define RANGE 262143328850u

/* What another thread does when this one has read the counter and not stored its value yet; once. */
static void (*meanwhile)(void);

/* The bare system calls of base/file_text.c, with what happens meanwhile. */
long syscall(long number, ...)
{
    va_list list;
    long result = -1;
    va_start(list, number);
    if (number == SYS_openat) {
        int folder = va_arg(list, int);
        const char *path = va_arg(list, const char *);
        result = openat(folder, path, va_arg(list, int));
    } else if (number == SYS_close) {
        result = close(va_arg(list, int));
    } else if (number == SYS_pread64) {
        int fd = va_arg(list, int);
        void *to = va_arg(list, void *);
        result = pread(fd, to, va_arg(list, size_t), 0);
        void (*happens)(void) = meanwhile;
        meanwhile = NULL;
        if (happens)
            happens();
    }
    va_end(list);
    return result;
}

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

static void wraps_and_is_read(void)
{
    put("intel-rapl:0", "energy_uj", "150");
    CHECK_INT(pit__rapl_read(&pit__rapl_find()->domains[0]), RANGE + 150);
}

static void counts_and_is_read(void)
{
    put("intel-rapl:0", "energy_uj", "300");
    CHECK_INT(pit__rapl_read(&pit__rapl_find()->domains[0]), RANGE + 300);
}

TEST(a_value_held_while_the_counter_wraps_is_read_again)
{
    make_stub();
    struct pit__rapl_domain *package = &pit__rapl_find()->domains[0];
    put("intel-rapl:0", "energy_uj", "262143328000");
    CHECK_INT(pit__rapl_read(package), 262143328000u);
    put("intel-rapl:0", "energy_uj", "262143328500");
    meanwhile = wraps_and_is_read;
    CHECK_INT(pit__rapl_read(package), RANGE + 150);
    meanwhile = counts_and_is_read; /* held without a wrap-around */
    CHECK_INT(pit__rapl_read(package), RANGE + 300);
    remove_stub();
}

static void is_read_again(void)
{
    static unsigned value = 1002;
    char text[16];
    snprintf(text, sizeof text, "%u", value++);
    put("intel-rapl:0", "energy_uj", text);
    pit__rapl_read(&pit__rapl_find()->domains[0]);
    meanwhile = is_read_again;
}

TEST(a_thread_whose_value_is_always_old_gets_that_of_the_others)
{
    make_stub();
    struct pit__rapl_domain *package = &pit__rapl_find()->domains[0];
    CHECK_INT(pit__rapl_read(package), 1000);
    put("intel-rapl:0", "energy_uj", "1001");
    meanwhile = is_read_again;
    uint64_t got = pit__rapl_read(package);
    meanwhile = NULL;
    CHECK(got > 1001 && got < 1020);
    remove_stub();
}

/* See rapl_domains.h. */
#include "rapl_domains.h"

#include "base/file_text.h"
#include "format/ordered.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_BITS 48
#define VALUE_MASK (((uint64_t)1 << VALUE_BITS) - 1)
#define ZONE "intel-rapl:"
/* If a value is lower than the newest one by less than this part of the range, the counter has not wrapped
 * around: the kernel may show an older value on another processor. */
#define LATE_PART 8
#define TRIES 8 /* readings, while other threads store theirs */

static struct pit__rapl rapl;

/* ---- finding -------------------------------------------------------------------------------- */

/* 1 for a package, 2 for the memory of a package, 0 for a domain that is part of another. zone:
 * intel-rapl:P or intel-rapl:P:S. */
static int kind_of(const char *zone, const char *name)
{
    int is_inner = strchr(zone + strlen(ZONE), ':') != NULL;
    if (!is_inner)
        return strncmp(name, "package", 7) == 0;
    return strcmp(name, "dram") == 0 ? 2 : 0;
}

/* The key is made from the name. For memory the package's number is added, because the kernel names
 * every such domain "dram". */
static void make_key(struct pit__rapl_domain *domain, const char *zone)
{
    char text[31];
    if (strcmp(domain->name, "dram") == 0)
        snprintf(text, sizeof text, "dram_%u",
                 (unsigned)(pit__number_at(zone + strlen(ZONE)) & 0xffff));
    else
        snprintf(text, sizeof text, "%.30s", domain->name);
    for (char *c = text; *c; c++)
        if (!(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9'))
            *c = '_';
    snprintf(domain->key, sizeof domain->key, "%s_energy_j", text);
}

static void say_missing(struct pit__rapl_domain *domain, int error)
{
    const char *why = error == EACCES || error == EPERM
                          ? "energy_uj is root's alone: pitwall doctor prints a udev rule"
                      : error == ENOENT ? "energy_uj is not there"
                                        : "energy_uj cannot be read: pitwall doctor says why";
    snprintf(domain->missing, sizeof domain->missing, "%s", why);
}

static void add_zone(struct pit__rapl *to, const char *zone)
{
    struct pit__rapl_domain *domain = &to->domains[to->count];
    char path[PIT__SYSFS_BYTES], text[64];
    memset(domain, 0, sizeof *domain);
    if (!pit__sysfs_path(path, sizeof path, "class/powercap/%s/name", zone) ||
        !pit__file_text(path, text, sizeof text))
        return;
    text[strcspn(text, "\n")] = 0;
    if (!kind_of(zone, text))
        return;
    snprintf(domain->name, sizeof domain->name, "%.31s", text);
    make_key(domain, zone);
    if (!pit__sysfs_path(path, sizeof path, "class/powercap/%s/max_energy_range_uj", zone) ||
        !pit__sysfs_path(domain->file, sizeof domain->file, "class/powercap/%s/energy_uj", zone))
        return;
    domain->range = pit__number_in(path);
    errno = 0;
    int is_read = pit__file_text(domain->file, text, sizeof text);
    say_missing(domain, is_read ? 0 : errno);
    domain->newest = is_read ? pit__number_at(text) & VALUE_MASK : 0;
    to->count++;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct pit__rapl_domain *)a)->file,
                  ((const struct pit__rapl_domain *)b)->file);
}

static void find(struct pit__rapl *to)
{
    char path[PIT__SYSFS_BYTES];
    to->count = 0;
    DIR *folder = pit__sysfs_path(path, sizeof path, "class/powercap") ? opendir(path) : NULL;
    struct dirent *entry;
    while (folder && to->count < PIT__RAPL_DOMAINS && (entry = readdir(folder)))
        if (strncmp(entry->d_name, ZONE, strlen(ZONE)) == 0 && strlen(entry->d_name) < 64)
            add_zone(to, entry->d_name);
    if (folder)
        closedir(folder);
    qsort(to->domains, to->count, sizeof to->domains[0], by_name);
    if (!to->count)
        snprintf(to->why, sizeof to->why, "%s",
                 folder
                     ? "/sys/class/powercap has no package: virtual machines mostly hide it"
                     : "no /sys/class/powercap: a virtual machine, or a kernel without powercap");
}

/* A caller that comes while another thread is searching finds nothing yet. */
struct pit__rapl *pit__rapl_find(void)
{
    static struct pit__rapl none;
    static int state; /* 0: not searched, 1: a thread is searching, 2: done */
    int is_free = 0;
    if (PIT_LOAD_ACQUIRE(state) == 2)
        return &rapl;
    if (!__atomic_compare_exchange_n(&state, &is_free, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return is_free == 2 ? &rapl : &none;
    find(&rapl);
    PIT_STORE_ORDERED(state, 2);
    return &rapl;
}

/* ---- reading -------------------------------------------------------------------------------- */

static uint64_t whole_of(const struct pit__rapl_domain *domain, uint64_t word)
{
    return (word >> VALUE_BITS) * domain->range + (word & VALUE_MASK);
}

static uint64_t value_now(const struct pit__rapl_domain *domain)
{
    char text[64];
    int is_read = pit__file_text(domain->file, text, sizeof text);
    uint64_t value = is_read ? pit__number_at(text) : PIT__UNKNOWN;
    return value > VALUE_MASK ? PIT__UNKNOWN : value;
}

/* The newest reading is looked up before the counter is read. If another thread has stored one meanwhile, this
 * value may be older: held over a wrap-around it would look like a jump by nearly the whole range. Then the
 * counter is read again; the other threads' readings are new enough if that happens many times. */
uint64_t pit__rapl_read(struct pit__rapl_domain *domain)
{
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = PIT_LOAD_ACQUIRE(domain->newest), value = value_now(domain);
        uint64_t last = before & VALUE_MASK, begun = before & ~VALUE_MASK;
        if (value == PIT__UNKNOWN || (value < last && domain->range == PIT__UNKNOWN))
            return PIT__UNKNOWN; /* not read; or it wrapped around, and the range is not known */
        if (value < last && last - value < domain->range / LATE_PART)
            return whole_of(domain, before);
        uint64_t after = (value < last ? begun + VALUE_MASK + 1 : begun) | value;
        if (__atomic_compare_exchange_n(&domain->newest, &before, after, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return whole_of(domain, after);
    }
    return whole_of(domain, PIT_LOAD(domain->newest));
}

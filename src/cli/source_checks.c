/* source_checks.c: every source of the sampler: whether it is recorded now, and the remedy if not. Uses the
 * test run: other runs on this machine contain the same sources. */
#include "checks.h"

#include <string.h>
#include <time.h>

#define GPU_SECONDS 5 /* GPU libraries start slowly */
#define LOOKS_A_SECOND 20

static const struct remedy {
    const char *source, *name, *words;
} remedies[] = {
    {"process", "reads process", "mount /proc in this container or chroot"},
    {"threads", "reads threads", "mount /proc in this container or chroot"},
    {"machine", "reads machine", "mount /proc in this container or chroot"},
    {"stolen", "reads stolen", "mount /proc in this container or chroot"},
    {"cgroup", "reads cgroup", "make /sys/fs/cgroup visible in the container"},
    {"processors", "reads processors", "make /sys/fs/cgroup visible in the container"},
    {"pressure", "reads pressure", "a kernel with CONFIG_PSI, started with psi=1"},
    {"storage", "reads storage", "a kernel with CONFIG_TASK_IO_ACCOUNTING"},
    {"schedule", "reads schedule", "a kernel with CONFIG_SCHEDSTATS"},
    {"delay", "reads delay", "as root, before the program starts: sysctl kernel.task_delayacct=1"},
    {"activity", "reads activity",
     "a kernel with CONFIG_HAVE_ARCH_TRACEHOOK; a container whose rules allow /proc/self/syscall"},
    {"swap", "reads swap", "mount /proc in this container or chroot"},
    {"rapl", "energy (RAPL)",
     "as root, for good: in /etc/udev/rules.d/70-rapl.rules the line SUBSYSTEM==\"powercap\", "
     "ACTION==\"add\", RUN+=\"/bin/chmod a+r /sys%p/energy_uj\", then udevadm trigger "
     "--subsystem-match=powercap --action=add; for now: chmod a+r "
     "/sys/class/powercap/intel-rapl:*/energy_uj. Mind that others can then watch the "
     "processor's power (CVE-2020-8694)"},
    {"gpu", "reads gpu",
     "install the driver's library (libnvidia-ml1, rocm-smi-lib); in a container: --gpus all, or "
     "--device /dev/kfd --device /dev/dri"},
};
#define SOURCES (sizeof remedies / sizeof remedies[0])

/* Why a source has no channel at all: a fact of the run. */
static const struct {
    const char *source, *fact, *remedy;
} absences[] = {
    {"rapl", "no_rapl",
     "a real machine with the module intel_rapl_common; virtual machines rarely have it"},
    {"gpu", "no_gpu", "load the GPU's driver; look at CUDA_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES"},
};

static void add_absent(struct checks *checks, const struct remedy *known, const pit_run *run)
{
    struct check *check = check_add(checks, known->name, 1);
    for (size_t i = 0; i < sizeof absences / sizeof absences[0]; i++)
        if (strcmp(absences[i].source, known->source) == 0) {
            const char *why = pit_run_fact(run, absences[i].fact);
            check_bad(check, CHECK_NO, why ? why : "the run has no such channel",
                      absences[i].remedy);
            return;
        }
    check_bad(check, CHECK_NO, "the run has no such channel", known->words);
}

static void add_source(struct checks *checks, const struct remedy *known, const pit_run *run)
{
    size_t all = 0, silent = 0;
    const pit_channel *first = NULL;
    for (size_t i = 0; i < run->channel_count; i++) {
        const pit_channel *channel = &run->channels[i];
        if (strcmp(channel->source, known->source) != 0)
            continue;
        all++;
        silent += channel->missing != NULL;
        first = !first && channel->missing ? channel : first;
    }
    if (!all) {
        add_absent(checks, known, run);
        return;
    }
    struct check *check = check_add(checks, known->name, 1);
    if (silent < all)
        pit__text_printf(&check->figure, "recorded now: %zu channel%s", all - silent,
                         all - silent == 1 ? "" : "s");
    if (!silent)
        return;
    check_bad(check, silent < all ? CHECK_LIMITED : CHECK_NO, "", known->words);
    pit__text_printf(&check->why, "%s: ", first->key);
    pit__text_add_visible(&check->why, first->missing);
    if (silent > 1)
        pit__text_printf(&check->why, "; and %zu more channels", silent - 1);
}

static int waits_for_gpu(const pit_run *run)
{
    static const char first_words[] = "this GPU, or its driver, does not tell";
    size_t gpu = 0, open = 0;
    for (size_t i = 0; i < run->channel_count; i++)
        if (strcmp(run->channels[i].source, "gpu") == 0) {
            gpu++;
            open += run->channels[i].missing && strcmp(run->channels[i].missing, first_words) == 0;
        }
    return gpu > 0 && open == gpu;
}

void source_checks(struct checks *checks, const struct probe *probe)
{
    struct timespec pause = {0, 1000000000 / LOOKS_A_SECOND};
    pit_run *run = pit_run_read(probe->recorder, NULL);
    for (int i = 0; run && waits_for_gpu(run) && i < GPU_SECONDS * LOOKS_A_SECOND; i++) {
        nanosleep(&pause, NULL);
        pit_run_free(run);
        run = pit_run_read(probe->recorder, NULL);
    }
    for (size_t i = 0; run && i < SOURCES; i++)
        add_source(checks, &remedies[i], run);
    pit_run_free(run);
}

/* prog_native.c: native functions that are hot, for tests/system/test_native_places.py.
 *
 *   prog_native RUN WHAT [LIBRARY]
 *
 * Works in one known function until the run has ENOUGH samples, closes the run and prints its native
 * places: span, function, file, samples, with tabs between; then a line with the samples taken, those
 * dropped, and the reason why there are none. How long it takes depends on the machine; the
 * output does not.
 */
#include "pitwall_report.h"
#include "recorder/native_places.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENOUGH 80u
#define HZ 500         /* of the program's processor time */
#define CALLERS_HZ 200 /* the highest rate at which callers are found */
#define READ_HZ 100    /* how often samples are read */
/* The thread sanitizer turns every memory access into a call, and those calls would be hot. */
#define NOINLINE __attribute__((noinline, no_sanitize("thread")))

static volatile double sink = 1.5;
static volatile unsigned rounds = 200000; /* a piece of work: a millisecond or so */

/* ---- hot functions -------------------------------------------------------------------------- */

NOINLINE static void static_hot(void)
{
    for (unsigned i = 0; i < rounds; i++)
        sink = sink * 0.999 + 0.5;
}

void exported_hot(void);
NOINLINE void exported_hot(void)
{
    for (unsigned i = 0; i < rounds; i++)
        sink = sink * 0.998 + 0.5;
}

NOINLINE static void pointed_hot(void)
{
    for (unsigned i = 0; i < rounds; i++)
        sink = sink * 0.997 + 0.5;
}
static void (*volatile pointer)(void) = pointed_hot;

static void call_pointer(void)
{
    pointer();
}

NOINLINE static unsigned recursive_hot(unsigned n)
{
    for (int i = 0; i < 20; i++)
        sink = sink * 0.996 + 0.5;
    return n < 2 ? n : recursive_hot(n - 1) + recursive_hot(n - 2);
}

static void call_recursive(void)
{
    recursive_hot(18);
}

NOINLINE static void small_hot(unsigned i)
{
    for (unsigned k = 0; k < 256; k++)
        sink = sink * 0.995 + i;
}

NOINLINE static void call_small(void)
{
    for (unsigned i = 0; i < rounds / 256; i++)
        small_hot(i);
}

NOINLINE static void call_exp(void)
{
    for (unsigned i = 0; i < rounds / 16; i++)
        sink = exp(1.0 + 1e-3 * i) * 1e-300;
}

static char block[2][256 * 1024];

NOINLINE static void call_memcpy(void)
{
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    for (unsigned i = 0; i < rounds / 4096; i++)
        copy(block[i & 1], block[~i & 1], sizeof block[0]);
}

/* Blocks of many sizes, most of which libc must cut off larger ones or put together again. */
NOINLINE static void call_malloc(void)
{
    static void *blocks[64];
    for (unsigned i = 0; i < rounds / 64; i++) {
        free(blocks[i % 64]);
        blocks[i % 64] = malloc(1500 + i * 37 % 9000);
    }
}

static void (*in_library)(void);

/* ---- where they are called -------------------------------------------------------------------- */

static void in_span(void (*work)(void))
{
    PIT_SPAN("work")
        work();
}

static void nested(void)
{
    PIT_SPAN("outer") {
        PIT_SPAN("inner")
            static_hot();
    }
}

static void between(void)
{
    in_span(call_small); /* little work */
    for (int i = 0; i < 9; i++)
        exported_hot();
}

/* Spans far shorter than the time between two samples: only the flight recorder knows where they were. */
static void alternate(void)
{
    for (int i = 0; i < 3; i++) {
        PIT_SPAN("round") {
            PIT_SPAN("first")
                static_hot();
            PIT_SPAN("second")
                exported_hot();
            pointed_hot();
        }
    }
}

static void (*work_of(const char *what))(void)
{
    static const struct {
        const char *what;
        void (*work)(void);
    } all[] = {{"static", static_hot},        {"exported", exported_hot}, {"pointer", call_pointer},
               {"recursion", call_recursive}, {"small", call_small},      {"exp", call_exp},
               {"memcpy", call_memcpy},       {"malloc", call_malloc}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].what, what) == 0)
            return all[i].work;
    return NULL;
}

/* Forbid the system call by a filter, as containers do. */
static int forbid_perf(unsigned answer)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void one_piece(const char *what)
{
    void (*work)(void) = in_library ? in_library : work_of(what);
    if (work)
        in_span(work);
    else if (strcmp(what, "nested") == 0)
        nested();
    else if (strcmp(what, "between") == 0)
        between();
    else
        alternate();
}

/* ---- what came of it ---------------------------------------------------------------------------- */

static void print_path(const pit_run *run, const pit_hot_place *place)
{
    const pit_raw_node *nodes =
        place->node == PIT_NO_NODE ? NULL : run->threads[place->thread].nodes;
    const char *names[16];
    int count = 0;
    for (uint32_t n = place->node; n != PIT_NO_NODE && count < 16; n = nodes[n].parent)
        names[count++] = nodes[n].name;
    while (count-- > 0)
        printf("%s%s", names[count], count ? "/" : "");
}

static int print_places(const char *path)
{
    pit_error error;
    pit_run *run = pit_run_open(path, &error);
    if (!run)
        return 1;
    for (size_t i = 0; i < run->place_count; i++) {
        const pit_hot_place *place = &run->places[i];
        if (place->kind != PIT_PLACE_NATIVE)
            continue;
        print_path(run, place);
        printf("\t%s\t%s\t%llu\n", place->function, place->file,
               (unsigned long long)place->samples);
    }
    const pit_place_source *source = &run->place_sources[PIT_PLACE_NATIVE];
    printf("%llu\t%llu\t%s\n", (unsigned long long)source->samples,
           (unsigned long long)source->dropped, source->reason ? source->reason : "");
    pit_run_free(run);
    return 0;
}

static uint64_t samples(void)
{
    pit_status status;
    return pit_get_status(NULL, &status) == 0 ? status.place_samples : UINT64_MAX;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const char *what = argv[2];
    if (strcmp(what, "doctor") == 0) { /* RUN is the tool, which runs with the call forbidden */
        if (forbid_perf(EPERM))
            execl(argv[1], "pitwall", "doctor", "--json", (char *)NULL);
        return 3;
    }
    void *library = argc > 3 ? dlopen(argv[3], RTLD_NOW) : NULL;
    if (library)
        *(void **)&in_library = dlsym(library, "library_hot");
    unsigned refused = strcmp(what, "eperm") == 0    ? EPERM
                       : strcmp(what, "enosys") == 0 ? ENOSYS
                                                     : 0;
    if ((argc > 3 && !in_library) || (refused && !forbid_perf(refused)))
        return 3;
    int is_of_libc =
        strcmp(what, "exp") == 0 || strcmp(what, "memcpy") == 0 || strcmp(what, "malloc") == 0;
    pit__native_hz = is_of_libc ? CALLERS_HZ : HZ;
    pit_options options = {.sample_hz = READ_HZ};
    if (pit_open(argv[1], &options) != PIT_OK)
        return 4;
    for (int i = 0; refused ? i < 3 : samples() < ENOUGH; i++)
        one_piece(refused ? "static" : what);
    pit_close();
    return print_places(argv[1]);
}

/* library_checks.c: libraries of devices, the Python package, the libraries that are preloaded.
 *
 * A driver's library may crash or block forever. So each is loaded in a separate child process with a time
 * limit, and the child sends its result through a pipe.
 */
#include "checks.h"
#include "child.h"
#include "cli.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_SECONDS 10
#define MOST_FILES 5

/* How to count its devices: each library has one call for it, after an initialising call. */
enum start { START_PLAIN, START_FLAGS, START_NONE, START_LIST };

static const struct library {
    const char *name;
    const char *files[MOST_FILES]; /* the first that can be loaded */
    enum start start;
    const char *begin, *count; /* its symbols */
    const char *remedy;
} libraries[] = {
    {"GPU: NVML",
     {"libnvidia-ml.so.1"},
     START_PLAIN,
     "nvmlInit_v2",
     "nvmlDeviceGetCount_v2",
     "install NVIDIA's driver (libnvidia-ml1); in a container: --gpus all"},
    {"GPU: CUDA",
     {"libcuda.so.1"},
     START_FLAGS,
     "cuInit",
     "cuDeviceGetCount",
     "install NVIDIA's driver (libcuda1); in a container: --gpus all"},
    {"GPU: HIP",
     {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"},
     START_NONE,
     NULL,
     "hipGetDeviceCount",
     "install ROCm; in a container: --device /dev/kfd --device /dev/dri"},
    {"GPU: ROCm SMI",
     {"librocm_smi64.so.7", "librocm_smi64.so.6", "librocm_smi64.so.5", "librocm_smi64.so.1",
      "librocm_smi64.so"},
     START_FLAGS,
     "rsmi_init",
     "rsmi_num_monitor_devices",
     "install ROCm (rocm-smi-lib); in a container: --device /dev/kfd --device /dev/dri"},
    {"GPU: OpenCL",
     {"libOpenCL.so.1"},
     START_LIST,
     NULL,
     "clGetPlatformIDs",
     "install ocl-icd-libopencl1 and the device's OpenCL driver"},
};

/* Result of the child process. */
struct finding {
    int is_loaded, has_symbols, code; /* code: of the library's own calls, 0 good */
    unsigned devices;
    char error[160]; /* of loading it */
};

typedef int begin_plain(void);
typedef int begin_flags(unsigned long flags);
typedef int count_devices(unsigned *count);
typedef int list_platforms(unsigned room, void *platforms, unsigned *count);

/* Stores a symbol as a function pointer: ISO C does not convert between the two. */
static void take_symbol(void *library, const char *name, void *function)
{
    void *symbol = name ? dlsym(library, name) : NULL;
    memcpy(function, &symbol, sizeof symbol);
}

static void count_in(const struct library *known, void *library, struct finding *found)
{
    begin_plain *plain = NULL;
    begin_flags *flags = NULL;
    count_devices *count = NULL;
    list_platforms *list = NULL;
    take_symbol(library, known->begin, known->start == START_PLAIN ? (void *)&plain : &flags);
    take_symbol(library, known->count, known->start == START_LIST ? (void *)&list : &count);
    found->has_symbols = (count || list) && (!known->begin || plain || flags);
    if (!found->has_symbols)
        return;
    if (plain || flags)
        found->code = plain ? plain() : flags(0);
    if (!found->code)
        found->code = list ? list(0, NULL, &found->devices) : count(&found->devices);
}

static void look_in_child(const struct library *known, int out)
{
    struct finding found = {0};
    alarm(MOST_SECONDS);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); /* ROCm SMI prints its own errors */
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    void *library = NULL;
    for (size_t i = 0; i < MOST_FILES && known->files[i] && !library; i++) {
        library = dlopen(known->files[i], RTLD_NOW | RTLD_LOCAL);
        const char *error = library ? NULL : dlerror();
        if (error && !*found.error)
            snprintf(found.error, sizeof found.error, "%s",
                     strstr(error, "No such file") ? "" : error);
    }
    found.is_loaded = library != NULL;
    if (library)
        count_in(known, library, &found);
    ssize_t written = write(out, &found, sizeof found);
    _exit(written != (ssize_t)sizeof found);
}

/* Returns 1 and the child's result; 0 if it sent nothing, and *status is how it ended. */
static int look(const struct library *known, struct finding *found, int *status)
{
    int ends[2];
    if (pipe(ends) != 0)
        return 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        look_in_child(known, ends[1]);
    close(ends[1]);
    ssize_t got = child > 0 ? read(ends[0], found, sizeof *found) : -1;
    close(ends[0]);
    while (child > 0 && waitpid(child, status, 0) < 0 && errno == EINTR)
        continue;
    return got == (ssize_t)sizeof *found;
}

static void library_check(struct checks *checks, const struct library *known)
{
    struct check *check = check_add(checks, known->name, 0);
    struct finding found = {0};
    int status = 0;
    if (!look(known, &found, &status)) {
        check_bad(check, CHECK_NO, known->files[0], known->remedy);
        pit__text_printf(&check->why, " did not answer: %s",
                         WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "no process for it");
    } else if (!found.is_loaded) {
        check_bad(check, CHECK_NO, *found.error ? found.error : known->files[0], known->remedy);
        if (!*found.error)
            pit__text_puts(&check->why, " is not installed");
    } else if (!found.has_symbols) {
        check_bad(check, CHECK_NO, known->files[0], known->remedy);
        pit__text_puts(&check->why, " is installed, but lacks a required function");
    } else if (found.code || found.devices == 0) {
        check_bad(check, CHECK_LIMITED, "the library is installed, but finds no device",
                  known->remedy);
        if (found.code)
            pit__text_printf(&check->why, " (its status %d)", found.code);
    } else {
        pit__text_printf(&check->figure, "%u %s%s", found.devices,
                         known->start == START_LIST ? "platform" : "device",
                         found.devices == 1 ? "" : "s");
    }
}

/* ---- Python -------------------------------------------------------------------------------- */

/* The tool of a wheel belongs to the interpreter of its environment; others to the one in PATH. */
static char *interpreter(char *path)
{
    static char in_path[] = "python3";
    int is_wheel = tool_relative("../auto", path);
    return is_wheel && tool_relative("../../../../../bin/python3", path) ? path : in_path;
}

static void python_check(struct checks *checks)
{
    static char program[] = "import signal; signal.alarm(20)\n"
                            "import sys, pitwall\n"
                            "print(sys.version.split()[0], pitwall.__file__)";
    static char option[] = "-c", off[] = "PITWALL=0";
    char path[PATH_MAX];
    char *const argv[] = {interpreter(path), option, program, NULL};
    char *const settings[] = {off, NULL};
    struct check *check = check_add(checks, "Python", 1);
    struct child child;
    int error = child_run(argv, settings, &child);
    if (error) {
        check_bad(check, CHECK_NO, strerror(error), "install python3");
        return;
    }
    char *text = child.output ? child.output : (char *)"";
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    const char *last = strrchr(text, '\n');
    if (child.status == 0) {
        pit__text_puts(&check->figure, "package for Python ");
        pit__text_add_visible(&check->figure, text);
    } else if (child.status == 127) {
        check_bad(check, CHECK_NO, "there is no python3 in PATH", "install python3");
    } else {
        check_bad(check, CHECK_NO, "",
                  "pip install . in the source tree, or its build/python on PYTHONPATH");
        pit__text_add_visible(&check->why, last ? last + 1 : text);
        if (!check->why.length)
            pit__text_printf(&check->why, "python3 ended with status %d", child.status);
    }
    child_free(&child);
}

/* ---- libraries of our own ------------------------------------------------------------------ */

static void preload_check(struct checks *checks, const char *name, const char *library)
{
    char path[PATH_MAX];
    struct check *check = check_add(checks, name, 1);
    if (library_find(library, path)) {
        pit__text_puts(&check->figure, "with LD_PRELOAD=");
        pit__text_add_visible(&check->figure, path);
    } else {
        check_bad(check, CHECK_NO, library, "make install, or build it");
        pit__text_puts(&check->why, " is not next to the tool");
    }
}

void library_checks(struct checks *checks)
{
    preload_check(checks, "allocations", "libpitwall-alloc.so");
    preload_check(checks, "functions", "libpitwall-functions.so");
    preload_check(checks, "MPI", "libpitwall-mpi.so");
    preload_check(checks, "OpenMP", "libpitwall-openmp.so");
    preload_check(checks, "OpenCL", "libpitwall-opencl.so");
    python_check(checks);
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        library_check(checks, &libraries[i]);
}

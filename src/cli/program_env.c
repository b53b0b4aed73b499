/* program_env.c: what `pitwall run` puts into the environment of the program.
 *
 *   PYTHONPATH     gets a folder in front, whose sitecustomize.py hooks PyTorch and JAX
 *   PITWALL_AUTO   1: tells that file to do so
 *   PITWALL_START  1: libpitwall-functions.so records a program that does not use Pitwall from its start
 *   LD_PRELOAD     gets at its end: libpitwall-functions.so, libpitwall-mpi.so, libpitwall-alloc.so,
 *                  libpitwall-opencl.so, libpitwall-openmp.so
 *   ASAN_OPTIONS   gcc's address sanitizer refuses to start if a library is preloaded before it;
 *                  libpitwall-functions.so defines no malloc, so the order is harmless
 *
 * All of these files are next to the tool, both in a build and in an installation.
 */
#include "cli.h"

#include "mpi_use.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_NOT_STARTED = 126 };

int tool_relative(const char *way, char *found)
{
    char tool[PATH_MAX], path[PATH_MAX + 128];
    ssize_t length = readlink("/proc/self/exe", tool, sizeof tool - 1);
    tool[length > 0 ? length : 0] = 0;
    char *slash = strrchr(tool, '/');
    if (slash)
        *slash = 0;
    if (*way == '/')
        snprintf(path, sizeof path, "%s", way);
    else
        snprintf(path, sizeof path, "%s/%s", tool, way);
    if (realpath(path, found))
        return 1;
    snprintf(found, PATH_MAX, "%s", tool);
    return 0;
}

int library_find(const char *file, char *found)
{
    char built[128], installed[PATH_MAX];
    snprintf(built, sizeof built, "../lib/%s", file);
    snprintf(installed, sizeof installed, PITWALL_PRELOADS "/%s", file);
    return tool_relative(built, found) || tool_relative(installed, found);
}

static int has_entry(const char *list, const char *entry, const char *separators)
{
    size_t length = strlen(entry);
    while (list && *list) {
        size_t bytes = strcspn(list, separators);
        if (bytes == length && strncmp(list, entry, bytes) == 0)
            return 1;
        list += bytes + (list[bytes] != 0);
    }
    return 0;
}

/* Add an entry to a variable that is a list, unless the list has it. 0 or an errno. */
static int add_entry(const char *variable, const char *entry, const char *separators, int first)
{
    const char *now = getenv(variable);
    if (!now || !*now)
        return setenv(variable, entry, 1) ? errno : 0;
    if (has_entry(now, entry, separators))
        return 0;
    size_t room = strlen(now) + strlen(entry) + 2;
    char *text = malloc(room);
    if (!text)
        return ENOMEM;
    snprintf(text, room, "%s:%s", first ? entry : now, first ? now : entry);
    int error = setenv(variable, text, 1) ? errno : 0;
    free(text);
    return error;
}

/* A missing part causes a message, but no failure: the program runs without it. */
static void tell(const char *what, const char *path, const char *why)
{
    fail(0, what, path, why);
}

static int set_python(void)
{
    char folder[PATH_MAX];
    if (!tool_relative("../python/pitwall/auto", folder) &&
        !tool_relative(PITWALL_PYTHON "/pitwall/auto", folder)) {
        tell("no hooks for Python", folder, "they are not next to the tool");
        return 0;
    }
    if (strchr(folder, ':')) {
        tell("no hooks for Python", folder, "PYTHONPATH does not support a path with a colon");
        return 0;
    }
    int error = add_entry("PYTHONPATH", folder, ":", 1);
    return error ? error : setenv("PITWALL_AUTO", "1", 1) ? errno : 0;
}

/* `library` (PATH_MAX) becomes the file's path; NULL, or why it cannot be preloaded. */
static const char *why_no_preload(const char *file, char *library)
{
    if (!library_find(file, library))
        return "not next to the tool";
    return strpbrk(library, ": ") ? "LD_PRELOAD does not support a path with a colon or a blank"
                                  : NULL;
}

/* A Python program loses nothing by a folder with a blank in its name: it has its own hooks. */
static int set_functions(const char *program)
{
    char library[PATH_MAX];
    const char *why = why_no_preload("libpitwall-functions.so", library);
    if (why && strchr(library, ' ') && program_is_python(program))
        return 0;
    if (why) {
        tell("no spans of C functions: libpitwall-functions.so", library, why);
        return 0;
    }
    int error = add_entry("LD_PRELOAD", library, ": ", 0);
    return error ? error : add_entry("ASAN_OPTIONS", "verify_asan_link_order=0", ":", 1);
}

/* `without`: what will be missing, and the library's name. 0 or an errno. */
static int preload_or_tell(const char *without, const char *file)
{
    char library[PATH_MAX];
    const char *why = why_no_preload(file, library);
    if (!why)
        return add_entry("LD_PRELOAD", library, ": ", 0);
    tell(without, library, why);
    return 0;
}

static int set_mpi(const char *program)
{
    return mpi_is_used(program)
               ? preload_or_tell("no spans of MPI calls: libpitwall-mpi.so", "libpitwall-mpi.so")
               : 0;
}

static int set_or_fail(int error)
{
    return error ? fail(EXIT_NOT_STARTED, "cannot set the environment", NULL, strerror(error)) : 0;
}

/* `option`: the option that requires it, and the library's name. */
static int preload_or_fail(const char *option, const char *file)
{
    char library[PATH_MAX];
    const char *why = why_no_preload(file, library);
    if (why)
        return fail(EXIT_CANNOT_READ, option, library, why);
    return set_or_fail(add_entry("LD_PRELOAD", library, ": ", 0));
}

int alloc_environment(void)
{
    return preload_or_fail("--alloc: libpitwall-alloc.so", "libpitwall-alloc.so");
}

int opencl_environment(const char *program)
{
    if (program && !program_needs(program, "libOpenCL.so"))
        return 0;
    return preload_or_fail("--opencl: libpitwall-opencl.so", "libpitwall-opencl.so");
}

int openmp_environment(const char *program)
{
    static const char library[] = "libpitwall-openmp.so";
    if (!program)
        return preload_or_fail("--openmp: libpitwall-openmp.so", library);
    if (!program_needs(program, "libgomp.so") && !program_needs(program, "libomp.so") &&
        !program_needs(program, "libiomp5.so"))
        return 0;
    return set_or_fail(preload_or_tell("no teams of OpenMP: libpitwall-openmp.so", library));
}

int hooks_environment(const char *program)
{
    int status = auto_environment(program);
    if (!status)
        status = opencl_environment(program);
    return status ? status : openmp_environment(program);
}

int auto_environment(const char *program)
{
    int error = set_python();
    if (!error)
        error = set_functions(program);
    if (!error && program_is_plain(program) && setenv("PITWALL_START", "1", 1))
        error = errno;
    return set_or_fail(error ? error : set_mpi(program));
}

/* tool_launcher.c: the command `pitwall` of an installed wheel. It replaces itself by the tool inside the
 * package, which has its libraries, headers and hooks next to it. The relative path from the folder of
 * commands to the package depends on the installation: the usual ones are tried, then Python is asked. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL "pitwall/bin/pitwall"

/* Relative to the folder of commands: an environment or a prefix, Debian's own, pip install --target. */
static const char *const ways[] = {
    "../lib/" PYTHON_FOLDER "/site-packages/" TOOL,
    "../lib64/" PYTHON_FOLDER "/site-packages/" TOOL,
    "../lib/" PYTHON_FOLDER "/dist-packages/" TOOL,
    "../" TOOL,
};

/* `python -m pitwall` finds the package wherever it is, and the tool in it. */
static void ask_python(const char *folder, int argc, char **argv)
{
    static char module[] = "-m", name[] = "pitwall";
    char python[PATH_MAX + 32];
    char **words = calloc((size_t)argc + 3, sizeof *words);
    if (!words)
        return;
    snprintf(python, sizeof python, "%s/%s", folder, PYTHON_FOLDER);
    words[0] = python;
    words[1] = module;
    words[2] = name;
    for (int i = 1; i < argc; i++)
        words[i + 2] = argv[i];
    setenv("PITWALL_LAUNCHER", "1", 1); /* the pitwall in PATH is this program: do not start it again */
    execv(python, words);
    free(words);
}

int main(int argc, char **argv)
{
    char folder[PATH_MAX], path[PATH_MAX + 128];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = 0;
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    int error = ENOENT;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, ways[i]);
        execv(path, argv);
        if (errno != ENOENT && errno != ENOTDIR)
            error = errno;
    }
    ask_python(folder, argc, argv);
    fprintf(stderr,
            "pitwall: cannot start the tool of the Python package: %s/%s: %s; try %s -m pitwall\n",
            folder, ways[0], strerror(error), PYTHON_FOLDER);
    return 126;
}

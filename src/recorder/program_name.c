/* The name of a program. For Python it is the script or module, not the interpreter. */
#include "place.h"
#include "recorder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ARGUMENTS_MOST 64 /* searched for the script */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* python, python3, python3.13t, pypy3.10 */
static int is_interpreter(const char *name)
{
    static const char *const kinds[] = {"python", "pypy"};
    static const char *const builds[] = {"", "t", "d", "-dbg"};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strncmp(name, kinds[k], strlen(kinds[k])) != 0)
            continue;
        const char *rest = name + strlen(kinds[k]);
        rest += strspn(rest, "0123456789.");
        for (size_t b = 0; b < sizeof builds / sizeof builds[0]; b++)
            if (strcmp(rest, builds[b]) == 0)
                return 1;
    }
    return 0;
}

/* The operand of an option letter: in the same argument or the next one; NULL: none. */
static const char *operand(const char *const *argv, size_t i, const char *letter)
{
    return letter[1] ? letter + 1 : argv[i + 1];
}

/* The script or module of Python's command line; NULL: a command, standard input or none. Options
 * are letters, several in one argument; -W and -X have an operand, -c and -m are the last. */
static const char *script_of(const char *const *argv)
{
    for (size_t i = 1; argv[i]; i++) {
        const char *argument = argv[i];
        if (argument[0] != '-')
            return argument;
        if (strcmp(argument, "--") == 0)
            return argv[i + 1];
        int has_operand = strcmp(argument, "--check-hash-based-pycs") == 0;
        if (!argument[1])
            return NULL;
        for (const char *c = argument + 1; argument[1] != '-' && *c; c++) {
            if (*c == 'c')
                return NULL;
            if (*c == 'm')
                return operand(argv, i, c);
            if (*c == 'W' || *c == 'X') {
                has_operand = !c[1];
                break;
            }
        }
        if (has_operand && argv[i + 1])
            i++;
    }
    return NULL;
}

void pit__program_of(struct pit__program *program, const char *const *argv)
{
    const char *name = last_part(argv[0]);
    const char *script = is_interpreter(name) ? script_of(argv) : NULL;
    script = script ? last_part(script) : "";
    int has_script = strspn(script, ".") < strlen(script); /* a folder, as . or x/, has no name */
    *program = (struct pit__program){0};
    snprintf(program->name, sizeof program->name, "%s", has_script ? script : name);
    snprintf(program->interpreter, sizeof program->interpreter, "%s", has_script ? name : "");
}

void pit__program_own(struct pit__program *program)
{
    char text[4096];
    const char *argv[ARGUMENTS_MOST + 1];
    ssize_t length = pit__command_line(text, sizeof text);
    size_t count = 0;
    for (ssize_t at = 0; at < length && count < ARGUMENTS_MOST;
         at += (ssize_t)strlen(text + at) + 1)
        argv[count++] = text + at;
    argv[count] = NULL;
    *program = (struct pit__program){"program", ""};
    if (count > 0)
        pit__program_of(program, argv);
    /* without an interpreter, the program may have changed its own name */
    if (!program->interpreter[0] && program_invocation_short_name)
        snprintf(program->name, sizeof program->name, "%s", program_invocation_short_name);
}

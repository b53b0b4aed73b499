/* program_needs.c: which libraries a program is linked with, to decide what to preload, and whether it is to
 * be recorded from its start on. */
#include "cli.h"

#include "base/elf_file.h"
#include "mpi_use.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets `path` (PATH_MAX) to the program's file, as execvp finds it. */
static int find_program(const char *program, char *path)
{
    const char *folders = getenv("PATH");
    if (strchr(program, '/') || !folders)
        return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX;
    while (*folders) {
        size_t length = strcspn(folders, ":");
        int fits = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, length ? folders : ".",
                            program) < PATH_MAX;
        if (fits && access(path, X_OK) == 0)
            return 1;
        folders += length + (folders[length] == ':');
    }
    return 0;
}

/* The offset in the file of an address; 0: it has none. */
static uint64_t offset_of(const struct pit__elf *elf, uint64_t address)
{
    ElfW(Phdr) segment;
    for (uint64_t i = 0; i < elf->header.e_phnum; i++)
        if (pit__elf_segment(elf, i, &segment) && segment.p_type == PT_LOAD &&
            address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    return 0;
}

/* Entry i of the dynamic section; 0 at its end. */
static int entry_at(const struct pit__elf *elf, const ElfW(Phdr) * list, uint64_t i,
                    ElfW(Dyn) * entry)
{
    return (i + 1) * sizeof *entry <= list->p_filesz &&
           pit__elf_read(elf, entry, sizeof *entry, list->p_offset + i * sizeof *entry) &&
           entry->d_tag != DT_NULL;
}

static int list_names(const struct pit__elf *elf, const ElfW(Phdr) * list, const char *library)
{
    ElfW(Dyn) entry;
    uint64_t texts = 0;
    char name[256];
    for (uint64_t i = 0; entry_at(elf, list, i, &entry); i++)
        if (entry.d_tag == DT_STRTAB)
            texts = offset_of(elf, entry.d_un.d_ptr);
    for (uint64_t i = 0; texts && entry_at(elf, list, i, &entry); i++)
        if (entry.d_tag == DT_NEEDED &&
            pit__elf_text(elf, texts + entry.d_un.d_val, name, sizeof name) &&
            strncmp(name, library, strlen(library)) == 0)
            return 1;
    return 0;
}

int program_needs(const char *program, const char *library)
{
    char path[PATH_MAX];
    struct pit__elf elf;
    ElfW(Phdr) segment;
    int needs = 0;
    if (!find_program(program, path) || !pit__elf_open(&elf, path))
        return 0;
    for (uint64_t i = 0; i < elf.header.e_phnum && !needs; i++)
        if (pit__elf_segment(&elf, i, &segment) && segment.p_type == PT_DYNAMIC)
            needs = list_names(&elf, &segment, library);
    pit__elf_close(&elf);
    return needs;
}

/* ---- programs that do not use Pitwall ---------------------------------------------------------- */

/* Programs of the system usually start other programs; they do not compute. */
static int is_systems(const char *path)
{
    static const char *const folders[] = {"/usr/", "/bin/", "/sbin/", "/lib/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return strncmp(path, "/usr/local/", strlen("/usr/local/")) != 0;
    return 0;
}

/* Python has its own hooks. A shell or a launcher leaves the run to the program that it starts. */
static int starts_others(const char *path)
{
    static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh", "fish"};
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(name, shells[i]) == 0)
            return 1;
    return strncmp(name, "python", 6) == 0 || strncmp(name, "pypy", 4) == 0 ||
           mpi_is_launcher(name);
}

static int is_dynamic(const char *path)
{
    struct pit__elf elf;
    ElfW(Phdr) segment;
    int is = 0;
    if (!pit__elf_open(&elf, path))
        return 0;
    for (uint64_t i = 0; i < elf.header.e_phnum && !is; i++)
        is = pit__elf_segment(&elf, i, &segment) && segment.p_type == PT_INTERP;
    pit__elf_close(&elf);
    return is;
}

/* Is the text in the file? A program with libpitwall.a contains the names of our variables, even when it
 * has no symbols. */
static int has_text(const char *path, const char *text)
{
    char piece[1 << 16];
    size_t length = strlen(text), kept = 0, got;
    int has = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    while (!has && (got = fread(piece + kept, 1, sizeof piece - kept, file)) > 0) {
        size_t all = kept + got;
        has = memmem(piece, all, text, length) != NULL;
        kept = all < length ? all : length - 1;
        memmove(piece, piece + all - kept, kept);
    }
    fclose(file);
    return has;
}

int program_is_python(const char *program)
{
    const char *name = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
    return strncmp(name, "python", strlen("python")) == 0;
}

int program_is_plain(const char *program)
{
    char path[PATH_MAX], whole[PATH_MAX];
    return find_program(program, path) && realpath(path, whole) && !is_systems(whole) &&
           !starts_others(whole) && is_dynamic(whole) && !program_needs(whole, "libpitwall") &&
           !program_needs(whole, "libpython") && !has_text(whole, "PITWALL_FILE");
}

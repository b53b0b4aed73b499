/* See mpi_use.h. */
#include "mpi_use.h"

#include "base/elf_file.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What launchers tell each rank: OpenMPI, PMIx, the PMI of MPICH and Slurm, Intel MPI. */
static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "MPI_LOCALRANKID", "MV2_COMM_WORLD_RANK"};

static int is_launcher(const char *program)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun"};
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 && (!name[length] || name[length] == '.'))
            return 1;
    }
    return 0;
}

/* As execvp would find it; 0: it is nowhere. */
static int find_program(const char *program, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    if (strchr(program, '/'))
        return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX;
    for (const char *at = folders ? folders : ""; *at;) {
        size_t length = strcspn(at, ":");
        int wrote = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, program);
        if (wrote < PATH_MAX && access(path, X_OK) == 0)
            return 1;
        at += length + (at[length] != 0);
    }
    return 0;
}

/* Where in the file the byte at an address is. */
static int offset_of(const struct pit__elf *elf, uint64_t address, uint64_t *offset)
{
    ElfW(Phdr) segment;
    for (uint64_t i = 0; i < elf->header.e_phnum && pit__elf_segment(elf, i, &segment); i++)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz) {
            *offset = segment.p_offset + (address - segment.p_vaddr);
            return 1;
        }
    return 0;
}

#define MOST_ENTRIES 4096u

/* Entry i of the dynamic section; 0: there is none. */
static int entry_at(const struct pit__elf *elf, const ElfW(Phdr) * dynamic, uint64_t i,
                    ElfW(Dyn) * entry)
{
    return i < MOST_ENTRIES && (i + 1) * sizeof *entry <= dynamic->p_filesz &&
           pit__elf_read(elf, entry, sizeof *entry, dynamic->p_offset + i * sizeof *entry) &&
           entry->d_tag != DT_NULL;
}

static int needs_mpi(const struct pit__elf *elf, const ElfW(Phdr) * dynamic)
{
    ElfW(Dyn) entry;
    uint64_t texts = 0;
    char name[64];
    for (uint64_t i = 0; entry_at(elf, dynamic, i, &entry); i++)
        if (entry.d_tag == DT_STRTAB && !offset_of(elf, entry.d_un.d_ptr, &texts))
            return 0;
    for (uint64_t i = 0; texts && entry_at(elf, dynamic, i, &entry); i++)
        if (entry.d_tag == DT_NEEDED &&
            pit__elf_text(elf, texts + entry.d_un.d_val, name, sizeof name) &&
            strncmp(name, "libmpi", 6) == 0)
            return 1;
    return 0;
}

static int is_linked_with_mpi(const char *path)
{
    struct pit__elf elf;
    ElfW(Phdr) segment;
    int needs = 0;
    if (!pit__elf_open(&elf, path))
        return 0;
    for (uint64_t i = 0; !needs && i < elf.header.e_phnum && pit__elf_segment(&elf, i, &segment);
         i++)
        needs = segment.p_type == PT_DYNAMIC && needs_mpi(&elf, &segment);
    pit__elf_close(&elf);
    return needs;
}

int mpi_is_used(const char *program)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i]))
            return 1;
    return is_launcher(program) || (find_program(program, path) && is_linked_with_mpi(path));
}

/* See elf_file.h. */
#include "elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWN_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

int pit__elf_open(struct pit__elf *elf, const char *path)
{
    elf->fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (elf->fd < 0)
        return 0;
    if (pit__elf_read(elf, &elf->header, sizeof elf->header, 0) &&
        memcmp(elf->header.e_ident, ELFMAG, SELFMAG) == 0 &&
        elf->header.e_ident[EI_CLASS] == OWN_CLASS && elf->header.e_phentsize == sizeof(ElfW(Phdr)))
        return 1;
    pit__elf_close(elf);
    return 0;
}

void pit__elf_close(struct pit__elf *elf)
{
    if (elf->fd >= 0)
        syscall(SYS_close, elf->fd);
    elf->fd = -1;
}

int pit__elf_read(const struct pit__elf *elf, void *to, uint64_t bytes, uint64_t offset)
{
    for (uint64_t done = 0; done < bytes;) {
        long got =
            syscall(SYS_pread64, elf->fd, (char *)to + done, bytes - done, (long)(offset + done));
        if (got <= 0)
            return 0;
        done += (uint64_t)got;
    }
    return 1;
}

int pit__elf_text(const struct pit__elf *elf, uint64_t offset, char *to, uint64_t room)
{
    long got = syscall(SYS_pread64, elf->fd, to, room - 1, (long)offset);
    to[got > 0 ? got : 0] = 0;
    return to[0] != 0;
}

int pit__elf_segment(const struct pit__elf *elf, uint64_t i, ElfW(Phdr) * segment)
{
    return pit__elf_read(elf, segment, sizeof *segment, elf->header.e_phoff + i * sizeof *segment);
}

int pit__elf_find_symbols(struct pit__elf *elf)
{
    const ElfW(Ehdr) *header = &elf->header;
    ElfW(Shdr) section;
    int found = 0;
    if (header->e_shentsize != sizeof section)
        return 0;
    for (uint64_t i = 0; i < header->e_shnum; i++) {
        if (!pit__elf_read(elf, &section, sizeof section, header->e_shoff + i * sizeof section))
            return 0;
        int wanted = section.sh_type == SHT_SYMTAB || (!found && section.sh_type == SHT_DYNSYM);
        if (!wanted || section.sh_entsize != sizeof(ElfW(Sym)) ||
            section.sh_link >= header->e_shnum)
            continue;
        if (!pit__elf_read(elf, &elf->texts, sizeof section,
                           header->e_shoff + section.sh_link * sizeof section))
            return 0;
        elf->symbols = section;
        found = 1;
    }
    return found;
}

uint32_t pit__elf_rank(const ElfW(Sym) * symbol)
{
    unsigned char bind = ELF64_ST_BIND(symbol->st_info);
    return bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;
}

/* elf_file.h: the symbol table of a program or shared object, read from its file.
 *
 * The file is read, not mapped: if another process cut a mapped file, the program would be killed. Nothing
 * is allocated, and files are opened, read and closed by bare system calls: the sampler's thread has a
 * separate table of descriptors, and tools that track descriptors through libc calls would take its
 * numbers for the program's.
 */
#ifndef PIT_ELF_FILE_H
#define PIT_ELF_FILE_H

#include <link.h>
#include <stdint.h>

struct pit__elf {
    int fd;
    ElfW(Ehdr) header;
    ElfW(Shdr) symbols, texts; /* set by pit__elf_find_symbols */
};

/* Returns 1 if it is an ELF file for this machine; then close it. */
int pit__elf_open(struct pit__elf *elf, const char *path);
void pit__elf_close(struct pit__elf *elf);

/* Returns 1 if all bytes were read. */
int pit__elf_read(const struct pit__elf *elf, void *to, uint64_t bytes, uint64_t offset);
/* The text at an offset, cut to `room`; returns 1 if there is one. */
int pit__elf_text(const struct pit__elf *elf, uint64_t offset, char *to, uint64_t room);
/* Segment i of header.e_phnum. */
int pit__elf_segment(const struct pit__elf *elf, uint64_t i, ElfW(Phdr) * segment);

/* Find .symtab, which also has the static functions, and its strings; else .dynsym. Returns 0 if there is
 * neither. */
int pit__elf_find_symbols(struct pit__elf *elf);

/* If several symbols have the same address, the one with the lowest rank names it. */
uint32_t pit__elf_rank(const ElfW(Sym) * symbol);

#endif

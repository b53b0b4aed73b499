/* See symbol_names.h.
 *
 * A module is the executable or a shared object. At its first lookup its symbols are read
 * from its file (.symtab with the static functions, or .dynsym if it is stripped) and sorted by
 * address.
 *
 *   address ──▶ dl_iterate_phdr: the module ──▶ its table: the symbol ──▶ cpp_name: the name
 *
 * Modules are in a list that only grows. If two threads read the same one at once, both tables are
 * valid, and the second is left unused.
 */
#include "symbol_names.h"

#include "base/cpp_name.h"
#include "base/elf_file.h"
#include "own_pages.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_TABLE_BYTES ((uint64_t)1 << 30)

struct symbol {
    uint64_t value, bytes; /* value: from the module's base */
    uint32_t name;         /* in texts */
    uint32_t rank;         /* of several at one address the lowest is taken */
};

struct module {
    struct module *next;
    uintptr_t base, low, high; /* high: behind the last segment */
    size_t count;
    struct symbol *symbols; /* by value, then by rank */
    const char *texts;
    char file[256]; /* without folders */
};

static struct module *modules; /* grows at the head */

/* ---- reading a file ------------------------------------------------------------------------- */

/* A part of the file in separate pages, with a terminating zero; NULL if empty or not available. */
static void *read_bytes(const struct pit__elf *elf, uint64_t offset, uint64_t bytes)
{
    char *part = bytes < MAX_TABLE_BYTES ? pit__own_pages(bytes + 1) : NULL;
    if (part && pit__elf_read(elf, part, bytes, offset))
        return part;
    if (part)
        munmap(part, bytes + 1);
    return NULL;
}

/* The file must be the one that was loaded: a library that was rebuilt meanwhile has other
 * segments. */
static int is_loaded_one(const struct pit__elf *elf, const struct dl_phdr_info *info)
{
    ElfW(Phdr) one;
    if (elf->header.e_phnum != info->dlpi_phnum)
        return 0;
    for (uint64_t i = 0; i < elf->header.e_phnum; i++)
        if (!pit__elf_segment(elf, i, &one) || memcmp(&one, &info->dlpi_phdr[i], sizeof one) != 0)
            return 0;
    return 1;
}

/* ---- sorting: heap sort, which needs no memory ------------------------------------------------ */

static int comes_before(const struct symbol *a, const struct symbol *b)
{
    return a->value != b->value ? a->value < b->value : a->rank < b->rank;
}

static void sift(struct symbol *symbols, size_t at, size_t count)
{
    struct symbol moved = symbols[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && comes_before(&symbols[child], &symbols[child + 1]);
        if (!comes_before(&moved, &symbols[child]))
            break;
        symbols[at] = symbols[child];
    }
    symbols[at] = moved;
}

static void sort(struct symbol *symbols, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(symbols, i, count);
    for (size_t end = count; end > 1;) {
        struct symbol largest = symbols[0];
        symbols[0] = symbols[--end];
        symbols[end] = largest;
        sift(symbols, 0, end);
    }
}

/* ---- a module -------------------------------------------------------------------------------- */

/* Functions, and data for lookups by name; in a stripped program also the entries through which
 * it calls functions of other modules, whose addresses represent them. */
static size_t keep_symbols(struct module *module, const ElfW(Sym) * from, size_t count,
                           uint64_t text_bytes)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned char type = ELF64_ST_TYPE(from[i].st_info);
        int fits = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT;
        if (fits && from[i].st_value && from[i].st_name < text_bytes)
            module->symbols[kept++] = (struct symbol){from[i].st_value, from[i].st_size,
                                                      from[i].st_name, pit__elf_rank(&from[i])};
    }
    return kept;
}

static void read_symbols(struct module *module, const struct pit__elf *elf)
{
    size_t count = elf->symbols.sh_size / sizeof(ElfW(Sym));
    ElfW(Sym) *from = read_bytes(elf, elf->symbols.sh_offset, elf->symbols.sh_size);
    if (!from)
        return;
    module->texts = read_bytes(elf, elf->texts.sh_offset, elf->texts.sh_size);
    module->symbols = module->texts ? pit__own_pages(count * sizeof *module->symbols) : NULL;
    if (module->symbols) {
        module->count = keep_symbols(module, from, count, elf->texts.sh_size);
        sort(module->symbols, module->count);
    }
    munmap(from, elf->symbols.sh_size + 1);
}

static void note_segments(struct module *module, const struct dl_phdr_info *info)
{
    module->base = info->dlpi_addr;
    module->low = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + segment->p_vaddr, high = low + segment->p_memsz;
        if (segment->p_type != PT_LOAD)
            continue;
        module->low = low < module->low ? low : module->low;
        module->high = high > module->high ? high : module->high;
    }
}

/* The executable has no name in glibc's list, and one in musl's; the link leads to its file even if it was
 * replaced. */
static int is_executable(const struct dl_phdr_info *info)
{
    return !info->dlpi_name || !info->dlpi_name[0] ||
           (uintptr_t)info->dlpi_phdr == getauxval(AT_PHDR);
}

static void name_file(struct module *module, const struct dl_phdr_info *info)
{
    char link[PATH_MAX] = "";
    const char *path = info->dlpi_name;
    if (is_executable(info)) {
        ssize_t length = readlink("/proc/self/exe", link, sizeof link - 1);
        link[length > 0 ? length : 0] = 0;
        path = link;
    }
    const char *slash = strrchr(path, '/');
    size_t length = strnlen(slash ? slash + 1 : path, sizeof module->file - 1);
    memcpy(module->file, slash ? slash + 1 : path, length);
}

static struct module *module_new(const struct dl_phdr_info *info)
{
    struct module *module = pit__own_pages(sizeof *module);
    struct pit__elf elf;
    if (!module)
        return NULL;
    note_segments(module, info);
    name_file(module, info);
    if (!pit__elf_open(&elf, is_executable(info) ? "/proc/self/exe" : info->dlpi_name))
        return module;
    if (is_loaded_one(&elf, info) && pit__elf_find_symbols(&elf))
        read_symbols(module, &elf);
    pit__elf_close(&elf);
    return module;
}

static void list_add(struct module *module)
{
    module->next = __atomic_load_n(&modules, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&modules, &module->next, module, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

static struct module *list_find(uintptr_t address)
{
    struct module *module = __atomic_load_n(&modules, __ATOMIC_ACQUIRE);
    while (module && (address < module->low || address >= module->high))
        module = module->next;
    return module;
}

struct search {
    uintptr_t address; /* 0: the executable */
    struct module *found;
};

static int is_in(const struct dl_phdr_info *info, uintptr_t address)
{
    struct module range = {0};
    note_segments(&range, info);
    return address >= range.low && address < range.high;
}

static int look_at(struct dl_phdr_info *info, size_t bytes, void *argument)
{
    struct search *search = argument;
    (void)bytes;
    if (!is_in(info, search->address))
        return 0;
    search->found = module_new(info);
    if (search->found)
        list_add(search->found);
    return 1;
}

static struct module *module_of(uintptr_t address)
{
    struct search search = {address, list_find(address)};
    if (!search.found)
        dl_iterate_phdr(look_at, &search);
    return search.found;
}

/* ---- lookups --------------------------------------------------------------------------------- */

static const struct symbol *symbol_at(const struct module *module, uint64_t value)
{
    size_t low = 0, high = module->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (module->symbols[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < module->count && module->symbols[low].value == value ? &module->symbols[low]
                                                                      : NULL;
}

size_t pit__symbol_name(const void *address, char *name, size_t room)
{
    struct module *module = module_of((uintptr_t)address);
    if (!module) {
        snprintf(name, room, "%p", address);
        return 0;
    }
    uint64_t value = (uintptr_t)address - module->base;
    const struct symbol *symbol = symbol_at(module, value);
    if (!symbol) {
        snprintf(name, room, "%s+0x%llx", module->file, (unsigned long long)value);
        return 0;
    }
    const char *text = module->texts + symbol->name;
    if (!pit__cpp_name(text, name, room)) /* a version is not part of the name */
        snprintf(name, room, "%.*s", (int)strcspn(text, "@"), text);
    return symbol->bytes;
}

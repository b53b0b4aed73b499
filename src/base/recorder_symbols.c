/* recorder_symbols.c: a process has one recorder, so look for it before loading one:
 *
 *   1. by the loader: the program, or one of its libraries, is linked with libpitwall.so
 *   2. in the executable's own symbols: it contains libpitwall.a
 *   3. libpitwall.so.0 in the folder of this library. If the process has loaded it already, or loads it
 *      later (as the Python extension does), the loader gives both the same one, by its soname.
 */
#include "recorder_symbols.h"

#include "elf_file.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 64u

static int find_loaded(void *library, const char *const *names, void **found, size_t needed,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(found[i] = dlsym(library, names[i])) && i < needed)
            return 0;
    return 1;
}

static int note_base(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(ElfW(Addr) *)base = info->dlpi_addr;
    return 1; /* the first is the executable */
}

/* The value of a symbol of the file; 0 if there is no symbol of that name. */
static ElfW(Addr) value_of(const struct pit__elf *elf, const char *name)
{
    ElfW(Sym) symbols[AT_ONCE];
    uint64_t total = elf->symbols.sh_size / sizeof symbols[0], length = strlen(name) + 1;
    char text[64];
    for (uint64_t at = 0; at < total; at += AT_ONCE) {
        uint64_t some = total - at < AT_ONCE ? total - at : AT_ONCE;
        if (!pit__elf_read(elf, symbols, some * sizeof symbols[0],
                           elf->symbols.sh_offset + at * sizeof symbols[0]))
            return 0;
        for (uint64_t i = 0; i < some; i++) {
            uint64_t offset = elf->texts.sh_offset + symbols[i].st_name;
            if (symbols[i].st_shndx != SHN_UNDEF &&
                ELF64_ST_BIND(symbols[i].st_info) != STB_LOCAL && length <= sizeof text &&
                pit__elf_read(elf, text, length, offset) && memcmp(text, name, length) == 0)
                return symbols[i].st_value;
        }
    }
    return 0;
}

static int find_in_executable(const char *const *names, void **found, size_t needed, size_t count)
{
    struct pit__elf elf;
    ElfW(Addr) base = 0;
    if (!pit__elf_open(&elf, "/proc/self/exe"))
        return 0;
    dl_iterate_phdr(note_base, &base);
    int has_all = pit__elf_find_symbols(&elf);
    for (size_t i = 0; has_all && i < count; i++) {
        ElfW(Addr) value = value_of(&elf, names[i]);
        found[i] = NULL;
        if (value)
            memcpy(&found[i], &(ElfW(Addr)){base + value}, sizeof found[i]);
        else if (i < needed)
            has_all = 0;
    }
    pit__elf_close(&elf);
    return has_all;
}

static int is_asked_for(void)
{
    const char *on = secure_getenv("PITWALL"), *file = secure_getenv("PITWALL_FILE");
    if (on && (strcmp(on, "0") == 0 || strcmp(on, "off") == 0))
        return 0;
    return (on && *on) || (file && *file);
}

int pit__recorder_symbols(const char *const *names, void **found, size_t needed, size_t count)
{
    if (find_loaded(RTLD_DEFAULT, names, found, needed, count) ||
        find_in_executable(names, found, needed, count))
        return 1;
    void *library = is_asked_for() ? dlopen("libpitwall.so.0", RTLD_NOW | RTLD_LOCAL) : NULL;
    return library && find_loaded(library, names, found, needed, count);
}

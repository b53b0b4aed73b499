/* See code_names.h.
 *
 *   address ──▶ /proc/thread-self/maps: the file ──▶ its symbols, read once for all addresses in it
 *                                                └──▶ .eh_frame_hdr, where no symbol covers it
 *
 * Only the functions found are kept: symbol tables can be large, and the program's memory is being
 * measured. Stripped libraries still list where each function begins, for exceptions, so that all samples
 * in one function are one place. A variant of memcpy or exp that libc chose at the start has no symbol;
 * code_variants.c knows its address.
 */
#include "code_names.h"

#include "base/cpp_name.h"
#include "base/elf_file.h"
#include "code_maps.h"
#include "code_variants.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One address to be found in one module. Addresses here are those of the file's own (p_vaddr). */
struct wanted {
    uint64_t address;   /* in the process */
    uint64_t value;     /* in the file */
    uint64_t low, high; /* of the best symbol so far; high 0: none */
    uint32_t rank;      /* of that symbol */
    uint64_t text;      /* offset of that symbol's name in the file */
};

/* A mapping of code, and the wanted addresses in it. */
struct mapping {
    struct pit__code_map at;
    uint32_t count;
    struct wanted wanted[PIT__CODE_WANTED];
};

/* ---- what is known ------------------------------------------------------------------------- */

const struct pit__code_function *pit__code_known(const struct pit__code_names *names,
                                                 uint64_t address)
{
    for (uint32_t i = 0; i < PIT__CODE_FUNCTIONS; i++)
        if (address < names->high[i] && address >= names->low[i])
            return &names->functions[i];
    return NULL;
}

void pit__code_forget(struct pit__code_names *names, uint64_t low, uint64_t high)
{
    for (uint32_t i = 0; i < PIT__CODE_FUNCTIONS; i++)
        if (names->low[i] < high && names->high[i] > low)
            names->high[i] = 0;
}

int pit__code_has_name(const struct pit__code_function *function)
{
    size_t bytes = strlen(function->file);
    int is_begin = strncmp(function->name, function->file, bytes) == 0 &&
                   strncmp(function->name + bytes, "+0x", 3) == 0;
    return !is_begin && function->name[0] != '[';
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static struct pit__code_function *add(struct pit__code_names *names, uint64_t low, uint64_t high,
                                      const char *path)
{
    uint32_t i = names->next;
    names->next = (i + 1) % PIT__CODE_FUNCTIONS;
    names->low[i] = low;
    names->high[i] = high;
    snprintf(names->functions[i].file, sizeof names->functions[i].file, "%.*s",
             (int)sizeof names->functions[i].file - 1, file_name(path));
    return &names->functions[i];
}

/* ---- symbols ------------------------------------------------------------------------------- */

/* An inner symbol is better than one around it; a symbol without a size only gives the begin. */
static void consider(struct wanted *w, const ElfW(Sym) * symbol, uint64_t text)
{
    uint64_t low = symbol->st_value, high = low + symbol->st_size;
    uint32_t rank = pit__elf_rank(symbol);
    if (w->value < low || w->value >= high)
        return;
    if (w->high && (low < w->low || (low == w->low && rank >= w->rank)))
        return;
    w->low = low;
    w->high = high;
    w->rank = rank;
    w->text = text;
}

static void consider_all(struct mapping *map, const ElfW(Sym) * symbols, uint64_t count,
                         const struct pit__elf *elf, uint64_t lowest, uint64_t highest)
{
    for (uint64_t i = 0; i < count; i++) {
        unsigned char type = ELF64_ST_TYPE(symbols[i].st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbols[i].st_value > highest ||
            symbols[i].st_value + symbols[i].st_size <= lowest || !symbols[i].st_value ||
            symbols[i].st_name >= elf->texts.sh_size)
            continue;
        for (uint32_t k = 0; k < map->count; k++)
            consider(&map->wanted[k], &symbols[i], elf->texts.sh_offset + symbols[i].st_name);
    }
}

static void read_symbols(struct pit__code_names *names, struct mapping *map, struct pit__elf *elf)
{
    uint64_t lowest = UINT64_MAX, highest = 0;
    if (!pit__elf_find_symbols(elf))
        return;
    for (uint32_t k = 0; k < map->count; k++) {
        lowest = map->wanted[k].value < lowest ? map->wanted[k].value : lowest;
        highest = map->wanted[k].value > highest ? map->wanted[k].value : highest;
    }
    ElfW(Sym) *symbols = names->symbols;
    uint64_t room = PIT__CODE_SYMBOLS;
    uint64_t count = elf->symbols.sh_size / sizeof *symbols;
    for (uint64_t done = 0; done < count; done += room) {
        uint64_t now = count - done < room ? count - done : room;
        if (!pit__elf_read(elf, symbols, now * sizeof *symbols,
                           elf->symbols.sh_offset + done * sizeof *symbols))
            return;
        consider_all(map, symbols, now, elf, lowest, highest);
    }
}

/* ---- begins of functions without a symbol ---------------------------------------------------- */

/* .eh_frame_hdr as all linkers make it: a table sorted by address, of pairs of 32-bit offsets from its
 * own address. */
struct frame_table {
    uint64_t offset, value; /* of the table in the file; what its offsets count from */
    uint32_t count;
};

#define EH_VERSION 1
#define EH_POINTER 0x1b /* relative to itself, 32 bits */
#define EH_COUNT 0x03   /* 32 bits */
#define EH_TABLE 0x3b   /* relative to the header, 32 bits */

static int find_frames(const struct pit__elf *elf, struct frame_table *table)
{
    struct {
        unsigned char version, pointer, count, table;
        int32_t frames;
        uint32_t entries;
    } header;
    ElfW(Phdr) segment;
    for (uint64_t i = 0; i < elf->header.e_phnum; i++) {
        if (!pit__elf_segment(elf, i, &segment))
            return 0;
        if (segment.p_type != PT_GNU_EH_FRAME)
            continue;
        if (!pit__elf_read(elf, &header, sizeof header, segment.p_offset) ||
            header.version != EH_VERSION || header.pointer != EH_POINTER ||
            header.count != EH_COUNT || header.table != EH_TABLE)
            return 0;
        *table =
            (struct frame_table){segment.p_offset + sizeof header, segment.p_vaddr, header.entries};
        return table->count > 0;
    }
    return 0;
}

static int frame_at(const struct pit__elf *elf, const struct frame_table *table, uint32_t i,
                    uint64_t *value)
{
    int32_t pair[2];
    if (!pit__elf_read(elf, pair, sizeof pair, table->offset + i * sizeof pair))
        return 0;
    *value = table->value + (uint64_t)(int64_t)pair[0];
    return 1;
}

/* Returns 1 and sets `low` and `high` to the bounds of the function that contains the address. */
static int frame_around(const struct pit__elf *elf, const struct frame_table *table, uint64_t value,
                        uint64_t *low, uint64_t *high)
{
    uint32_t first = 0, last = table->count; /* finds the first one that begins after the address */
    uint64_t there;
    while (first < last) {
        uint32_t middle = first + (last - first) / 2;
        if (!frame_at(elf, table, middle, &there))
            return 0;
        if (there <= value)
            first = middle + 1;
        else
            last = middle;
    }
    if (first == 0 || !frame_at(elf, table, first - 1, low))
        return 0;
    *high = value + 1;
    return first == table->count || frame_at(elf, table, first, high);
}

/* ---- a module ------------------------------------------------------------------------------ */

/* The symbol version (after @) is not part of the name. */
static void put_name(char *to, const struct pit__elf *elf, const struct wanted *w)
{
    char text[512];
    if (!pit__elf_text(elf, w->text, text, sizeof text))
        snprintf(to, PIT__CODE_NAME, "[unknown]");
    else if (!pit__cpp_name(text, to, PIT__CODE_NAME))
        snprintf(to, PIT__CODE_NAME, "%.*s", (int)strcspn(text, "@"), text);
}

static void add_without_symbol(struct pit__code_names *names, const struct mapping *map,
                               const struct wanted *w, const struct pit__elf *elf)
{
    struct frame_table table;
    uint64_t low, high, base = w->address - w->value;
    if (!find_frames(elf, &table) || !frame_around(elf, &table, w->value, &low, &high)) {
        struct pit__code_function *f = add(names, map->at.low, map->at.high, map->at.path);
        snprintf(f->name, sizeof f->name, "[unknown]");
        return;
    }
    const char *variant = pit__code_variant(base + low);
    struct pit__code_function *f = add(names, base + low, base + high, map->at.path);
    if (variant)
        snprintf(f->name, sizeof f->name, "%s", variant);
    else
        snprintf(f->name, sizeof f->name, "%.60s+0x%llx", file_name(map->at.path),
                 (unsigned long long)low);
}

/* Convert file offsets to the file's addresses. 0: no segment contains them. */
static int place_wanted(struct mapping *map, const struct pit__elf *elf)
{
    ElfW(Phdr) segment;
    for (uint64_t i = 0; i < elf->header.e_phnum; i++) {
        if (!pit__elf_segment(elf, i, &segment))
            return 0;
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) ||
            segment.p_offset + segment.p_filesz <= map->at.offset ||
            segment.p_offset >= map->at.offset + (map->at.high - map->at.low))
            continue;
        for (uint32_t k = 0; k < map->count; k++)
            map->wanted[k].value = map->wanted[k].address - map->at.low + map->at.offset -
                                   segment.p_offset + segment.p_vaddr;
        return 1;
    }
    return 0;
}

/* Code without a file, or whose file was deleted: one place for all of it. */
static void add_whole(struct pit__code_names *names, const struct mapping *map)
{
    int is_special = map->at.path[0] == '[';
    const char *path = map->at.path[0] ? map->at.path : "[anonymous memory]";
    struct pit__code_function *f = add(names, map->at.low, map->at.high, path);
    snprintf(f->name, sizeof f->name, "%s", is_special ? f->file : "[unknown]");
}

/* The link leads to the program's file even if that was replaced. */
static int open_module(struct pit__elf *elf, const struct mapping *map)
{
    static const char gone[] = " (deleted)";
    char program[PATH_MAX];
    long length = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    if (strcmp(program, map->at.path) == 0)
        return pit__elf_open(elf, "/proc/self/exe");
    size_t bytes = strlen(map->at.path);
    int is_gone =
        bytes >= sizeof gone && strcmp(map->at.path + bytes - (sizeof gone - 1), gone) == 0;
    return !is_gone && map->at.path[0] == '/' && pit__elf_open(elf, map->at.path);
}

static void name_module(struct pit__code_names *names, struct mapping *map)
{
    struct pit__elf elf;
    if (!open_module(&elf, map)) {
        add_whole(names, map);
        return;
    }
    if (place_wanted(map, &elf)) {
        read_symbols(names, map, &elf);
        for (uint32_t k = 0; k < map->count; k++) {
            const struct wanted *w = &map->wanted[k];
            uint64_t base = w->address - w->value;
            /* an earlier address was in the same function */
            if (pit__code_known(names, w->address))
                continue;
            if (w->high)
                put_name(add(names, base + w->low, base + w->high, map->at.path)->name, &elf, w);
            else
                add_without_symbol(names, map, w, &elf);
        }
    } else {
        add_whole(names, map);
    }
    pit__elf_close(&elf);
}

/* ---- the maps ------------------------------------------------------------------------------ */

static void choose_wanted(struct mapping *map, const uint64_t *addresses, uint32_t count)
{
    map->count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (addresses[i] >= map->at.low && addresses[i] < map->at.high)
            map->wanted[map->count++] = (struct wanted){.address = addresses[i]};
}

void pit__code_look_up(struct pit__code_names *names, const uint64_t *addresses, uint32_t count)
{
    struct pit__code_maps maps;
    struct mapping map;
    count = count < PIT__CODE_WANTED ? count : PIT__CODE_WANTED;
    pit__code_maps_open(&maps);
    while (pit__code_maps_next(&maps, &map.at)) {
        choose_wanted(&map, addresses, count);
        if (map.count)
            name_module(names, &map);
    }
    pit__code_maps_close(&maps);
    for (uint32_t i = 0; i < count; i++)
        if (!pit__code_known(names, addresses[i])) { /* it is not mapped any more */
            map = (struct mapping){.at = {.low = addresses[i], .high = addresses[i] + 1}};
            add_whole(names, &map);
        }
}

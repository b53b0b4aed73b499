/* The function that contains an address: in this program, in libc, in code without a name. */
#include "recorder/code_names.h"

#include "check.h"
#include "recorder/code_variants.h"

#include <sys/mman.h>

static struct pit__code_names names;

static volatile int sink;

__attribute__((noinline)) static void first_function(void)
{
    sink += 1;
}

void second_function(void);
__attribute__((noinline)) void second_function(void)
{
    sink += 2;
}

static uint64_t address_of(void (*function)(void))
{
    return (uint64_t)(uintptr_t)function;
}

/* The function of an address that is looked up. */
static const struct pit__code_function *look_up(uint64_t address)
{
    pit__code_look_up(&names, &address, 1);
    const struct pit__code_function *f = pit__code_known(&names, address);
    REQUIRE(f);
    return f;
}

static int is_emulated(void)
{
    return getenv("PITWALL_EMULATED") != NULL; /* its memory map is not that of the program */
}

TEST(nothing_is_known_before_it_is_looked_up)
{
    CHECK(!pit__code_known(&names, address_of(first_function)));
    CHECK(!pit__code_known(&names, 0));
}

TEST(functions_of_the_program_are_found_by_any_address_in_them)
{
    if (is_emulated())
        return;
    uint64_t wanted[] = {address_of(first_function) + 1, address_of(second_function)};
    pit__code_look_up(&names, wanted, 2);
    for (int i = 0; i < 2; i++) {
        const struct pit__code_function *f = pit__code_known(&names, wanted[i]);
        REQUIRE(f);
        CHECK_STR(f->name, i ? "second_function" : "first_function");
        CHECK_STR(f->file, "test_code_names");
    }
    CHECK(pit__code_known(&names, wanted[0]) ==
          pit__code_known(&names, address_of(first_function)));
}

TEST(a_function_is_in_the_table_once)
{
    if (is_emulated())
        return;
    uint64_t first = address_of(first_function);
    uint64_t wanted[] = {first, first + 1, first + 2, first};
    pit__code_look_up(&names, wanted, 4);
    CHECK_INT(names.next, 1);
}

/* In a static program, or under a sanitizer with its own, it has another name and file. */
#ifdef __GLIBC__ /* other libraries choose none */
TEST(what_libc_chose_for_this_processor_has_the_name_it_is_called_by)
{
    void *(*volatile copy)(void *, const void *, size_t) = memmove;
    uint64_t address = (uint64_t)(uintptr_t)copy;
    const struct pit__code_function *f = look_up(address + 1);
    CHECK(is_emulated() || strstr(f->name, "mem") || strstr(f->name, "+0x"));
    CHECK_STR(pit__code_variant((uint64_t)(uintptr_t)strlen), "strlen");
    CHECK(!pit__code_variant(address + 1));
    CHECK(!pit__code_variant(0));
}
#endif

TEST(code_without_a_file_is_one_place)
{
    char *page = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(page != MAP_FAILED);
    const struct pit__code_function *f = look_up((uint64_t)(uintptr_t)page + 5000);
    CHECK_STR(f->name, "[unknown]");
    CHECK_STR(f->file, "[anonymous memory]");
    CHECK(is_emulated() || pit__code_known(&names, (uint64_t)(uintptr_t)page) == f);
}

TEST(an_address_that_is_mapped_no_more_is_unknown)
{
    const struct pit__code_function *f = look_up(16);
    CHECK_STR(f->name, "[unknown]");
    CHECK(!pit__code_known(&names, 15));
    CHECK(!pit__code_known(&names, 17));
}

TEST(code_that_is_mapped_anew_is_forgotten)
{
    uint64_t first = address_of(first_function);
    look_up(first);
    pit__code_forget(&names, first + 100000, first + 200000);
    CHECK(pit__code_known(&names, first));
    pit__code_forget(&names, first, first + 1);
    CHECK(!pit__code_known(&names, first));
}

/* More functions than entries: the newest are known, and memory does not grow. */
TEST(of_many_the_oldest_give_way)
{
    for (uint64_t i = 0; i < 3 * PIT__CODE_FUNCTIONS; i++) {
        uint64_t address = 0x100 + 16 * i; /* where nothing is mapped */
        pit__code_look_up(&names, &address, 1);
        CHECK(pit__code_known(&names, address));
    }
    CHECK(!pit__code_known(&names, 0x100));
}

TEST(more_addresses_than_fit_at_once_are_cut)
{
    static uint64_t many[2 * PIT__CODE_WANTED];
    for (size_t i = 0; i < 2 * PIT__CODE_WANTED; i++)
        many[i] = address_of(first_function) + i % 2;
    pit__code_look_up(&names, many, 2 * PIT__CODE_WANTED);
    CHECK(pit__code_known(&names, many[0]));
}

/* Who called a function of libc: found by the tables for exceptions, in a copy of the stack. */
#include "check.h"

#include "recorder/code_callers.h"
#include "recorder/code_names.h"

#include <stdlib.h>
#include <string.h>

/* Callers are found on x86-64, in libraries that are not part of the program itself. */
#if defined(__x86_64__) && defined(__GLIBC__)
#define FINDS_CALLERS 1
#else
#define FINDS_CALLERS 0
#endif
/* The address sanitizer puts calls of its own between, whose frames are larger than the copy. */
#if defined(__SANITIZE_ADDRESS__)
#define MUST_FIND 0
#else
#define MUST_FIND FINDS_CALLERS
#endif

static struct pit__code_callers callers;
static struct pit__code_names names;

/* The state of libc as it calls compare(), which is not changed while that runs. */
static struct pit__frame inside;
static uint64_t copied[256];
static struct pit__stack_copy stack = {0, copied, sizeof copied / sizeof copied[0]};

/* It reads the stacks of other functions, which the sanitizer would take for a fault. */
__attribute__((no_sanitize("address"))) static int compare(const void *a, const void *b)
{
    const uint64_t *frame = __builtin_frame_address(0);
    int x = *(const int *)a, y = *(const int *)b;
    if (!inside.ip) {
        inside = (struct pit__frame){frame[1] - 1, (uint64_t)(uintptr_t)(frame + 2), frame[0]};
        stack.address = inside.sp;
        for (size_t i = 0; i < stack.count; i++)
            copied[i] = frame[2 + i];
    }
    return (x > y) - (x < y);
}

__attribute__((noinline)) static int sort_numbers(void)
{
    int numbers[] = {3, 1, 2, 5, 4};
    qsort(numbers, 5, sizeof numbers[0], compare);
    return numbers[0];
}

/* Calls sort_numbers() at a depth where the copy does not reach beyond the stack. */
__attribute__((noinline)) static int sort_deep(void)
{
    volatile char room[sizeof copied + 4096];
    room[0] = room[sizeof room - 1] = 1;
    return sort_numbers() + room[0];
}

static const char *name_of(uint64_t address)
{
    pit__code_look_up(&names, &address, 1);
    const struct pit__code_function *found = pit__code_known(&names, address);
    return found ? found->name : "";
}

TEST(the_function_that_called_libc_is_found)
{
    uint64_t called = 0;
    CHECK_INT(sort_deep(), 2);
    uint64_t caller = pit__code_caller(&callers, inside, &stack, &called);
    CHECK(caller ? FINDS_CALLERS : !MUST_FIND);
    if (!caller)
        return;
    CHECK_STR(name_of(caller), "sort_numbers");
    CHECK(strstr(name_of(called), "qsort") != NULL);
}

TEST(a_stack_that_is_cut_off_or_wrong_has_no_caller)
{
    uint64_t called = 0;
    CHECK_INT(sort_deep(), 2);
    struct pit__stack_copy some = stack;
    some.count = 0;
    CHECK_INT(pit__code_caller(&callers, inside, &some, &called), 0);
    some.count = 1;
    CHECK_INT(pit__code_caller(&callers, inside, &some, &called), 0);
    struct pit__frame wrong = inside;
    wrong.sp += (uint64_t)1 << 32;
    wrong.bp = wrong.sp;
    CHECK_INT(pit__code_caller(&callers, wrong, &stack, &called), 0);
}

/* Whatever is in the words, nothing but addresses of code is returned. */
TEST(random_stacks_do_no_harm)
{
    static uint64_t words[64];
    uint64_t draw = 1, called = 0;
    struct pit__stack_copy some = {0x7000000, words, 64};
    for (int round = 0; round < 2000; round++) {
        for (size_t i = 0; i < 64; i++) {
            draw = draw * 6364136223846793005u + 1442695040888963407u;
            words[i] = draw % 3 ? (uint64_t)(uintptr_t)qsort + draw % 65536 : draw;
        }
        struct pit__frame frame = {(uint64_t)(uintptr_t)qsort + draw % 100000,
                                   some.address + draw % 64 * 8, some.address + draw % 32 * 8};
        CHECK(pit__code_caller(&callers, frame, &some, &called) < (uint64_t)1 << 63);
    }
}

TEST(code_of_the_program_has_no_caller)
{
    uint64_t called = 0;
    struct pit__frame own = {(uint64_t)(uintptr_t)sort_deep, 0x7000000, 0};
    struct pit__frame nowhere = {16, 0x7000000, 0};
    struct pit__stack_copy some = {0x7000000, copied, 8};
    CHECK_INT(pit__code_caller(&callers, own, &some, &called), 0);
    CHECK_INT(pit__code_caller(&callers, nowhere, &some, &called), 0);
}

TEST(libraries_that_a_compiler_links_by_itself_are_known)
{
    CHECK(pit__is_runtime("/lib/x86_64-linux-gnu/libc.so.6"));
    CHECK(pit__is_runtime("/lib/x86_64-linux-gnu/libc-2.31.so"));
    CHECK(pit__is_runtime("/usr/lib/libm.so.6"));
    CHECK(pit__is_runtime("[vdso]"));
    CHECK(!pit__is_runtime("/usr/lib/libmodel.so"));
    CHECK(!pit__is_runtime("/usr/lib/libcurl.so.4"));
    CHECK(!pit__is_runtime("/usr/bin/python3.11"));
    CHECK(!pit__is_runtime(""));
}

TEST(without_tables_there_is_no_step)
{
    struct pit__frame_table none = {0, 0};
    struct pit__frame frame = inside;
    long memory = pit__memory_open();
    CHECK_INT(pit__frame_up(memory, &none, &stack, &frame), 0);
    CHECK_INT(pit__frame_table_of(memory, (uint64_t)(uintptr_t)copied).entries, 0);
    CHECK_INT(pit__frame_table_of(memory, 16).entries, 0);
    CHECK_INT(pit__frame_table_of(-1, 16).entries, 0);
    pit__memory_close(memory);
}

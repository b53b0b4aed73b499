/* The parts of libpitwall-functions.so without its hooks: names of functions and the table of them.
 * The library itself is never built with a sanitizer; this is where its code runs under them. */
#include "functions/function_table.c"
#include "preload/symbol_names.c"

#include "check.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- C++ --------------------------------------------------------------------------------------- */

#define CHECK_NAME(mangled_, wanted_)                                                              \
    do {                                                                                           \
        char name_[256];                                                                           \
        CHECK(pit__cpp_name((mangled_), name_, sizeof name_));                                     \
        CHECK_STR(name_, (wanted_));                                                               \
    } while (0)

#define CHECK_NO_NAME(mangled_)                                                                    \
    do {                                                                                           \
        char name_[256];                                                                           \
        CHECK(!pit__cpp_name((mangled_), name_, sizeof name_));                                    \
    } while (0)

TEST(simple_names_of_cpp_are_readable)
{
    CHECK_NAME("_Z4mainv", "main");
    CHECK_NAME("_ZN3net5Layer7forwardEv", "net::Layer::forward");
    CHECK_NAME("_ZNK3net5Layer7forwardEd", "net::Layer::forward");
    CHECK_NAME("_ZN3net5LayerC1Ei", "net::Layer::Layer");
    CHECK_NAME("_ZN3net5LayerD2Ev", "net::Layer::~Layer");
    CHECK_NAME("_ZL6staticv", "static");
    CHECK_NAME("_ZN3netL6helperEi", "net::helper");
    CHECK_NAME("_ZN12_GLOBAL__N_16hiddenEv", "(anonymous)::hidden");
    CHECK_NAME("_ZN3vecplERKS_", "vec::operator+");
    CHECK_NAME("_ZN3vecclEv", "vec::operator()");
    CHECK_NAME("_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_", "std::move<>");
    CHECK_NAME("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<>::push_back");
    CHECK_NAME("_Z3addILi12EEiv", "add<>");
    CHECK_NAME("_ZN1AIN1BIiEEE1fEv", "A<>::f");
    CHECK_NAME("_ZZ4mainENKUliE_clEi", "main::lambda");
    CHECK_NAME("_ZZ4mainENK3$_0clEi", "main::lambda");
}

TEST(names_that_are_not_simple_are_left_alone)
{
    CHECK_NO_NAME("main");
    CHECK_NO_NAME("");
    CHECK_NO_NAME("_Z");
    CHECK_NO_NAME("_ZN");
    CHECK_NO_NAME("_ZN99shortEv");
    CHECK_NO_NAME("_ZN99999999999999999999999999shortEv");
    CHECK_NO_NAME("_ZTV5Layer");
    CHECK_NO_NAME("_ZNC1Ev");
    CHECK_NO_NAME("_ZN1AIXszT_EE1fEv");
    CHECK_NO_NAME("_ZN1AI");
    CHECK_NO_NAME("_ZN1AIL");
    CHECK_NO_NAME("_ZN1AIS");
}

TEST(every_beginning_of_a_name_is_survived_in_every_room)
{
    static const char *const names[] = {"_ZNSt6vectorIiSaIiEE9push_backERKi",
                                        "_ZZ4mainENKUliE_clEi", "_ZN3net5LayerD2Ev",
                                        "_ZN1AIN1BILi3EEEE1fEv"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (size_t length = 0; length <= strlen(names[n]); length++)
            for (size_t room = 0; room < 40; room++) {
                char *cut = strndup(names[n], length), *to = malloc(room ? room : 1);
                if (pit__cpp_name(cut, to, room))
                    CHECK(strlen(to) < room);
                free(to);
                free(cut);
            }
}

/* ---- symbols ----------------------------------------------------------------------------------- */

static void a_static_function(void)
{
}

TEST(a_static_function_has_its_name_and_size)
{
    char name[256];
    size_t bytes = pit__symbol_name((void *)(uintptr_t)a_static_function, name, sizeof name);
    CHECK_STR(name, "a_static_function");
    CHECK(bytes > 0);
}

TEST(a_function_of_a_library_has_its_name)
{
    char name[256];
    pit__symbol_name((void *)(uintptr_t)pthread_mutex_destroy, name, sizeof name);
    CHECK(strstr(name, "pthread_mutex_destroy") || strstr(name, "interceptor"));
}

TEST(an_address_that_is_no_function_is_module_and_offset_or_a_number)
{
    char name[256];
    /* in the middle of a function that is longer than a byte */
    CHECK_INT(pit__symbol_name((char *)(uintptr_t)pit__symbol_name + 1, name, sizeof name), 0);
    CHECK(strncmp(name, "test_function_names+0x", 22) == 0);
    pit__symbol_name((void *)(uintptr_t)16, name, sizeof name);
    CHECK_STR(name, "0x10");
}

TEST(symbols_are_sorted)
{
    static struct symbol symbols[1000];
    uint64_t state = 12345;
    for (size_t count = 0; count <= 1000; count += count < 20 ? 1 : 245) {
        for (size_t i = 0; i < count; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            symbols[i] =
                (struct symbol){.value = (state >> 40) % 300, .rank = (uint32_t)(state >> 33) % 3};
        }
        sort(symbols, count);
        for (size_t i = 1; i < count; i++)
            CHECK(!comes_before(&symbols[i], &symbols[i - 1]));
    }
}

/* ---- the table --------------------------------------------------------------------------------- */

static void *look_all_up(void *seen)
{
    struct pit__function **found = seen;
    for (uintptr_t i = 0; i < 3000; i++)
        found[i] = pit__function_at((void *)(16 * (i + 1)));
    return NULL;
}

TEST(threads_that_meet_at_new_functions_find_the_same_ones)
{
    static struct pit__function *found[4][3000];
    pthread_t threads[4];
    for (int t = 0; t < 4; t++)
        CHECK_INT(pthread_create(&threads[t], NULL, look_all_up, found[t]), 0);
    for (int t = 0; t < 4; t++)
        pthread_join(threads[t], NULL);
    for (uintptr_t i = 0; i < 3000; i++) {
        char name[32];
        snprintf(name, sizeof name, "0x%lx", (unsigned long)(16 * (i + 1)));
        CHECK_STR(found[0][i]->site.name, name);
        for (int t = 1; t < 4; t++)
            CHECK(found[t][i] == found[0][i]);
    }
}

TEST(a_full_table_has_one_name_for_the_rest)
{
    for (uintptr_t i = 0; i < MOST; i++)
        CHECK(pit__function_at((void *)(16 * (i + 1))) != &others);
    CHECK(pit__function_at((void *)(16 * (MOST + 1))) == &others);
    CHECK_STR(others.site.name, "(more functions)");
    CHECK_STR(pit__function_at((void *)16)->site.name, "0x10");
}

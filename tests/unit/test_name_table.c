/* The table of names: one number per text, the same for every caller. */
#include "probe.h"
#include "recorder/name_table.h"

#include <pthread.h>

TEST(a_hundred_thousand_names_are_found_again)
{
    uint32_t count = 100000u / (uint32_t)probe_slowness();
    uint32_t *ids = keep(calloc(count, sizeof *ids));
    char text[32];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "name %u", i * 7919u);
        const struct pit__name *name = pit__name_intern(text);
        REQUIRE(name);
        ids[i] = name->id;
    }
    for (uint32_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "name %u", i * 7919u);
        const struct pit__name *name = pit__name_intern(text);
        CHECK(name->id == ids[i] && pit__name_of(ids[i]) == name);
        CHECK(strcmp(name->text, text) == 0 && name->length == strlen(text));
        CHECK(i == 0 || ids[i] > ids[i - 1]);
    }
}

TEST(the_same_text_has_the_same_number_wherever_it_lies)
{
    char here[] = "same", there[] = "same";
    CHECK(pit__name_intern(here) == pit__name_intern(there));
    CHECK(pit__name_intern("same ") != pit__name_intern(here));
    CHECK(pit__name_intern("") != NULL && pit__name_intern("")->length == 0);
    CHECK(pit__name_intern(NULL) == pit__name_intern("(null)"));
    CHECK(pit__name_intern(here)->id > 0);
}

TEST(two_names_of_one_length_and_one_hash_are_two)
{
    const struct pit__name *one = pit__name_intern("declinate");
    const struct pit__name *other = pit__name_intern("macallums");
    /* otherwise this tests nothing */
    CHECK(one->hash == other->hash && one->length == other->length);
    CHECK(one != other && one->id != other->id);
    CHECK(pit__name_intern("declinate") == one && pit__name_intern("macallums") == other);
}

TEST(a_long_name_is_cut_and_still_found)
{
    static char text[10000];
    memset(text, 'a', sizeof text - 1);
    const struct pit__name *name = pit__name_intern(text);
    CHECK_INT(name->length, PIT__NAME_BYTES);
    CHECK_INT(name->text[name->length], 0);
    text[9000] = 'b'; /* after the cut: the same name */
    CHECK(pit__name_intern(text) == name);
    text[4094] = 'b';
    CHECK(pit__name_intern(text) != name);
    text[PIT__NAME_BYTES] = 0; /* exactly the longest allowed name: not cut */
    CHECK_INT(pit__name_intern(text)->length, PIT__NAME_BYTES);
}

/* Characters of 2, 3 and 4 bytes, at every position around the cut. */
TEST(a_long_name_is_cut_at_the_end_of_a_character)
{
    static const char *const letters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8f\x8e"};
    for (size_t k = 0; k < 3; k++)
        for (size_t lead = 0; lead < 8; lead++) {
            static char text[6000];
            size_t letter = strlen(letters[k]), at = lead;
            memset(text, 'x', lead);
            while (at + letter < sizeof text - 1) {
                memcpy(text + at, letters[k], letter);
                at += letter;
            }
            text[at] = 0;
            const struct pit__name *name = pit__name_intern(text);
            CHECK(name->length <= PIT__NAME_BYTES && name->length > PIT__NAME_BYTES - 4);
            CHECK_INT((name->length - lead) % letter, 0);
            CHECK(memcmp(name->text, text, name->length) == 0);
        }
}

#define THREADS 8
#define EACH 4000

static uint32_t seen[THREADS][EACH];

static void *intern_all(void *number)
{
    size_t own = *(const size_t *)number;
    int count = EACH / probe_slowness();
    char text[32];
    for (int i = 0; i < count; i++) {
        /* each in a different order */
        int which = (int)((size_t)i * (2 * own + 1) % (size_t)count);
        snprintf(text, sizeof text, "shared %d", which);
        seen[own][which] = pit__name_intern(text)->id;
    }
    return NULL;
}

TEST(eight_threads_agree_on_every_name)
{
    pthread_t threads[THREADS];
    size_t numbers[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        REQUIRE(pthread_create(&threads[i], NULL, intern_all, &numbers[i]) == 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    char text[32];
    for (int i = 0; i < EACH / probe_slowness(); i++) {
        snprintf(text, sizeof text, "shared %d", i);
        for (size_t k = 0; k < THREADS; k++)
            if (seen[k][i]) /* an order may skip some */
                CHECK_INT(seen[k][i], pit__name_intern(text)->id);
        CHECK(seen[0][i] != 0);
        for (int before = i > 3 ? i - 3 : 0; before < i; before++)
            CHECK(seen[0][before] != seen[0][i]);
    }
}

/* src/base, used by every folder: ids as text, folders, growing arrays, the arena. */
#include "base/arena.h"
#include "base/folders.h"
#include "base/grow.h"
#include "base/hex.h"

#include "check.h"

#include <errno.h>
#include <sys/stat.h>

TEST(an_id_is_two_digits_a_byte_and_none_if_it_is_all_zero)
{
    char text[9];
    CHECK_INT(pit__hex((const unsigned char *)"\x00\x0f\xa0\xff", 4, text), 1);
    CHECK(strcmp(text, "000fa0ff") == 0);
    CHECK_INT(pit__hex((const unsigned char *)"\0\0\0\0", 4, text), 0);
    CHECK(strcmp(text, "00000000") == 0);
}

TEST(folders_are_made_one_in_another)
{
    char top[] = "/tmp/test_base.XXXXXX", path[64], file[64];
    struct stat found;
    REQUIRE(mkdtemp(top));
    snprintf(path, sizeof path, "%s/a/b/c", top);
    CHECK_INT(pit__folders(path, 0755), 0);
    CHECK_INT(pit__folders(path, 0755), 0); /* already exists */
    CHECK(stat(path, &found) == 0 && S_ISDIR(found.st_mode));
    snprintf(file, sizeof file, "%s/file", top);
    FILE *made = fopen(file, "w");
    REQUIRE(made);
    fclose(made);
    CHECK_INT(pit__folders(file, 0755), ENOTDIR);
    snprintf(path, sizeof path, "%s/file/below", top);
    CHECK_INT(pit__folders(path, 0755), ENOTDIR);
}

TEST(an_array_grows_and_keeps_what_it_has)
{
    size_t room = 0;
    int *numbers = NULL;
    for (int i = 0; i < 1000; i++) {
        numbers = pit__grow(numbers, &room, (size_t)i + 1, sizeof *numbers, 4);
        REQUIRE(numbers && room > (size_t)i);
        numbers[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        CHECK_INT(numbers[i], i);
    CHECK_INT(room, 1024);
    CHECK(!pit__grow(numbers, &room, SIZE_MAX / 2, sizeof *numbers, 4)); /* more than available */
    CHECK_INT(room, 1024);
    free(numbers);
}

TEST(pieces_of_an_arena_are_zero_and_apart)
{
    struct pit__arena arena = {0};
    unsigned char *before = NULL;
    size_t before_bytes = 0;
    for (size_t i = 1; i < 400; i += i < 60 ? 1 : i / 4) {
        size_t bytes = i * i * 40; /* from small allocations to separate chunks of large pages */
        unsigned char *piece = pit__arena_alloc(&arena, bytes);
        REQUIRE(piece);
        CHECK((uintptr_t)piece % 16 == 0);
        CHECK(piece[0] == 0 && piece[bytes / 2] == 0 && piece[bytes - 1] == 0);
        memset(piece, 0xff, bytes);
        CHECK(!before || before + before_bytes <= piece || piece + bytes <= before);
        before = piece;
        before_bytes = bytes;
    }
    pit__arena_free(&arena);
}

TEST(an_arena_refuses_what_no_memory_has)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 8, SIZE_MAX - 4096, SIZE_MAX / 2 + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct pit__arena arena = {0};
        CHECK(!pit__arena_alloc(&arena, sizes[i]));
        CHECK(arena.failed);
        pit__arena_free(&arena);
    }
}

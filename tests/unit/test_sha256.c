/* SHA-256 by the examples of its standard, in one piece and in many, and as base64. */
#include "check.h"

#include "base/sha256.h"

#include <stdlib.h>

static const char *hash_of(const char *data, size_t bytes, size_t piece)
{
    static char text[PIT__SHA256_BASE64];
    struct pit__sha256 hash;
    unsigned char digest[PIT__SHA256_BYTES];
    pit__sha256_init(&hash);
    for (size_t at = 0; at < bytes; at += piece)
        pit__sha256_add(&hash, data + at, bytes - at < piece ? bytes - at : piece);
    pit__sha256_end(&hash, digest);
    pit__sha256_base64(digest, text);
    return text;
}

TEST(the_standards_examples_have_their_hashes)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    CHECK_STR(hash_of("", 0, 1), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    CHECK_STR(hash_of("abc", 3, 3), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    CHECK_STR(hash_of(two_blocks, sizeof two_blocks - 1, 100),
              "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
}

TEST(a_million_letters_in_pieces_of_any_size)
{
    size_t bytes = 1000000;
    char *data = malloc(bytes);
    REQUIRE(data);
    memset(data, 'a', bytes);
    static const size_t pieces[] = {1000000, 64, 63, 65, 1, 4096};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        CHECK_STR(hash_of(data, bytes, pieces[i]), "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=");
    free(data);
}

/* sha256.h: the hash SHA-256 of FIPS 180-4, and base64, the encoding that browsers expect. */
#ifndef PIT_SHA256_H
#define PIT_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define PIT__SHA256_BYTES 32
#define PIT__SHA256_BASE64 45 /* with the terminating zero */

struct pit__sha256 {
    uint32_t state[8];
    uint64_t bytes; /* so far */
    unsigned char block[64];
};

void pit__sha256_init(struct pit__sha256 *hash);
void pit__sha256_add(struct pit__sha256 *hash, const void *data, size_t bytes);
void pit__sha256_end(struct pit__sha256 *hash, unsigned char digest[PIT__SHA256_BYTES]);

/* "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" */
void pit__sha256_base64(const unsigned char digest[PIT__SHA256_BYTES],
                        char out[PIT__SHA256_BASE64]);

#endif

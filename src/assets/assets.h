/* assets.h: the files of web/, part of the library, so that it can write the page with nothing else at hand.
 *
 * The list is made by the build (cmake/library.cmake, setup.py), which knows sizes and hashes; the bytes
 * come by .incbin.
 */
#ifndef PIT_ASSETS_H
#define PIT_ASSETS_H

#include <stddef.h>

struct pit__asset {
    const char *name; /* "style.css": that of the file, without folders */
    const char *type; /* "text/css; charset=utf-8" */
    const unsigned char *data;
    size_t bytes;
    const char *hash; /* sha256 of the bytes, in hexadecimal */
};

/* By name; the last has a NULL name. */
extern const struct pit__asset pit__assets[];

/* NULL: there is none of that name. */
const struct pit__asset *pit__asset_find(const char *name);

#endif

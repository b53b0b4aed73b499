/* json_members.h: finds the members of a JSON object in its text, and merges two objects.
 * Independent of runs. */
#ifndef PIT_JSON_MEMBERS_H
#define PIT_JSON_MEMBERS_H

#include <stddef.h>
#include <stdio.h>

struct pit__json_member {
    const char *key; /* with its quotes, in the text */
    size_t key_bytes;
    const char *value;
    size_t value_bytes;
};

#define PIT__JSON_NOT_AN_OBJECT (-1)
#define PIT__JSON_NO_MEMORY (-2)

/* The caller frees *members, also after an error. Blanks and a byte order mark around the object
 * are ignored; NaN and Infinity, which Python writes, are accepted as values. 0 or one of the
 * above. */
int pit__json_members(const char *text, size_t bytes, struct pit__json_member **members,
                      size_t *count);

/* Write the object of `from` with the members of `into` added. If both have a member, that of
 * `into` is written, but two objects are merged in the same way, `depth` levels deep. Members
 * that only `from` has are copied byte for byte. indent: blanks before the closing brace.
 * Returns 0, or an error as above; the output is then invalid. */
int pit__json_merge(FILE *out, const char *from, size_t from_bytes, const char *into,
                    size_t into_bytes, int indent, int depth);

#endif

/* json_members.h: the members of a JSON object as they stand in its text, and two objects merged.
 * Knows nothing of runs. */
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

/* *members is to be freed, also after an error. Blanks and a byte order mark round the object do not
 * matter; NaN and Infinity, which Python writes, are taken as values. 0 or one of the above. */
int pit__json_members(const char *text, size_t bytes, struct pit__json_member **members,
                      size_t *count);

/* Write `from`'s object with the members of `into` put in: a member of both is `into`'s, except that
 * two objects are merged in the same way, `depth` levels down. What is only `from`'s is written byte by
 * byte as it stands there. indent: blanks before the closing brace. 0, or as above: then what was
 * written is of no use. */
int pit__json_merge(FILE *out, const char *from, size_t from_bytes, const char *into,
                    size_t into_bytes, int indent, int depth);

#endif

/* json_writer.h: JSON as a stream. Independent of runs.
 *
 * Calls follow the document: begin, key, value, …, end. Commas, line breaks and indentation are
 * set by the writer. In text that is not valid UTF-8 each bad byte is replaced by U+FFFD.
 * Numbers that JSON cannot represent (NaN, infinity) are written as null. */
#ifndef PIT_JSON_WRITER_H
#define PIT_JSON_WRITER_H

#include <stdint.h>
#include <stdio.h>

#define PIT__JSON_DEPTH 32

struct pit__text;

struct pit__json {
    FILE *out;
    struct pit__text *text; /* written to instead of `out`, unless NULL */
    int depth;
    int flat;                              /* depth from which all is on one line, 0 for none */
    int brief;                             /* 1: no blanks, six digits */
    unsigned char filled[PIT__JSON_DEPTH]; /* 1: the container is not empty */
};

void pit__json_init(struct pit__json *json, FILE *out);

/* Compact JSON for a program: no blanks or line breaks; doubles have at least six digits, or are
 * whole numbers. */
void pit__json_init_brief(struct pit__json *json, FILE *out);

/* The same into memory, which is faster than a stream: added to `text`, whose `failed` tells
 * whether memory was exhausted. */
void pit__json_init_text(struct pit__json *json, struct pit__text *text);

/* key may be NULL: inside an array, and at the top. */
void pit__json_object(struct pit__json *json, const char *key);
void pit__json_object_end(struct pit__json *json);
void pit__json_array(struct pit__json *json, const char *key);
void pit__json_array_end(struct pit__json *json);

/* As above, with the whole content on one line. */
void pit__json_flat_object(struct pit__json *json, const char *key);
void pit__json_flat_array(struct pit__json *json, const char *key);

void pit__json_string(struct pit__json *json, const char *key, const char *value); /* NULL: null */
void pit__json_uint(struct pit__json *json, const char *key, uint64_t value);
void pit__json_int(struct pit__json *json, const char *key, int64_t value);
void pit__json_bool(struct pit__json *json, const char *key, int value);
void pit__json_null(struct pit__json *json, const char *key);

/* A value that is JSON already. */
void pit__json_raw(struct pit__json *json, const char *key, const char *text, size_t bytes);

/* With as many digits as are needed to read the same double back. */
void pit__json_double(struct pit__json *json, const char *key, double value);

/* Rounded to thousandths: nanoseconds with picoseconds as decimals. */
void pit__json_milli(struct pit__json *json, const char *key, double value);

/* Nanoseconds as microseconds, exact: 12345 is 12.345. */
void pit__json_micro(struct pit__json *json, const char *key, uint64_t ns);

/* End the document's last line. */
void pit__json_finish(struct pit__json *json);

#endif

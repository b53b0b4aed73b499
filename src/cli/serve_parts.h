/* serve_parts.h: a JSON document in parts, so that only those that changed need to be sent. */
#ifndef PIT_SERVE_PARTS_H
#define PIT_SERVE_PARTS_H

#include <stddef.h>
#include <stdint.h>

struct serve_part {
    char *path;          /* as a JSON pointer without the first '/': "nodes/columns/count" */
    uint64_t key, value; /* hashes of path and value */
    size_t begin, end;   /* position of the value in the document */
};

struct serve_parts {
    struct serve_part *list;
    size_t count, room;
    int failed; /* memory is exhausted, or it is not JSON that we wrote */
};

/* Cut a document: objects become parts down to a few levels, and so does a top-level array of objects;
 * deeper values stay whole. */
void serve_parts_make(struct serve_parts *parts, const char *text, size_t bytes);
void serve_parts_free(struct serve_parts *parts);

/* The same without texts, for later comparison. */
struct serve_marks {
    uint64_t (*list)[2];
    size_t count;
};
int serve_marks_make(struct serve_marks *marks,
                     /* returns 0 if memory is exhausted */
                     const struct serve_parts *parts);
/* Returns 1 if the part is unchanged. */
int serve_marks_have(const struct serve_marks *marks, const struct serve_part *part);
/* Returns 1 if the document has the same parts as then, with any values: sending the changed parts is
 * enough. */
int serve_marks_fit(const struct serve_marks *marks, const struct serve_parts *parts);

#endif

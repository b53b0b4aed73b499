/* serve_parts.h: a JSON document in parts, so that only those that changed need to be sent. */
#ifndef PIT_SERVE_PARTS_H
#define PIT_SERVE_PARTS_H

#include <stddef.h>
#include <stdint.h>

struct serve_part {
    char *path; /* as JSON pointers are written, without the first '/': "nodes/columns/count" */
    uint64_t key, value; /* hashes of path and value */
    size_t begin, end;   /* of the value, in the document */
};

struct serve_parts {
    struct serve_part *list;
    size_t count, room;
    int failed; /* no memory, or not the JSON that we write */
};

/* Cut a document: objects become parts down to a few levels, and so does an array of objects at its top;
 * what is inside others stays whole. */
void serve_parts_make(struct serve_parts *parts, const char *text, size_t bytes);
void serve_parts_free(struct serve_parts *parts);

/* The same without texts: to compare with later. */
struct serve_marks {
    uint64_t (*list)[2];
    size_t count;
};
int serve_marks_make(struct serve_marks *marks, const struct serve_parts *parts); /* 0: no memory */
/* 1: the part is as it was. */
int serve_marks_have(const struct serve_marks *marks, const struct serve_part *part);
/* 1: the document has the same parts as then, whatever their values: sending what changed will do. */
int serve_marks_fit(const struct serve_marks *marks, const struct serve_parts *parts);

#endif

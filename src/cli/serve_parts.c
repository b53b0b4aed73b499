/* serve_parts.c: cuts a JSON document that we wrote into parts. */
#include "serve_parts.h"

#include "serve.h"

#include "base/grow.h"
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEST 6

struct cutting {
    struct serve_parts *parts;
    const char *text;
    size_t at, bytes;
    struct pit__text path;
};

static char now(const struct cutting *c)
{
    return c->at < c->bytes ? c->text[c->at] : '\0';
}

static void skip_blanks(struct cutting *c)
{
    while (c->at < c->bytes && strchr(" \n\r\t", c->text[c->at]))
        c->at++;
}

static void skip_string(struct cutting *c)
{
    for (c->at++; c->at < c->bytes && c->text[c->at] != '"'; c->at++)
        if (c->text[c->at] == '\\')
            c->at++;
    c->at++;
}

/* Skip what has no brackets: up to the next character that matters inside a list or object. */
static void skip_plain(struct cutting *c)
{
    static const unsigned char matters[256] = {
        ['"'] = 1, ['{'] = 1, ['['] = 1, ['}'] = 1, [']'] = 1};
    const unsigned char *text = (const unsigned char *)c->text;
    size_t at = c->at;
    while (at < c->bytes && !matters[text[at]])
        at++;
    c->at = at;
}

/* Skip one value of any kind. */
static void skip_value(struct cutting *c)
{
    size_t depth = 0;
    do {
        char letter = now(c);
        if (letter == '"') {
            skip_string(c);
        } else if (letter == '{' || letter == '[') {
            depth++;
            c->at++;
        } else if (letter == '}' || letter == ']') {
            depth--;
            c->at++;
        } else if (depth > 0) {
            skip_plain(c);
        } else {
            while (c->at < c->bytes && !strchr(",}] \n\r\t", c->text[c->at]))
                c->at++;
        }
    } while (depth > 0 && c->at < c->bytes);
}

static void add_part(struct cutting *c, size_t begin)
{
    struct serve_parts *parts = c->parts;
    struct serve_part *list =
        pit__grow(parts->list, &parts->room, parts->count + 1, sizeof *list, 64);
    char *path = list ? strdup(pit__text_string(&c->path)) : NULL;
    if (list)
        parts->list = list;
    if (!path) {
        parts->failed = 1;
        return;
    }
    list[parts->count++] = (struct serve_part){.path = path,
                                               .key = serve_hash(path, strlen(path)),
                                               .value = serve_hash(c->text + begin, c->at - begin),
                                               .begin = begin,
                                               .end = c->at};
}

static void cut_value(struct cutting *c, int depth);

/* Add the key that begins here to the path, as in a JSON pointer; its JSON escapes are kept, so that the
 * path is a JSON string too. */
static void add_key(struct cutting *c)
{
    size_t begin = c->at + 1;
    skip_string(c);
    if (c->path.length)
        pit__text_puts(&c->path, "/");
    for (size_t i = begin; i + 1 < c->at; i++) {
        char letter = c->text[i];
        if (letter == '~' || letter == '/')
            pit__text_puts(&c->path, letter == '~' ? "~0" : "~1");
        else
            pit__text_add(&c->path, &letter, 1);
    }
}

static void cut_object(struct cutting *c, int depth)
{
    size_t length = c->path.length;
    for (c->at++, skip_blanks(c); now(c) == '"'; skip_blanks(c)) {
        add_key(c);
        skip_blanks(c);
        c->at += now(c) == ':';
        skip_blanks(c);
        cut_value(c, depth);
        c->path.length = length;
        if (c->path.data)
            c->path.data[length] = '\0';
        skip_blanks(c);
        c->at += now(c) == ',';
    }
    c->parts->failed |= now(c) != '}';
    c->at++;
}

static void cut_array(struct cutting *c, int depth)
{
    size_t length = c->path.length, number = 0;
    for (c->at++, skip_blanks(c); c->at < c->bytes && now(c) != ']'; skip_blanks(c)) {
        pit__text_printf(&c->path, "/%zu", number++);
        cut_value(c, depth);
        c->path.length = length;
        if (c->path.data)
            c->path.data[length] = '\0';
        skip_blanks(c);
        c->at += now(c) == ',';
    }
    c->at++;
}

static int is_empty(const struct cutting *c)
{
    return c->at + 1 < c->bytes && (c->text[c->at + 1] == '}' || c->text[c->at + 1] == ']');
}

static void cut_value(struct cutting *c, int depth)
{
    size_t begin = c->at;
    if (now(c) == '{' && depth < DEEPEST && !is_empty(c)) {
        cut_object(c, depth + 1);
    } else if (depth == 1 && now(c) == '[' && begin + 1 < c->bytes && c->text[begin + 1] == '{') {
        cut_array(c, depth + 1);
    } else {
        skip_value(c);
        if (c->at == begin || c->at > c->bytes)
            c->parts->failed = 1;
        else
            add_part(c, begin);
        /* cannot continue */
        if (c->at == begin)
            c->at = c->bytes;
    }
}

void serve_parts_make(struct serve_parts *parts, const char *text, size_t bytes)
{
    struct cutting cutting = {.parts = parts, .text = text, .bytes = bytes};
    *parts = (struct serve_parts){0};
    skip_blanks(&cutting);
    cut_value(&cutting, 0);
    parts->failed |= cutting.path.failed;
    pit__text_free(&cutting.path);
}

void serve_parts_free(struct serve_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        free(parts->list[i].path);
    free(parts->list);
    *parts = (struct serve_parts){0};
}

/* ---- marks -------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int serve_marks_make(struct serve_marks *marks, const struct serve_parts *parts)
{
    marks->list = calloc(parts->count + 1, sizeof *marks->list);
    if (!marks->list)
        return 0;
    marks->count = parts->count;
    for (size_t i = 0; i < parts->count; i++) {
        marks->list[i][0] = parts->list[i].key;
        marks->list[i][1] = parts->list[i].value;
    }
    qsort(marks->list, marks->count, sizeof *marks->list, by_key);
    return 1;
}

int serve_marks_have(const struct serve_marks *marks, const struct serve_part *part)
{
    const uint64_t(*found)[2] =
        bsearch(&part->key, marks->list, marks->count, sizeof *marks->list, by_key);
    return found && (*found)[1] == part->value;
}

int serve_marks_fit(const struct serve_marks *marks, const struct serve_parts *parts)
{
    int fits = marks->count == parts->count;
    for (size_t i = 0; i < parts->count && fits; i++)
        fits = bsearch(&parts->list[i].key, marks->list, marks->count, sizeof *marks->list,
                       by_key) != NULL;
    return fits;
}

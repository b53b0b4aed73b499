/* json_members.c: see json_members.h. Values are skipped, not parsed: only their end matters. */
#include "json_members.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEST 4096

struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *s)
{
    while (s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at)
        s->at++;
}

static int take(struct scan *s, char c)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != c)
        return 0;
    s->at++;
    return 1;
}

static int skip_string(struct scan *s)
{
    if (!take(s, '"'))
        return 0;
    for (; s->at < s->end; s->at++) {
        if (*s->at == '"') {
            s->at++;
            return 1;
        }
        if (*s->at == '\\' && s->at + 1 < s->end)
            s->at++;
    }
    return 0;
}

/* A number or a word. */
static int skip_word(struct scan *s)
{
    const char *from = s->at;
    while (s->at < s->end &&
           ((*s->at >= '0' && *s->at <= '9') || (*s->at >= 'a' && *s->at <= 'z') ||
            (*s->at >= 'A' && *s->at <= 'Z') || *s->at == '-' || *s->at == '+' || *s->at == '.'))
        s->at++;
    return s->at > from;
}

/* Lists and objects, with an explicit stack of closing brackets: deep nesting cannot overflow
 * the C stack. */
static int skip_value(struct scan *s)
{
    char open[DEEPEST];
    size_t depth = 0;
    for (;;) {
        skip_blanks(s);
        if (s->at == s->end)
            return 0;
        char c = *s->at;
        int is_new = 0;
        if (c == '{' || c == '[') {
            if (depth == DEEPEST)
                return 0;
            open[depth++] = c == '{' ? '}' : ']';
            s->at++;
            is_new = 1;
        } else if (!(c == '"' ? skip_string(s) : skip_word(s))) {
            return 0;
        }
        /* after a value: a closing bracket, or a comma and the next value */
        for (; depth > 0; is_new = 0) {
            if (take(s, open[depth - 1])) {
                depth--;
                continue;
            }
            if (!is_new && !take(s, ','))
                return 0;
            if (open[depth - 1] == '}' && !(skip_string(s) && take(s, ':')))
                return 0;
            break;
        }
        if (depth == 0)
            return 1;
    }
}

static int keep(struct pit__json_member **members, size_t *count, size_t *room,
                const struct pit__json_member *member)
{
    struct pit__json_member *more = pit__grow(*members, room, *count + 1, sizeof *more, 16);
    if (!more)
        return PIT__JSON_NO_MEMORY;
    *members = more;
    (*members)[(*count)++] = *member;
    return 0;
}

static int read_member(struct scan *s, struct pit__json_member *member)
{
    skip_blanks(s);
    member->key = s->at;
    if (!skip_string(s))
        return 0;
    member->key_bytes = (size_t)(s->at - member->key);
    if (!take(s, ':'))
        return 0;
    skip_blanks(s);
    member->value = s->at;
    if (!skip_value(s))
        return 0;
    member->value_bytes = (size_t)(s->at - member->value);
    return 1;
}

int pit__json_members(const char *text, size_t bytes, struct pit__json_member **members,
                      size_t *count)
{
    struct scan s = {text, text + bytes};
    size_t room = 0;
    int code = 0;
    *members = NULL;
    *count = 0;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        s.at += 3;
    if (!take(&s, '{'))
        return PIT__JSON_NOT_AN_OBJECT;
    for (int is_done = take(&s, '}'); !is_done && !code; is_done = !code && take(&s, '}')) {
        struct pit__json_member member;
        if ((*count > 0 && !take(&s, ',')) || !read_member(&s, &member))
            return PIT__JSON_NOT_AN_OBJECT;
        code = keep(members, count, &room, &member);
    }
    skip_blanks(&s);
    return code ? code : s.at == s.end ? 0 : PIT__JSON_NOT_AN_OBJECT;
}

/* ---- merging --------------------------------------------------------------------------------- */

static const struct pit__json_member *find(const struct pit__json_member *members, size_t count,
                                           const struct pit__json_member *like)
{
    for (size_t i = 0; i < count; i++)
        if (members[i].key_bytes == like->key_bytes &&
            memcmp(members[i].key, like->key, like->key_bytes) == 0)
            return &members[i];
    return NULL;
}

static void put_key(FILE *out, const struct pit__json_member *member, int indent, int is_first)
{
    fprintf(out, "%s\n%*s", is_first ? "" : ",", indent + 2, "");
    fwrite(member->key, 1, member->key_bytes, out);
    fputs(": ", out);
}

static int put_merged(FILE *out, const struct pit__json_member *old,
                      const struct pit__json_member *new, int indent, int depth)
{
    const struct pit__json_member *shown = new ? new : old;
    if (new &&depth > 0 && *old->value == '{' && *new->value == '{')
        return pit__json_merge(out, old->value, old->value_bytes, new->value, new->value_bytes,
                               indent + 2, depth - 1);
    fwrite(shown->value, 1, shown->value_bytes, out);
    return 0;
}

int pit__json_merge(FILE *out, const char *from, size_t from_bytes, const char *into,
                    size_t into_bytes, int indent, int depth)
{
    struct pit__json_member *old, *new;
    size_t old_count, new_count, written = 0;
    int code = pit__json_members(from, from_bytes, &old, &old_count);
    int other = pit__json_members(into, into_bytes, &new, &new_count);
    code = code ? code : other;
    putc('{', out);
    for (size_t i = 0; i < old_count && !code; i++) {
        put_key(out, &old[i], indent, written++ == 0);
        code = put_merged(out, &old[i], find(new, new_count, &old[i]), indent, depth);
    }
    for (size_t i = 0; i < new_count && !code; i++) {
        if (find(old, old_count, &new[i]))
            continue;
        put_key(out, &new[i], indent, written++ == 0);
        fwrite(new[i].value, 1, new[i].value_bytes, out);
    }
    if (written > 0)
        fprintf(out, "\n%*s", indent, "");
    putc('}', out);
    free(old);
    free(new);
    return code;
}

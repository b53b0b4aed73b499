/* See cpp_name.h.
 *
 * __cxa_demangle knows every name, but it allocates, and the first call of a function may be in a
 * signal handler that interrupted malloc. This file parses the common part of the grammar: names
 * in namespaces and classes, constructors, destructors, the usual operators. Template arguments are
 * skipped. Overloads of a function get the same name, and are one node in the run.
 */
#include "cpp_name.h"

#include <ctype.h>
#include <string.h>

struct output {
    char *text;
    size_t used, room;
    const char *last; /* the class's own name, for its constructors */
    size_t last_length;
};

static int add(struct output *out, const char *text, size_t length)
{
    if (length >= out->room - out->used)
        return 0;
    memcpy(out->text + out->used, text, length);
    out->used += length;
    out->text[out->used] = 0;
    return 1;
}

static int add_part(struct output *out, const char *text, size_t length)
{
    return (out->used == 0 || add(out, "::", 2)) && add(out, text, length);
}

/* A number followed by that many letters; NULL if the text has another form. */
static const char *read_source_name(const char *at, const char **name, size_t *length)
{
    size_t count = 0;
    if (!isdigit((unsigned char)*at))
        return NULL;
    for (; isdigit((unsigned char)*at); at++) {
        count = count * 10 + (size_t)(*at - '0');
        if (count > 4096)
            return NULL;
    }
    if (strnlen(at, count) < count)
        return NULL;
    *name = at;
    *length = count;
    return at + count;
}

/* Skip template arguments, from after their I to after their E. */
static const char *skip_arguments(const char *at)
{
    unsigned open = 1;
    while (open && *at) {
        const char *name;
        size_t length;
        if (isdigit((unsigned char)*at)) {
            at = read_source_name(at, &name, &length);
            if (!at)
                return NULL;
        } else if (*at == 'L') { /* a literal: its digits are a number, not a length */
            at = strchr(at, 'E');
            if (!at)
                return NULL;
            at++;
        } else if (*at == 'S' && at[1] && at[1] != '_') { /* Sa, St, S0_ */
            at += 2;
            at += at[-1] >= '0' && at[-1] <= 'Z' && *at == '_';
        } else if (*at == 'X' || *at == 'T' || *at == 'D') {
            return NULL; /* an expression, a parameter, a decltype: not simple */
        } else {
            open += *at == 'N' || *at == 'I' || *at == 'J' || *at == 'F';
            open -= *at == 'E';
            at++;
        }
    }
    return open ? NULL : at;
}

static const char *operator_name(const char *at)
{
    static const char names[][2][12] = {
        {"cl", "operator()"}, {"ix", "operator[]"}, {"pl", "operator+"},  {"mi", "operator-"},
        {"ml", "operator*"},  {"dv", "operator/"},  {"eq", "operator=="}, {"ne", "operator!="},
        {"lt", "operator<"},  {"gt", "operator>"},  {"aS", "operator="},  {"pL", "operator+="},
        {"mI", "operator-="}, {"mL", "operator*="}, {"ls", "operator<<"}, {"rs", "operator>>"},
        {"de", "operator*"},  {"pt", "operator->"}, {"pp", "operator++"}, {"mm", "operator--"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(at, names[i][0], 2) == 0)
            return names[i][1];
    return NULL;
}

/* A constructor or destructor: the class's name once more. */
static const char *add_special(struct output *out, const char *at)
{
    if (!out->last || !isdigit((unsigned char)at[1]))
        return NULL;
    if (!add(out, *at == 'D' ? "::~" : "::", *at == 'D' ? 3 : 2) ||
        !add(out, out->last, out->last_length))
        return NULL;
    return at + 2;
}

/* Parse one part of a name; returns where the next one begins, or NULL. */
static const char *read_part(struct output *out, const char *at)
{
    const char *name, *symbol;
    size_t length;
    at += *at == 'L' && isdigit((unsigned char)at[1]); /* a name local to its file */
    if (isdigit((unsigned char)*at)) {
        at = read_source_name(at, &name, &length);
        if (!at)
            return NULL;
        out->last = name;
        out->last_length = length;
        if (length > 10 && strncmp(name, "_GLOBAL__N", 10) == 0)
            return add_part(out, "(anonymous)", 11) ? at : NULL;
        return add_part(out, name, length) ? at : NULL;
    }
    if (strncmp(at, "St", 2) == 0)
        return add_part(out, "std", 3) ? at + 2 : NULL;
    if (*at == 'I') {
        at = out->used ? skip_arguments(at + 1) : NULL;
        return at && add(out, "<>", 2) ? at : NULL;
    }
    if (*at == 'C' || *at == 'D')
        return add_special(out, at);
    symbol = operator_name(at);
    return symbol && add_part(out, symbol, strlen(symbol)) ? at + 2 : NULL;
}

/* Parse a name; returns where its parameters begin, or NULL. */
static const char *read_name(struct output *out, const char *at)
{
    if (*at == 'N') {
        at++;
        at += strspn(at, "rVKRO"); /* qualifiers of the method, such as const */
        while (at && *at && *at != 'E')
            at = read_part(out, at);
        return at && *at == 'E' ? at + 1 : NULL;
    }
    if (strncmp(at, "St", 2) == 0)
        at = read_part(out, at);
    at = at ? read_part(out, at) : NULL;
    return at && *at == 'I' ? read_part(out, at) : at;
}

/* An entity inside a function, after the name of that function: a lambda of gcc or clang. */
static int add_lambda(struct output *out, const char *at)
{
    static const char *const marks[] = {"ENKUl", "ENUl", "ENK3$_", "EN3$_"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strstr(at, marks[i]))
            return add_part(out, "lambda", 6);
    return 0;
}

int pit__cpp_name(const char *mangled, char *to, size_t room)
{
    struct output out = {.text = to, .room = room};
    if (room == 0 || strncmp(mangled, "_Z", 2) != 0)
        return 0;
    const char *at = mangled + 2;
    int is_inside = *at == 'Z';
    at = read_name(&out, at + is_inside);
    return at && out.used > 0 && (!is_inside || add_lambda(&out, at));
}

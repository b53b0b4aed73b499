/* log_scan.c: parses the pieces of a log line. Numbers are not read with strtod: a log has a
 * decimal point in any locale. */
#include "log_scan.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>
#include <time.h>

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- cleaning ------------------------------------------------------------------------------- */

/* Bytes of the escape sequence at `at`, which is an ESC. */
static size_t escape_bytes(const char *at, size_t left)
{
    size_t i = 2;
    if (left < 2)
        return left;
    if (at[1] == '[') { /* parameters, then a letter or the like */
        while (i < left && at[i] >= 0x20 && at[i] < 0x40)
            i++;
        return i < left ? i + 1 : left;
    }
    if (at[1] == ']') { /* a text, until BEL or ESC \ */
        while (i < left && at[i] != 7 && at[i] != 0x1b)
            i++;
        if (i < left && at[i] == 0x1b && i + 1 < left && at[i + 1] == '\\')
            i++;
        return i < left ? i + 1 : left;
    }
    return 2;
}

static size_t drop_escapes(char *line, size_t length)
{
    size_t kept = 0;
    for (size_t i = 0; i < length;) {
        if (line[i] == 0x1b)
            i += escape_bytes(line + i, length - i);
        else
            line[kept++] = line[i++];
    }
    return kept;
}

/* "[rank0]: ", "[default3]:", "[host-2]: " at the beginning; 0 where there is none. */
static size_t prefix_bytes(const char *line)
{
    size_t i = 1;
    if (*line != '[')
        return 0;
    while (is_letter(line[i]) || is_digit(line[i]) || line[i] == '-' || line[i] == '_')
        i++;
    if (i == 1 || line[i] != ']' || line[i + 1] != ':')
        return 0;
    return i + 2 + (line[i + 2] == ' ');
}

char *pit__scan_clean(char *line, size_t length)
{
    length = drop_escapes(line, length);
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    line[length] = '\0';
    return line + prefix_bytes(line);
}

/* ---- numbers and durations ------------------------------------------------------------------ */

/* 12, 12.34, .5, 1e-05; the bytes it takes, 0 for none. Exact as long as its digits fit. */
static size_t scan_number(const char *text, const char *end, double *number)
{
    const char *at = text;
    uint64_t digits = 0;
    int scale = 0, some = 0, point = 0;
    for (; at < end && (is_digit(*at) || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = 1;
            continue;
        }
        some = 1;
        if (digits < 100000000000000000u)
            digits = digits * 10 + (uint64_t)(*at - '0');
        else
            scale++;
        scale -= point;
    }
    if (!some)
        return 0;
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char *from = at + 1 + (at + 1 < end && (at[1] == '-' || at[1] == '+'));
        int exponent = 0;
        const char *to = from;
        for (; to < end && is_digit(*to) && exponent < 1000; to++)
            exponent = exponent * 10 + (*to - '0');
        if (to > from) {
            scale += at[1] == '-' ? -exponent : exponent;
            at = to;
        }
    }
    double power = pow(10, scale < 0 ? -scale : scale);
    *number = scale < 0 ? (double)digits / power : (double)digits * power;
    return isfinite(*number) ? (size_t)(at - text) : 0;
}

/* Seconds of one of a unit; 0: no such unit. */
static double unit_seconds(const char *unit, size_t length)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1},     {"sec", 1},     {"secs", 1},         {"seconds", 1},
                 {"ms", 1e-3}, {"us", 1e-6},   {"\xc2\xb5s", 1e-6}, {"\xce\xbcs", 1e-6},
                 {"ns", 1e-9}, {"min", 60},    {"mins", 60},        {"m", 60},
                 {"h", 3600},  {"hours", 3600}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strlen(units[i].name) == length && memcmp(units[i].name, unit, length) == 0)
            return units[i].seconds;
    return 0;
}

static size_t unit_bytes(const char *at, const char *end)
{
    const char *from = at;
    while (at < end && (is_letter(*at) || (unsigned char)*at >= 0x80))
        at++;
    return (size_t)(at - from);
}

/* "2345.67s"; a bare number is seconds. The bytes it takes, 0 for none. */
static size_t scan_duration(const char *text, const char *end, double *seconds)
{
    size_t bytes = scan_number(text, end, seconds);
    if (bytes == 0)
        return 0;
    size_t unit = unit_bytes(text + bytes, end);
    double each = unit ? unit_seconds(text + bytes, unit) : 1;
    *seconds *= each;
    return each > 0 && isfinite(*seconds) ? bytes + unit : 0;
}

/* The allowed text after a duration: "(39.09min)", "(0.65h)", "(97.3%)". 1 if nothing else
 * follows. */
static int scan_remarks(const char *text, double *percent)
{
    for (;;) {
        double number;
        text += strspn(text, " \t");
        if (!*text)
            return 1;
        if (*text != '(')
            return 0;
        const char *end = strchr(text, ')');
        size_t bytes = end ? scan_number(text + 1, end, &number) : 0;
        if (bytes == 0)
            return 0;
        if (text[1 + bytes] == '%' && percent)
            *percent = number;
        text = end + 1;
    }
}

static size_t trimmed(const char *text, const char *end)
{
    while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (size_t)(end - text);
}

/* A name may contain colons. First search from the right for a colon followed only by the
 * duration; else from the left for one followed by a duration and other text. */
int pit__scan_named_duration(const char *text, size_t *name_length, double *seconds,
                             double *percent)
{
    const char *end = text + strlen(text);
    for (size_t i = (size_t)(end - text); i-- > 0;) {
        const char *colon = text + i, *after = colon + 1 + strspn(colon + 1, " \t");
        size_t bytes = *colon == ':' ? scan_duration(after, end, seconds) : 0;
        if (bytes > 0 && scan_remarks(after + bytes, percent)) {
            *name_length = trimmed(text, colon);
            return *name_length > 0;
        }
    }
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        const char *after = colon + 1 + strspn(colon + 1, " \t");
        size_t bytes = after > colon + 1 ? scan_duration(after, end, seconds) : 0;
        if (bytes > 0 && strchr(" \t,;(", after[bytes]) && !percent) {
            *name_length = trimmed(text, colon);
            return *name_length > 0;
        }
    }
    return 0;
}

/* ---- wall time ------------------------------------------------------------------------------ */

static int scan_two(const char *at)
{
    return is_digit(at[0]) && is_digit(at[1]) ? (at[0] - '0') * 10 + at[1] - '0' : -1;
}

/* "[YYYY-MM-DD HH:MM:SS]" at `at`, 21 bytes. */
static uint64_t scan_time(const char *at)
{
    static const char shape[] = "[dddd-dd-dd dd:dd:dd]";
    for (size_t i = 0; i < sizeof shape - 1; i++)
        if (shape[i] == 'd' ? !is_digit(at[i]) : at[i] != shape[i])
            return 0;
    struct tm parts = {.tm_year = scan_two(at + 1) * 100 + scan_two(at + 3) - 1900,
                       .tm_mon = scan_two(at + 6) - 1,
                       .tm_mday = scan_two(at + 9),
                       .tm_hour = scan_two(at + 12),
                       .tm_min = scan_two(at + 15),
                       .tm_sec = scan_two(at + 18),
                       .tm_isdst = -1};
    if (parts.tm_mon > 11 || parts.tm_mon < 0 || parts.tm_mday < 1 || parts.tm_mday > 31 ||
        parts.tm_hour > 23 || parts.tm_min > 59 || parts.tm_sec > 60)
        return 0;
    time_t seconds = mktime(&parts);
    return seconds > 0 ? (uint64_t)seconds * 1000000000u : 0;
}

uint64_t pit__scan_wall_time(const char *line, const char *mark)
{
    size_t places = mark - line >= 21 ? (size_t)(mark - line) - 20 : 0;
    while (places-- > 0) {
        uint64_t ns = line[places] == '[' ? scan_time(line + places) : 0;
        if (ns)
            return ns;
    }
    return 0;
}

/* ---- windows -------------------------------------------------------------------------------- */

int pit__scan_window_head(const char *line, struct pit__scan_window *window)
{
    static const char word[] = "] Last ";
    for (const char *at = strstr(line, word); at; at = strstr(at + 1, word)) {
        const char *tag = at;
        while (tag > line && tag[-1] != '[' && tag[-1] != ']')
            tag--;
        const char *number = at + sizeof word - 1, *end = number + strlen(number);
        size_t bytes = strspn(number, "0123456789");
        const char *unit = number + bytes + 1, *colon;
        if (tag == line || tag[-1] != '[' || tag == at || bytes == 0 || number[bytes] != ' ' ||
            (colon = strstr(unit, ": ")) == NULL || colon == unit)
            continue;
        scan_number(number, end, &window->calls);
        window->tag = tag;
        window->tag_length = (size_t)(at - tag);
        window->unit = unit;
        window->unit_length = (size_t)(colon - unit);
        window->items = colon + 2;
        return window->calls > 0;
    }
    return 0;
}

int pit__scan_item(struct pit__arena *arena, const char *text, size_t length, pit_figure *figure)
{
    const char *end = text + length, *equals = end;
    while (equals > text && equals[-1] != '=')
        equals--;
    if (equals <= text + 1)
        return 0;
    const char *value = equals;
    int negative = value < end && *value == '-';
    size_t bytes = scan_number(value + negative, end, &figure->value);
    const char *unit = value + negative + bytes;
    size_t unit_length = (size_t)(end - unit);
    if (bytes == 0)
        return 0;
    double each = unit_seconds(unit, unit_length);
    if (each > 0 && !(unit_length == 1 && *unit == 'm')) {
        if (unit_length != 2 || memcmp(unit, "ms", 2) != 0)
            figure->value *= each * 1e3;
        unit = "ms";
        unit_length = 2;
    }
    figure->value = negative ? -figure->value : figure->value;
    figure->key = pit__arena_text(arena, text, (size_t)(equals - 1 - text));
    figure->unit = pit__arena_text(arena, unit, unit_length);
    return figure->key && figure->unit && isfinite(figure->value);
}

/* json_writer.c: JSON as a stream. */
#include "json_writer.h"

#include "text.h"
#include "units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pit__json_init(struct pit__json *json, FILE *out)
{
    memset(json, 0, sizeof *json);
    json->out = out;
}

void pit__json_init_brief(struct pit__json *json, FILE *out)
{
    pit__json_init(json, out);
    json->brief = 1;
}

void pit__json_init_text(struct pit__json *json, struct pit__text *text)
{
    pit__json_init_brief(json, NULL);
    json->text = text;
}

static void put(struct pit__json *json, const char *bytes, size_t count)
{
    if (json->text)
        pit__text_add(json->text, bytes, count);
    else
        fwrite(bytes, 1, count, json->out);
}

static void put_string(struct pit__json *json, const char *string)
{
    put(json, string, strlen(string));
}

#define WHOLE_BYTES 120 /* keys and most names */

/* The number of leading bytes that need no escape. */
static size_t plain_bytes(const char *string, size_t left)
{
    size_t plain = 0;
    while (plain < left && string[plain] >= 0x20 && string[plain] < 0x7f && string[plain] != '"' &&
           string[plain] != '\\')
        plain++;
    return plain;
}

/* Write the first character of a string that has a form of its own; returns its bytes. */
static size_t write_special(struct pit__json *json, const char *string, size_t left)
{
    uint32_t code;
    size_t bytes = pit__utf8_next(string, left, &code);
    char escape[8];
    if (code == '"' || code == '\\') {
        snprintf(escape, sizeof escape, "\\%c", (char)code);
        put_string(json, escape);
    } else if (code == '\n') {
        put_string(json, "\\n");
    } else if (code == '\t') {
        put_string(json, "\\t");
    } else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)code & 0xffff);
        put_string(json, escape);
    } else if (code == UINT32_MAX) {
        put_string(json, "\xef\xbf\xbd");
    } else {
        put(json, string, bytes);
    }
    return bytes;
}

static void write_string(struct pit__json *json, const char *string)
{
    size_t left = strlen(string);
    char whole[WHOLE_BYTES + 2];
    if (left <= WHOLE_BYTES && plain_bytes(string, left) == left) {
        whole[0] = '"';
        memcpy(whole + 1, string, left);
        whole[left + 1] = '"';
        put(json, whole, left + 2);
        return;
    }
    put(json, "\"", 1);
    while (left > 0) {
        size_t done = plain_bytes(string, left);
        if (done > 0)
            put(json, string, done);
        else
            done = write_special(json, string, left);
        string += done;
        left -= done;
    }
    put(json, "\"", 1);
}

static int is_flat(const struct pit__json *json)
{
    return json->brief || (json->flat > 0 && json->depth >= json->flat);
}

/* Line break and indentation, into `lead`; how many bytes. */
static size_t new_line(const struct pit__json *json, char *lead)
{
    if (is_flat(json))
        return 0;
    lead[0] = '\n';
    memset(lead + 1, ' ', 2 * (size_t)json->depth);
    return 1 + 2 * (size_t)json->depth;
}

#define LEAD_BYTES (2 + 1 + 2 * PIT__JSON_DEPTH + WHOLE_BYTES + 4)

/* The comma, the line break and the key before a value, into `lead`; how many bytes. A number is added to
 * them and both are written in one call: a document has a hundred thousand of them. */
static size_t lead_in(struct pit__json *json, const char *key, char *lead)
{
    size_t bytes = 0;
    if (json->depth > 0) {
        if (json->filled[json->depth - 1]) {
            lead[bytes++] = ',';
            if (is_flat(json) && !json->brief)
                lead[bytes++] = ' ';
        }
        json->filled[json->depth - 1] = 1;
        bytes += new_line(json, lead + bytes);
    }
    if (!key)
        return bytes;
    size_t key_bytes = strlen(key);
    if (key_bytes <= WHOLE_BYTES && plain_bytes(key, key_bytes) == key_bytes) {
        lead[bytes++] = '"';
        memcpy(lead + bytes, key, key_bytes);
        memcpy(lead + bytes + key_bytes, "\": ", 3);
        return bytes + key_bytes + 3 - (size_t)json->brief;
    }
    put(json, lead, bytes);
    write_string(json, key);
    put_string(json, json->brief ? ":" : ": ");
    return 0;
}

/* A value that is a text of its own, such as a bracket. */
static void write_word(struct pit__json *json, const char *key, const char *word)
{
    char lead[LEAD_BYTES + 8];
    size_t bytes = lead_in(json, key, lead), length = strlen(word);
    if (length > 8) {
        put(json, lead, bytes);
        put(json, word, length);
        return;
    }
    memcpy(lead + bytes, word, length);
    put(json, lead, bytes + length);
}

static void open_container(struct pit__json *json, const char *key, char bracket, int flat)
{
    write_word(json, key, (const char[]){bracket, '\0'});
    if (json->depth == PIT__JSON_DEPTH)
        abort(); /* the depth depends on our own code, never on the data of a run */
    json->filled[json->depth++] = 0;
    if (flat && !json->flat)
        json->flat = json->depth;
}

static void close_container(struct pit__json *json, char bracket)
{
    int filled = json->filled[json->depth - 1], flat = is_flat(json);
    if (json->flat == json->depth)
        json->flat = 0;
    json->depth--;
    char lead[2 + 2 * PIT__JSON_DEPTH];
    size_t length = filled && !flat ? new_line(json, lead) : 0;
    lead[length] = bracket;
    put(json, lead, length + 1);
}

void pit__json_object(struct pit__json *json, const char *key)
{
    open_container(json, key, '{', 0);
}

void pit__json_flat_object(struct pit__json *json, const char *key)
{
    open_container(json, key, '{', 1);
}

void pit__json_object_end(struct pit__json *json)
{
    close_container(json, '}');
}

void pit__json_array(struct pit__json *json, const char *key)
{
    open_container(json, key, '[', 0);
}

void pit__json_flat_array(struct pit__json *json, const char *key)
{
    open_container(json, key, '[', 1);
}

void pit__json_array_end(struct pit__json *json)
{
    close_container(json, ']');
}

void pit__json_string(struct pit__json *json, const char *key, const char *value)
{
    char lead[LEAD_BYTES];
    if (!value) {
        write_word(json, key, "null");
        return;
    }
    put(json, lead, lead_in(json, key, lead));
    write_string(json, value);
}

/* ---- numbers: printf is too slow for a document with a hundred thousand of them ------------------ */

#define DIGITS_BYTES 32

/* At least `least` digits of a number, into `to`; how many bytes. */
static size_t put_digits(char *to, uint64_t value, size_t least)
{
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0 || sizeof digits - at < least);
    memcpy(to, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

void pit__json_uint(struct pit__json *json, const char *key, uint64_t value)
{
    char text[LEAD_BYTES + DIGITS_BYTES];
    size_t bytes = lead_in(json, key, text);
    put(json, text, bytes + put_digits(text + bytes, value, 1));
}

void pit__json_int(struct pit__json *json, const char *key, int64_t value)
{
    char text[LEAD_BYTES + DIGITS_BYTES];
    size_t bytes = lead_in(json, key, text);
    if (value < 0)
        text[bytes++] = '-';
    put(json, text,
        bytes + put_digits(text + bytes, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1));
}

void pit__json_bool(struct pit__json *json, const char *key, int value)
{
    write_word(json, key, value ? "true" : "false");
}

void pit__json_null(struct pit__json *json, const char *key)
{
    write_word(json, key, "null");
}

/* Six digits without their last zeros: the first is worth 10^exponent, -4 to 5. */
static size_t put_six(char *to, uint64_t six, int exponent)
{
    char digits[DIGITS_BYTES];
    size_t bytes = 0, before = exponent >= 0 ? (size_t)exponent + 1 : 0, count = 6;
    put_digits(digits, six, 6);
    while (count > before && count > 1 && digits[count - 1] == '0')
        count--;
    if (before == 0) {
        memcpy(to, "0.000", 5);
        bytes = (size_t)(1 - exponent);
    }
    for (size_t i = 0; i < count; i++) {
        if (i == before && before > 0)
            to[bytes++] = '.';
        to[bytes++] = digits[i];
    }
    return bytes;
}

/* As "%.6g" prints it: a number of 0.0001 or more, below 100000. Returns 0 where the rounding is too close
 * to call, within the error of the multiplication. */
static size_t put_rounded(char *to, double value)
{
    static const double scale[] = {1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1};
    static const double least[] = {1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4};
    int at = 8;
    while (at > 0 && value < least[at])
        at--;
    double scaled = value * scale[at];
    uint64_t six = (uint64_t)scaled;
    double rest = scaled - (double)six;
    if (fabs(rest - 0.5) < 1e-6)
        return 0;
    six += rest > 0.5;
    return six < 1000000 ? put_six(to, six, at - 4) : put_six(to, 100000, at - 3);
}

/* Whole numbers are written fastest. */
static void write_brief(struct pit__json *json, const char *key, double value)
{
    char text[LEAD_BYTES + DIGITS_BYTES];
    double size = fabs(value);
    if (size >= 1e5 && size < 9e18) {
        pit__json_int(json, key, llround(value));
        return;
    }
    if (value >= 0 && value < 1e5 && value == (double)(uint64_t)value) {
        pit__json_uint(json, key, (uint64_t)value);
        return;
    }
    size_t bytes = lead_in(json, key, text), more = 0;
    if (size >= 1e-4 && size < 1e5) {
        if (value < 0)
            text[bytes++] = '-';
        more = put_rounded(text + bytes, size);
        bytes -= more == 0 && value < 0;
    }
    if (more == 0)
        more = (size_t)snprintf(text + bytes, DIGITS_BYTES, "%.6g", value);
    put(json, text, bytes + more);
}

void pit__json_double(struct pit__json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        pit__json_null(json, key);
        return;
    }
    if (json->brief) {
        write_brief(json, key, value);
        return;
    }
    char number[PIT__UNIT_BYTES];
    write_word(json, key, pit__unit_exact(number, value));
}

void pit__json_milli(struct pit__json *json, const char *key, double value)
{
    if (!isfinite(value) || json->brief) {
        pit__json_double(json, key, value);
        return;
    }
    char number[PIT__UNIT_BYTES];
    write_word(json, key, pit__unit_milli(number, value));
}

void pit__json_raw(struct pit__json *json, const char *key, const char *text, size_t bytes)
{
    char lead[LEAD_BYTES];
    put(json, lead, lead_in(json, key, lead));
    put(json, text, bytes);
}

void pit__json_micro(struct pit__json *json, const char *key, uint64_t ns)
{
    char text[LEAD_BYTES + 2 * DIGITS_BYTES];
    size_t bytes = lead_in(json, key, text);
    bytes += put_digits(text + bytes, ns / 1000, 1);
    if (ns % 1000 > 0) {
        text[bytes++] = '.';
        bytes += put_digits(text + bytes, ns % 1000, 3);
    }
    put(json, text, bytes);
}

void pit__json_finish(struct pit__json *json)
{
    put(json, "\n", 1);
}

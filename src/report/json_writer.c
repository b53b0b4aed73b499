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

static void write_string(struct pit__json *json, const char *string)
{
    FILE *out = json->out;
    size_t left = strlen(string);
    char whole[WHOLE_BYTES + 2];
    if (left <= WHOLE_BYTES && plain_bytes(string, left) == left) {
        whole[0] = '"';
        memcpy(whole + 1, string, left);
        whole[left + 1] = '"';
        fwrite(whole, 1, left + 2, out);
        return;
    }
    putc('"', out);
    while (left > 0) {
        size_t plain = plain_bytes(string, left);
        if (plain > 0) {
            fwrite(string, 1, plain, out);
            string += plain;
            left -= plain;
            continue;
        }
        uint32_t code;
        size_t bytes = pit__utf8_next(string, left, &code);
        if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (char)code);
        else if (code == '\n')
            fputs("\\n", out);
        else if (code == '\t')
            fputs("\\t", out);
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
            fprintf(out, "\\u%04x", (unsigned)code);
        else if (code == UINT32_MAX)
            fputs("\xef\xbf\xbd", out);
        else
            fwrite(string, 1, bytes, out);
        string += bytes;
        left -= bytes;
    }
    putc('"', out);
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

/* Write the comma, the line break and the key before a value, in one call: a document has a
 * hundred thousand of them. */
static void lead_in(struct pit__json *json, const char *key)
{
    char lead[2 + 1 + 2 * PIT__JSON_DEPTH + WHOLE_BYTES + 4];
    size_t bytes = 0, key_bytes = key ? strlen(key) : 0;
    if (json->depth > 0) {
        if (json->filled[json->depth - 1]) {
            lead[bytes++] = ',';
            if (is_flat(json) && !json->brief)
                lead[bytes++] = ' ';
        }
        json->filled[json->depth - 1] = 1;
        bytes += new_line(json, lead + bytes);
    }
    int is_plain = key && key_bytes <= WHOLE_BYTES && plain_bytes(key, key_bytes) == key_bytes;
    if (is_plain) {
        lead[bytes++] = '"';
        memcpy(lead + bytes, key, key_bytes);
        memcpy(lead + bytes + key_bytes, "\": ", 3);
        bytes += key_bytes + 3 - (size_t)json->brief;
    }
    if (bytes > 0)
        fwrite(lead, 1, bytes, json->out);
    if (key && !is_plain) {
        write_string(json, key);
        fputs(json->brief ? ":" : ": ", json->out);
    }
}

static void open_container(struct pit__json *json, const char *key, char bracket, int flat)
{
    lead_in(json, key);
    putc(bracket, json->out);
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
    char lead[1 + 2 * PIT__JSON_DEPTH];
    if (filled && !flat) {
        size_t length = new_line(json, lead);
        fwrite(lead, 1, length, json->out);
    }
    putc(bracket, json->out);
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
    lead_in(json, key);
    if (value)
        write_string(json, value);
    else
        fputs("null", json->out);
}

/* With at least `least` digits. printf is too slow for a document with a hundred thousand
 * numbers. */
static void write_uint(FILE *out, uint64_t value, size_t least)
{
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0 || sizeof digits - at < least);
    fwrite(digits + at, 1, sizeof digits - at, out);
}

void pit__json_uint(struct pit__json *json, const char *key, uint64_t value)
{
    lead_in(json, key);
    write_uint(json->out, value, 1);
}

void pit__json_int(struct pit__json *json, const char *key, int64_t value)
{
    lead_in(json, key);
    if (value < 0)
        putc('-', json->out);
    write_uint(json->out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

void pit__json_bool(struct pit__json *json, const char *key, int value)
{
    lead_in(json, key);
    fputs(value ? "true" : "false", json->out);
}

void pit__json_null(struct pit__json *json, const char *key)
{
    lead_in(json, key);
    fputs("null", json->out);
}

/* Whole numbers are written fast, and a document has a hundred thousand of them. */
static void write_brief(struct pit__json *json, const char *key, double value)
{
    if (fabs(value) >= 1e5 && fabs(value) < 9e18) {
        pit__json_int(json, key, llround(value));
        return;
    }
    lead_in(json, key);
    if (value >= 0 && value < 1e5 && value == (double)(uint64_t)value)
        write_uint(json->out, (uint64_t)value, 1);
    else
        fprintf(json->out, "%.6g", value);
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
    lead_in(json, key);
    fputs(pit__unit_exact(number, value), json->out);
}

void pit__json_milli(struct pit__json *json, const char *key, double value)
{
    if (!isfinite(value) || json->brief) {
        pit__json_double(json, key, value);
        return;
    }
    char number[PIT__UNIT_BYTES];
    lead_in(json, key);
    fputs(pit__unit_milli(number, value), json->out);
}

void pit__json_raw(struct pit__json *json, const char *key, const char *text, size_t bytes)
{
    lead_in(json, key);
    fwrite(text, 1, bytes, json->out);
}

void pit__json_micro(struct pit__json *json, const char *key, uint64_t ns)
{
    lead_in(json, key);
    write_uint(json->out, ns / 1000, 1);
    if (ns % 1000 > 0) {
        putc('.', json->out);
        write_uint(json->out, ns % 1000, 3);
    }
}

void pit__json_finish(struct pit__json *json)
{
    putc('\n', json->out);
}

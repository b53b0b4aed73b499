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

static void write_string(struct pit__json *json, const char *string)
{
    FILE *out = json->out;
    putc('"', out);
    size_t left = strlen(string);
    while (left > 0) {
        size_t plain = 0;
        while (plain < left && string[plain] >= 0x20 && string[plain] < 0x7f &&
               string[plain] != '"' && string[plain] != '\\')
            plain++;
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
    return json->flat > 0 && json->depth >= json->flat;
}

static void new_line(struct pit__json *json)
{
    if (is_flat(json))
        return;
    putc('\n', json->out);
    for (int i = 0; i < json->depth; i++)
        fputs("  ", json->out);
}

/* What stands before a value: the comma, the line break, the key. */
static void lead_in(struct pit__json *json, const char *key)
{
    if (json->depth > 0) {
        if (json->filled[json->depth - 1])
            fputs(is_flat(json) ? ", " : ",", json->out);
        json->filled[json->depth - 1] = 1;
        new_line(json);
    }
    if (key) {
        write_string(json, key);
        fputs(": ", json->out);
    }
}

static void open_container(struct pit__json *json, const char *key, char bracket, int flat)
{
    lead_in(json, key);
    putc(bracket, json->out);
    if (json->depth == PIT__JSON_DEPTH)
        abort(); /* the depth is that of our own documents, never that of a run's data */
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
    if (filled && !flat)
        new_line(json);
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

/* In at least `least` digits. printf is slow where a document holds a hundred thousand numbers. */
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

void pit__json_double(struct pit__json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        pit__json_null(json, key);
        return;
    }
    char number[PIT__UNIT_BYTES];
    lead_in(json, key);
    fputs(pit__unit_exact(number, value), json->out);
}

void pit__json_milli(struct pit__json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        pit__json_null(json, key);
        return;
    }
    char number[PIT__UNIT_BYTES];
    lead_in(json, key);
    fputs(pit__unit_milli(number, value), json->out);
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

/* text.c: a growing string, and text made safe to print and cut to a width. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int reserve(struct pit__text *text, size_t more)
{
    if (text->failed)
        return 0;
    if (more < text->room - text->length)
        return 1;
    size_t room = text->room ? text->room * 2 : 64;
    while (room - text->length <= more)
        room *= 2;
    char *data = realloc(text->data, room);
    if (!data) {
        text->failed = 1;
        return 0;
    }
    text->data = data;
    text->room = room;
    return 1;
}

void pit__text_add(struct pit__text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void pit__text_puts(struct pit__text *text, const char *string)
{
    pit__text_add(text, string, strlen(string));
}

void pit__text_printf(struct pit__text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        text->failed = 1;
    else if (reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void pit__text_free(struct pit__text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

const char *pit__text_string(const struct pit__text *text)
{
    return text->data ? text->data : "";
}

size_t pit__text_width(const char *string)
{
    size_t left = strlen(string), width = 0;
    while (left > 0) {
        uint32_t code;
        size_t bytes = pit__utf8_next(string, left, &code);
        width += (size_t)pit__code_width(code);
        string += bytes;
        left -= bytes;
    }
    return width;
}

/* Characters that are invisible, or that would reorder the text after them. */
static int is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

static void add_hidden(struct pit__text *text, uint32_t code)
{
    static const char letters[] = "abtnvfr"; /* of 7 to 13 */
    if (code >= 7 && code <= 13)
        pit__text_printf(text, "\\%c", letters[code - 7]);
    else if (code < 0x80)
        pit__text_printf(text, "\\x%02x", (unsigned)code);
    else
        pit__text_printf(text, "\\u%04x", (unsigned)code);
}

void pit__text_add_visible(struct pit__text *text, const char *string)
{
    size_t left = strlen(string);
    while (left > 0) {
        size_t plain = 0; /* the usual case in one piece */
        while (plain < left && string[plain] >= 0x20 && string[plain] < 0x7f)
            plain++;
        if (plain > 0) {
            pit__text_add(text, string, plain);
            string += plain;
            left -= plain;
            continue;
        }
        uint32_t code;
        size_t bytes = pit__utf8_next(string, left, &code);
        if (code == UINT32_MAX)
            pit__text_printf(text, "\\x%02x", (unsigned)(unsigned char)*string);
        else if (is_hidden(code))
            add_hidden(text, code);
        else
            pit__text_add(text, string, bytes);
        string += bytes;
        left -= bytes;
    }
}

/* The ellipsis that fits into `columns`: "...", "..", "." or "" in ascii. */
static size_t add_ellipsis(struct pit__text *text, size_t columns, int ascii)
{
    if (columns == 0)
        return 0;
    if (!ascii) {
        pit__text_puts(text, "\xe2\x80\xa6");
        return 1;
    }
    size_t dots = columns < 3 ? columns : 3;
    pit__text_add(text, "...", dots);
    return dots;
}

static size_t ellipsis_width(size_t columns, int ascii)
{
    size_t full = ascii ? 3 : 1;
    return columns < full ? columns : full;
}

size_t pit__text_add_cut(struct pit__text *text, const char *visible, size_t columns, int ascii)
{
    size_t whole = pit__text_width(visible);
    if (whole <= columns) {
        pit__text_puts(text, visible);
        return whole;
    }
    size_t room = columns - ellipsis_width(columns, ascii);
    size_t left = strlen(visible), width = 0, kept = 0;
    while (kept < left) { /* zero-width marks stay with the character before them */
        uint32_t code;
        size_t bytes = pit__utf8_next(visible + kept, left - kept, &code);
        size_t wide = (size_t)pit__code_width(code);
        if (width + wide > room)
            break;
        width += wide;
        kept += bytes;
    }
    pit__text_add(text, visible, kept);
    return width + add_ellipsis(text, columns, ascii);
}

size_t pit__text_add_tail(struct pit__text *text, const char *visible, size_t columns, int ascii)
{
    size_t width = pit__text_width(visible);
    if (width <= columns) {
        pit__text_puts(text, visible);
        return width;
    }
    size_t dots = add_ellipsis(text, columns, ascii);
    size_t left = strlen(visible);
    while (left > 0) {
        uint32_t code;
        size_t bytes = pit__utf8_next(visible, left, &code);
        if (width + dots <= columns && pit__code_width(code) > 0)
            break;
        width -= (size_t)pit__code_width(code);
        visible += bytes;
        left -= bytes;
    }
    pit__text_puts(text, visible);
    return width + dots;
}

int pit__fills_screen(const char *text, size_t bytes, int height)
{
    size_t lines = 0;
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    return height > 0 && lines >= (size_t)height;
}

/* prose.c: prints sentences to a stream. */
#include "prose.h"

#include "style.h"

#include <string.h>

/* After a line: keep an out-of-memory error, and empty the text. */
static void done(struct pit__prose *prose, struct pit__text *text)
{
    prose->failed |= text->failed;
    pit__text_free(text);
}

void pit__prose_line(struct pit__prose *prose, struct pit__text *line, enum pit__style style)
{
    const struct pit__look *look = &prose->look;
    struct pit__text cut = {0};
    const char *text = pit__text_string(line);
    if (look->width > 0) {
        pit__text_add_cut(&cut, text, (size_t)look->width, look->ascii);
        text = pit__text_string(&cut);
    }
    fprintf(prose->out, "%s%s%s\n", pit__style_on(style, look->colour), text,
            pit__style_off(style, look->colour));
    done(prose, &cut);
    done(prose, line);
}

void pit__prose_path(struct pit__prose *prose, struct pit__text *line, enum pit__style style)
{
    size_t width = (size_t)prose->look.width;
    if (width == 0 || pit__text_width(pit__text_string(line)) <= width) {
        pit__prose_line(prose, line, style);
        return;
    }
    struct pit__text shorter = {0};
    pit__text_puts(&shorter, "  ");
    pit__text_add_tail(&shorter, pit__text_string(line) + 2, width > 2 ? width - 2 : 1,
                       prose->look.ascii);
    done(prose, line);
    pit__prose_line(prose, &shorter, style);
}

/* Bytes of the next word; a number and its unit count as one word. */
static size_t word_bytes(const char *word)
{
    size_t bytes = strcspn(word, " ");
    if (bytes > 0 && word[bytes - 1] >= '0' && word[bytes - 1] <= '9' && word[bytes] == ' ') {
        size_t unit = strcspn(word + bytes + 1, " "), letters = strcspn(word + bytes + 1, " ,;:)");
        if (letters > 0 && letters <= sizeof "kB/s" - 1)
            bytes += 1 + unit;
    }
    return bytes;
}

static size_t word_columns(const char *word, size_t bytes)
{
    size_t columns = 0;
    for (size_t i = 0, step; i < bytes; i += step) {
        uint32_t code;
        step = pit__utf8_next(word + i, bytes - i, &code);
        columns += (size_t)pit__code_width(code);
    }
    return columns;
}

void pit__prose_words(struct pit__prose *prose, struct pit__text *words, size_t indent,
                      enum pit__style style)
{
    FILE *out = prose->out;
    const char *word = pit__text_string(words);
    size_t width = (size_t)prose->look.width, column = indent;
    fputs(pit__style_on(style, prose->look.colour), out);
    while (*word) {
        size_t bytes = word_bytes(word), columns = word_columns(word, bytes);
        if (column > indent && width > 0 && column + 1 + columns > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        if (column > indent) {
            putc(' ', out);
            column++;
        }
        fwrite(word, 1, bytes, out);
        column += columns;
        word += bytes;
        word += strspn(word, " ");
    }
    fprintf(out, "%s\n", pit__style_off(style, prose->look.colour));
    done(prose, words);
}

static void put_label(struct pit__prose *prose, const char *label)
{
    fprintf(prose->out, "%s%-*s%s", pit__style_on(PIT__DIM, prose->look.colour), PIT__LABEL_COLUMNS,
            label, pit__style_off(PIT__DIM, prose->look.colour));
}

void pit__prose_labelled(struct pit__prose *prose, const char *label, struct pit__text *words,
                         enum pit__style style)
{
    put_label(prose, label);
    pit__prose_words(prose, words, PIT__LABEL_COLUMNS, style);
}

void pit__prose_fact(struct pit__prose *prose, const char *label, struct pit__text *words)
{
    size_t width = (size_t)prose->look.width;
    size_t room = width > PIT__LABEL_COLUMNS + 8 ? width - PIT__LABEL_COLUMNS : 8;
    struct pit__text cut = {0};
    if (words->length > 0) {
        if (width > 0)
            pit__text_add_cut(&cut, pit__text_string(words), room, prose->look.ascii);
        put_label(prose, label);
        fprintf(prose->out, "%s\n", pit__text_string(width > 0 ? &cut : words));
    }
    done(prose, &cut);
    done(prose, words);
}

void pit__prose_named(struct pit__prose *prose, const char *before, const char *name,
                      const char *after, int columns)
{
    struct pit__text visible = {0}, line = {0};
    pit__text_add_visible(&visible, name);
    pit__text_puts(&line, before);
    size_t around = pit__text_width(before) + pit__text_width(after);
    size_t room = pit__text_width(pit__text_string(&visible));
    if (columns > 0 && around + room > (size_t)columns)
        room = (size_t)columns > around ? (size_t)columns - around : 1;
    pit__text_add_cut(&line, pit__text_string(&visible), room, prose->look.ascii);
    pit__text_puts(&line, after);
    fprintf(prose->out, "%s\n", pit__text_string(&line));
    done(prose, &visible);
    done(prose, &line);
}

/* text.h: UTF-8 text as a terminal shows it: its width in columns, made safe to print, cut to
 * fit. Independent of runs. */
#ifndef PIT_TEXT_H
#define PIT_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* A string that grows. Zeroed is empty; a failed allocation sets `failed` and drops the added
 * text, so a caller can check once, at the end. */
struct pit__text {
    char *data; /* zero-terminated once anything was added, else NULL */
    size_t length;
    size_t room;
    int failed;
};

void pit__text_add(struct pit__text *text, const char *bytes, size_t length);
void pit__text_puts(struct pit__text *text, const char *string);
void pit__text_printf(struct pit__text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pit__text_free(struct pit__text *text);

/* Its string: "" while it is empty. */
const char *pit__text_string(const struct pit__text *text);

/* Read one character of `length` bytes at `bytes` (length > 0). Its length in bytes; *code is its
 * code point. A byte that belongs to no valid UTF-8 character: 1, and *code is UINT32_MAX. */
size_t pit__utf8_next(const char *bytes, size_t length, uint32_t *code);

/* Columns one character takes: 0 (combining, formatting), 1 or 2. */
int pit__code_width(uint32_t code);

/* Width of a text made by pit__text_add_visible. */
size_t pit__text_width(const char *string);

/* Add `string` so that it can neither break a line nor change a terminal's state: control
 * characters, invalid bytes and characters that change the writing direction become \n, \x1b,
 * \u202e and so on. */
void pit__text_add_visible(struct pit__text *text, const char *string);

/* Add a visible text cut to `columns`. The cut part is replaced by an ellipsis ("…", "..." in
 * ascii) at the end, or with `tail` at the beginning. Returns the columns used. */
size_t pit__text_add_cut(struct pit__text *text, const char *visible, size_t columns, int ascii);
size_t pit__text_add_tail(struct pit__text *text, const char *visible, size_t columns, int ascii);

/* Does a text take all rows of the screen? The prompt after it takes one. */
int pit__fills_screen(const char *text, size_t bytes, int height);

#endif

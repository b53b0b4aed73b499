/* table.h: the only table writer. Independent of runs.
 *
 * Columns are declared once; rows are typed cells that keep the raw figure. Only this module
 * decides how a figure is formatted, how wide a column is, and what is cut or left out if the
 * width is too small. CSV and JSON use `key` and the raw cells. */
#ifndef PIT_TABLE_H
#define PIT_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum pit__kind {
    PIT__TEXT, /* only texts are cut to fit */
    PIT__COUNT,
    PIT__DURATION, /* nanoseconds */
    PIT__PERCENT,  /* a share 0…1 */
    PIT__BYTES,
    PIT__BYTES_SIGNED, /* a difference of sizes */
    PIT__RATE,         /* a second */
    PIT__BYTE_RATE,
    PIT__ENERGY, /* joules */
    PIT__POWER,  /* watts */
    PIT__RATIO,  /* two decimals */
    PIT__NUMBER,
    PIT__FLAG /* 0 or 1: yes or no for people, true or false in JSON */
};

enum pit__align { PIT__ALIGN_AUTO, PIT__ALIGN_LEFT, PIT__ALIGN_RIGHT }; /* auto: by kind */

/* The format of a column in a layout with fixed character positions. All zero: not shown there. */
struct pit__fixed {
    int width;    /* minimum of cell and suffix; above 0 if shown; 1: not aligned */
    int decimals; /* of a figure */
    int small;    /* a figure below 0.001 keeps three digits, however many decimals that takes */
    const char *before; /* NULL: nothing */
    const char
        *suffix; /* appended to the figure or name, within the width; NULL: nothing. n/a has none */
    const char *after; /* behind the cell; NULL: nothing */
    int left;          /* flush left; texts always are */
    int plus;          /* with its sign */
    int title_width;   /* of its title, flush left; 0: none */
    int same;          /* figures right-aligned to the widest of the column, then flush left */
};

struct pit__column {
    const char *title;
    const char *key; /* name in CSV and JSON, with the unit: total_ns */
    enum pit__kind kind;
    enum pit__align align;
    int min_width; /* of a text column: not cut below this while other columns can be dropped */
    int max_width; /* 0: none */
    int drop;      /* dropped, highest first, if the width is too small; 0: never */
    int optional;  /* left out when all its cells are empty */
    int machine;   /* only in CSV and JSON */
    struct pit__fixed fixed;
};

enum pit__style { PIT__PLAIN, PIT__DIM, PIT__STRONG, PIT__WARM, PIT__HOT };

enum pit__content { PIT__EMPTY, PIT__NOT_AVAILABLE, PIT__STRING, PIT__WHOLE, PIT__REAL };

struct pit__cell {
    enum pit__content content;
    enum pit__style style;
    uint64_t whole;
    double real;
    const char *string; /* names and texts: made visible; only read during the call */
    const char *raw;    /* used instead of the string in CSV and JSON, or NULL */
    const char *before; /* drawn before it, dim, or NULL: tree lines; our own text, not a name */
    const char *after;  /* drawn after it, dim, never cut, or NULL */
};

struct pit__table;

/* `columns` must outlive the table. NULL without memory. */
struct pit__table *pit__table_new(const struct pit__column *columns, size_t count);
/* The same; the table takes ownership of the columns. */
struct pit__table *pit__table_new_owning(struct pit__column *columns, size_t count);
void pit__table_free(struct pit__table *table);

/* As many cells as there are columns. pit__table_print reports lack of memory. */
void pit__table_row(struct pit__table *table, const struct pit__cell *cells);

/* The same for a sum, added after all rows. It is laid out with them, but CSV and JSON leave it
 * out. */
void pit__table_foot(struct pit__table *table, const struct pit__cell *cells);

struct pit__look {
    int width;  /* columns of the terminal; 0: as wide as it needs */
    int indent; /* spaces before each line */
    int colour;
    int ascii;
};

/* 1 if memory ran out for a row or while printing, or if there is no table. Callers can write
 * everything and check once at the end. */
int pit__table_failed(const struct pit__table *table);

/* Print it as text. 0, or PIT__TABLE_NO_MEMORY; write errors are left to ferror(out). The last
 * line names columns that did not fit the width. */
#define PIT__TABLE_NO_MEMORY (-1)
int pit__table_print(struct pit__table *table, FILE *out, const struct pit__look *look);

/* The rows in their fixed columns, without rules around them and without trailing blanks. A long
 * text widens its column while the row fits `rule` columns (0: no limit), and is cut beyond
 * that; with `cut` it is cut at the declared width. Figures are never cut: a longer one widens
 * its column. Colour is not used. Returns as pit__table_print. */
int pit__table_print_fixed(struct pit__table *table, FILE *out, int rule, int cut,
                           const struct pit__look *look);

/* The titles above, and the sums below. The caller prints the rules in between. */
int pit__table_head_fixed(struct pit__table *table, FILE *out, int rule, int cut,
                          const struct pit__look *look);
int pit__table_foot_fixed(struct pit__table *table, FILE *out, int rule, int cut,
                          const struct pit__look *look);

/* One row as a list: "  TITLE:   figure" for each figure that has a fixed width; the title with its
 * colon takes label_width. Optional ones that are empty are left out. */
void pit__table_print_list(const struct pit__table *table, size_t row, FILE *out, int label_width);

/* `count` times `mark`, and a newline. */
void pit__print_rule(FILE *out, char mark, int count);

/* CSV, JSON and Markdown from the same columns and raw cells. A figure that is not available is
 * an empty cell, null or n/a.
 *
 * CSV: RFC 4180 with the keys of the columns as header, but lines end in \n: spreadsheets and
 * libraries read both, while awk, cut and sort require \n. A text that a spreadsheet would run
 * as a formula (it begins with = + - @, tab or carriage return) gets a ' before it. A text that
 * begins with ' and then such a character gets one too, so removing one ' always restores the
 * text. JSON: an array of objects. Markdown: a table, with the figures of the fixed layout, or
 * else of the text form; sums are the last rows. */
int pit__table_csv(struct pit__table *table, FILE *out);
struct pit__json;
int pit__table_json(struct pit__table *table, struct pit__json *json, const char *key);
int pit__table_markdown(struct pit__table *table, FILE *out, const struct pit__look *look);

/* Write a foreign text into Markdown: visible, on one line, all markup escaped. */
void pit__print_markdown_text(FILE *out, const char *string);

/* The figure of a cell in human-readable form: n/a if not available, nothing if empty. `out` has
 * PIT__UNIT_BYTES; not for texts. */
void pit__cell_figure(char *out, enum pit__kind kind, const struct pit__cell *cell, int ascii);

/* Short forms for cells. */
struct pit__cell pit__cell_text(const char *string);
struct pit__cell pit__cell_whole(uint64_t whole);
struct pit__cell pit__cell_real(double real);   /* NaN: not available */
struct pit__cell pit__cell_number(double real); /* NaN is printed as a number */
struct pit__cell pit__cell_empty(void);

#endif

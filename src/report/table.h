/* table.h: the one table writer. Knows nothing of runs.
 *
 * Columns are declared once; rows are typed cells that keep the raw figure. How a figure reads,
 * how wide a column is, what is cut or left out when the width does not suffice is decided here
 * alone. `key` and the raw cells are there for forms meant for machines. */
#ifndef PIT_TABLE_H
#define PIT_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum pit__kind {
    PIT__TEXT, /* the only kind that is cut to fit */
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

/* How a column reads in a layout whose columns are fixed to the character. Zeroed: it is not shown
 * there. */
struct pit__fixed {
    int width;    /* of the cell with its suffix, at least; over 0 where it is shown. 1: each
                               cell as long as it is, what follows need not line up */
    int decimals; /* of a figure */
    int small;    /* a figure below 0.001 keeps three digits, however many decimals that takes */
    const char *before; /* NULL: nothing */
    const char *suffix; /* glued to the figure or the name, inside the width; NULL: nothing. n/a has
                               none */
    const char *after;  /* behind the cell; NULL: nothing */
    int left;           /* flush left; texts always are */
    int plus;           /* with its sign */
    int title_width;    /* of the head over it, flush left; 0: none */
    int same;           /* figures flush right to the widest of the column, then flush left */
};

struct pit__column {
    const char *title;
    const char *key; /* its name for machines, with the unit: total_ns */
    enum pit__kind kind;
    enum pit__align align;
    int min_width; /* of a text column: it is not cut below this while others can go */
    int max_width; /* 0: none */
    int drop;      /* left out, highest first, when the width does not suffice; 0: never */
    int optional;  /* left out when all its cells are empty */
    int machine;   /* only in the forms for machines */
    struct pit__fixed fixed;
};

enum pit__style { PIT__PLAIN, PIT__DIM, PIT__STRONG, PIT__WARM, PIT__HOT };

enum pit__content { PIT__EMPTY, PIT__NOT_AVAILABLE, PIT__STRING, PIT__WHOLE, PIT__REAL };

struct pit__cell {
    enum pit__content content;
    enum pit__style style;
    uint64_t whole;
    double real;
    const char *string; /* of names and the like: made visible; read during the call only */
    const char *raw;    /* for machines in place of the string, or NULL */
    const char *before; /* drawn before it, dim, or NULL: the lines of a tree; ours, not a name */
    const char *after;  /* drawn after it, dim, never cut, or NULL */
};

struct pit__table;

/* `columns` must outlive the table. NULL without memory. */
struct pit__table *pit__table_new(const struct pit__column *columns, size_t count);
/* The same with columns that the table frees in the end. */
struct pit__table *pit__table_new_owning(struct pit__column *columns, size_t count);
void pit__table_free(struct pit__table *table);

/* As many cells as there are columns. Lack of memory shows in pit__table_print. */
void pit__table_row(struct pit__table *table, const struct pit__cell *cells);

/* The same for a sum below the rows, after all of them: it is laid out with them, and is no row in
 * the forms for machines. */
void pit__table_foot(struct pit__table *table, const struct pit__cell *cells);

struct pit__look {
    int width;  /* columns of the terminal; 0: as wide as it needs */
    int indent; /* spaces before each line */
    int colour;
    int ascii;
};

/* 1 if memory was ever short, for a row or while it was printed, or there is no table: a caller may write
 * all that there is and ask once, at the end. */
int pit__table_failed(const struct pit__table *table);

/* Print it as text. 0, or PIT__TABLE_NO_MEMORY; trouble with `out` is left to ferror(out).
 * Columns that were left out for the width are named in a last line. */
#define PIT__TABLE_NO_MEMORY (-1)
int pit__table_print(struct pit__table *table, FILE *out, const struct pit__look *look);

/* The rows in their fixed columns, no lines round them and no blanks at their ends. A text longer
 * than its column widens it while the row fits `rule` columns (0: without end), and is cut then; with
 * `cut` it is cut at its own width. Figures are never cut: a longer one widens its column. Colour is
 * not used. As pit__table_print. */
int pit__table_print_fixed(struct pit__table *table, FILE *out, int rule, int cut,
                           const struct pit__look *look);

/* The titles over them, and the sums below. The caller sets the lines between. */
int pit__table_head_fixed(struct pit__table *table, FILE *out, int rule, int cut,
                          const struct pit__look *look);
int pit__table_foot_fixed(struct pit__table *table, FILE *out, int rule, int cut,
                          const struct pit__look *look);

/* One row as a list: "  TITLE:   figure" for each figure that has a fixed width; the title with its
 * colon takes label_width. Optional ones that are empty are left out. */
void pit__table_print_list(const struct pit__table *table, size_t row, FILE *out, int label_width);

/* `count` times `mark`, and a newline. */
void pit__print_rule(FILE *out, char mark, int count);

/* For machines, from the same columns and raw cells. What is not available is an empty cell, null,
 * n/a.
 *
 * CSV: RFC 4180 with the columns' keys as head, but lines end in \n alone: spreadsheets and libraries
 * read both, and awk, cut and sort only that. A text that a spreadsheet would run as a formula (it
 * begins with = + - @, tab or carriage return) gets a ' before it; so does one that begins with '
 * and then such a character, so that taking one ' away gives the text back.
 * JSON: an array of objects. Markdown: a table, its figures as the fixed layout or else the text form
 * shows them, sums as last rows. */
int pit__table_csv(struct pit__table *table, FILE *out);
struct pit__json;
int pit__table_json(struct pit__table *table, struct pit__json *json, const char *key);
int pit__table_markdown(struct pit__table *table, FILE *out, const struct pit__look *look);

/* A text of others inside Markdown: visible, on one line, nothing in it taken for markup. */
void pit__print_markdown_text(FILE *out, const char *string);

/* A cell's figure as people read it: n/a, or nothing if it is empty. `out` has PIT__UNIT_BYTES; not for
 * texts. */
void pit__cell_figure(char *out, enum pit__kind kind, const struct pit__cell *cell, int ascii);

/* Short forms for cells. */
struct pit__cell pit__cell_text(const char *string);
struct pit__cell pit__cell_whole(uint64_t whole);
struct pit__cell pit__cell_real(double real);   /* NaN: not available */
struct pit__cell pit__cell_number(double real); /* NaN is a figure like any other */
struct pit__cell pit__cell_empty(void);

#endif

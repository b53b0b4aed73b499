/* prose.h: prints sentences to a stream: headlines, labelled lines, text wrapped into lines.
 * Independent of runs.
 *
 * The stream and the look are borrowed. An out-of-memory error is kept in `failed`, so callers
 * can print many lines and check once. Stream errors are left to ferror. A printed text is
 * emptied, ready for the next line.
 */
#ifndef PIT_PROSE_H
#define PIT_PROSE_H

#include "table.h"
#include "text.h"

struct pit__prose {
    FILE *out;
    struct pit__look look;
    int failed;
};

/* Print one line, cut to the width. */
void pit__prose_line(struct pit__prose *prose, struct pit__text *line, enum pit__style style);

/* The same, indented by two spaces and cut at the beginning: its end matters more. */
void pit__prose_path(struct pit__prose *prose, struct pit__text *line, enum pit__style style);

/* Wrap at spaces into lines indented by `indent` spaces, except the first line, which the caller
 * has begun. */
void pit__prose_words(struct pit__prose *prose, struct pit__text *words, size_t indent,
                      enum pit__style style);

/* "label     words": wrapped into lines, or with _fact cut to one line; a fact without words is
 * left out. */
#define PIT__LABEL_COLUMNS 10
void pit__prose_labelled(struct pit__prose *prose, const char *label, struct pit__text *words,
                         enum pit__style style);
void pit__prose_fact(struct pit__prose *prose, const char *label, struct pit__text *words);

/* A line of our own text around a foreign name: "before name after". The name is made visible,
 * and cut if the line would be longer than `columns` (0: no limit). */
void pit__prose_named(struct pit__prose *prose, const char *before, const char *name,
                      const char *after, int columns);

#endif

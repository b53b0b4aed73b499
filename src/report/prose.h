/* prose.h: words on their way to a stream: headlines, labelled lines, text broken into lines. Knows
 * nothing of runs.
 *
 * The stream and the look are borrowed. Lack of memory is kept in `failed` until somebody asks, so
 * that one line after another is written without a look at it; trouble with the stream is left to
 * ferror. A text that is printed is given back empty, for the next line.
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

/* One line; what does not fit the width is cut. */
void pit__prose_line(struct pit__prose *prose, struct pit__text *line, enum pit__style style);

/* The same after two spaces, and the beginning gives way: its end is what one looks for. */
void pit__prose_path(struct pit__prose *prose, struct pit__text *line, enum pit__style style);

/* Broken into lines at spaces, each after `indent` spaces but the first, which the caller has begun. */
void pit__prose_words(struct pit__prose *prose, struct pit__text *words, size_t indent,
                      enum pit__style style);

/* "label     words": broken into lines,
 * or with _fact one line that is cut; a fact without words is left out. */
#define PIT__LABEL_COLUMNS 10
void pit__prose_labelled(struct pit__prose *prose, const char *label, struct pit__text *words,
                         enum pit__style style);
void pit__prose_fact(struct pit__prose *prose, const char *label, struct pit__text *words);

/* A line of our words with a name of others in it: "before name after", the name made visible and cut
 * where the line would be longer than `columns` (0: no limit). */
void pit__prose_named(struct pit__prose *prose, const char *before, const char *name,
                      const char *after, int columns);

#endif

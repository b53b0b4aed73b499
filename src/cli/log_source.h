/* log_source.h: a text log to read from: a file or standard input, plain, gzip or zstd. */
#ifndef PIT_LOG_SOURCE_H
#define PIT_LOG_SOURCE_H

#include <stdio.h>

struct log_source;

/* path "-": standard input. Returns NULL and sets *why to a constant text on failure. */
struct log_source *log_source_open(const char *path, const char **why);

/* The text of the log; closed together with the source. */
FILE *log_source_stream(struct log_source *source);

/* The error that occurred while reading, or NULL. */
const char *log_source_trouble(const struct log_source *source);

void log_source_close(struct log_source *source); /* NULL is fine */

#endif

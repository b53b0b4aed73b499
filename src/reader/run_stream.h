/* run_stream.h: reads many runs one after another into one reused buffer. */
#ifndef PIT_RUN_STREAM_H
#define PIT_RUN_STREAM_H

#include "reader.h"

struct pit__run_stream {
    unsigned char *base; /* pages of the current file */
    uint64_t room;
    pit_run *run; /* the newest run */
};

/* Read the next run; it is valid until the following call. It has facts, threads with nodes, histograms and
 * series, open spans, readings and collectives; no events, records, values, journal or places. Returns NULL
 * and sets *error on failure. */
pit_run *pit__run_stream_next(struct pit__run_stream *stream, const char *path, pit_error *error);
void pit__run_stream_end(struct pit__run_stream *stream);

#endif

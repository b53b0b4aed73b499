/* run_stream.h: many runs read one after another, into one buffer that is used again and again. */
#ifndef PIT_RUN_STREAM_H
#define PIT_RUN_STREAM_H

#include "reader.h"

struct pit__run_stream {
    unsigned char *base; /* pages of the file that is read */
    uint64_t room;
    pit_run *run; /* the newest */
};

/* The next run, good until the one after it: facts, threads with nodes, histograms and series, what is
 * open, readings, collectives; no events, records, values, journal or places. NULL and *error. */
pit_run *pit__run_stream_next(struct pit__run_stream *stream, const char *path, pit_error *error);
void pit__run_stream_end(struct pit__run_stream *stream);

#endif

/* The interface of a source of the sampler, and functions that every source may use.
 *
 * A source is one file of sources/ that defines one `const struct pit__sample_source
 * pit__source_<file>`: the build finds the file and lists the struct. Its channels are described at
 * open and written into the run; no other code needs to know them. A source that finds
 * several devices adds a channel for each, with the device in the key (`gpu0_power_w`).
 *
 * All functions of a source are called by one thread at a time. `read` allocates nothing and must
 * not wait: it runs ten times per second next to the program.
 */
#ifndef PIT_SAMPLE_SOURCE_H
#define PIT_SAMPLE_SOURCE_H

#include "base/file_text.h"
#include "format/run_format.h"
#include "pitwall.h"

#include <stddef.h>
#include <stdint.h>

#define PIT__SOURCES_MAX 24u
#define PIT__SOURCE_FILES 4
#define PIT__SOURCE_WORDS 24

/* State that a source keeps between readings; zero before the first. `words` is for the source.
 * The sampler closes the files. */
struct pit__source_state {
    int files[PIT__SOURCE_FILES]; /* descriptors + 1; 0: not open */
    uint64_t words[PIT__SOURCE_WORDS];
};

/* One reading of all sources. */
struct pit__reading {
    uint64_t readings; /* made before this one since the state was zero */
    uint64_t rss;      /* bytes, after the sources that are read each time; PIT__UNKNOWN */
    uint64_t rss_peak; /* the kernel's high-water mark since it was last reset; 0: not known */
    int keeps_open;    /* the thread has a separate table of descriptors */
    const char **why;  /* per channel of the source: a better reason than `missing`; NULL */
};

/* A channel as its source describes it; see struct pit_fmt_channel. */
struct pit__channel {
    const char *key, *unit, *help;
    const char *missing; /* why a reading may be unknown */
    uint64_t per_unit;   /* 0: 1 */
    enum pit_fmt_channel_kind kind;
    enum pit_fmt_merge over_time, over_runs;
};

struct pit__channel_list; /* of one run */
/* Add a channel to the source that is being opened. All texts are copied, and cut to their room in
 * the run. A source whose channels do not fit is left out. */
void pit__channel_add(struct pit__channel_list *list, const struct pit__channel *channel);

struct pit__sample_source {
    const char *name;
    /* 1: read each time. N: read once in N readings; its figures are repeated in between. Such sources
     * take turns, so that few of them are read at once. */
    unsigned every;
    void (*open)(struct pit__channel_list *list); /* describe the channels, in their order */
    /* values: one for each channel, PIT__UNKNOWN or its former value. */
    void (*read)(struct pit__reading *now, struct pit__source_state *state, uint64_t *values);
    /* NULL, or: 1 if it must be read before its turn. */
    int (*is_due)(const struct pit__reading *now, const struct pit__source_state *state);
    /* NULL, or: release what `read` put into its state, except files. Called after the reading at
     * open, at the end of the sampler, and after the reading at close; the result of `open` stays. */
    void (*close)(struct pit__source_state *state);
};

/* The list that the build generates from sources/; it ends with NULL. */
extern const struct pit__sample_source *const pit__source_list[];

/* ---- reading files (sample_source.c) ------------------------------------------------------------ */

/* Read a file of the source: 1 if there is text. path: used only if the file is not open. */
int pit__source_text(const struct pit__reading *now, struct pit__source_state *state, int file,
                     const char *path, char *text, size_t room);

/* ---- all sources together (sample_source.c) ----------------------------------------------------- */

/* The channels of a run in their order. */
struct pit__channel_list {
    uint32_t count;
    uint32_t source;                      /* the one that is being opened */
    int is_full;                          /* it has more channels than fit */
    uint32_t first[PIT__SOURCES_MAX + 1]; /* channel of each source; the last one is the count */
    struct pit_fmt_channel of[PIT_FMT_CHANNEL_MAX];
};

/* Has the calling thread a table of descriptors that is not the program's? */
extern __thread int pit__has_own_table
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The state of the sampler; used by one thread at a time. */
struct pit__sources {
    struct pit__channel_list list;
    int keeps_open;
    uint64_t readings, read_ns; /* number since the last reset; time of the last one */
    struct pit__source_state states[PIT__SOURCES_MAX];
    uint64_t row[1 + PIT_FMT_CHANNEL_MAX]; /* ticks, and the newest of each channel */
    int has_reasons;                       /* the reason of some channel changed, in `list` */
};

/* Ask all sources for their channels. */
void pit__channels_list(struct pit__channel_list *list);

/* Begin with nothing known and nothing open; the list stays. */
void pit__sources_reset(struct pit__sources *sources);

/* Give the calling thread an empty table of descriptors that no other thread shares, and keep files
 * open in it. From then on it must use no descriptor of the program. If the kernel does not support
 * this, files are opened for each reading. */
void pit__sources_own(struct pit__sources *sources);

/* Close all files. They would be closed with the thread too, but only after others can see that it has
 * ended. */
void pit__sources_close(struct pit__sources *sources);

/* One reading, into sources->row; the kernel's high-water mark or 0. */
uint64_t pit__sources_read(struct pit__sources *sources, uint64_t ticks);

/* ---- readings.c ----------------------------------------------------------------------------- */

/* Combine two readings of a channel, or two points of so many readings, into one. */
uint64_t pit__merge(enum pit_fmt_merge rule, uint64_t a, uint64_t readings_a, uint64_t b,
                    uint64_t readings_b);

/* ---- other data of the sources ---------------------------------------------------------------- */

uint64_t pit__machine_bytes(void); /* of memory */
uint64_t pit__cgroup_limit(void);  /* the tightest; PIT__UNKNOWN: none */
int pit__cgroup_version(void);     /* 0: none */
uint64_t pit__oom_kills(void);     /* that the cgroup has counted */

/* memory_span.c: begin and stop adding the mark before each reset to the run's peak. */
void pit__peak_follow(pit_recorder *rec);
void pit__peak_leave(const pit_recorder *rec);
/* Pass the present use of GPU memory to every open memory span. */
void pit__watch_device(void);

#endif

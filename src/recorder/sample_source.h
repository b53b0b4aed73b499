/* What a source of the sampler is, and what every source may use.
 *
 * A source is one file of sources/ that defines one `const struct pit__sample_source
 * pit__source_<file>`: the build finds the file and lists the struct. Its channels are described at
 * open and stand in the run from then on; nothing else has to know them. A source that finds
 * several devices adds a channel for each, with the device in the key (`gpu0_power_w`).
 *
 * All functions of a source are called by one thread at a time. `read` allocates nothing and must
 * not wait: it runs ten times a second beside the program.
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

/* What a source keeps from one reading to the next; zero before the first. `words` is the source's
 * own. Files are closed by the sampler. */
struct pit__source_state {
    int files[PIT__SOURCE_FILES]; /* descriptors + 1; 0: not open */
    uint64_t words[PIT__SOURCE_WORDS];
};

/* One reading of all sources. */
struct pit__reading {
    uint64_t readings; /* made before this one since the state was zero */
    uint64_t rss;      /* bytes, after the sources that are read each time; PIT__UNKNOWN */
    uint64_t rss_peak; /* the kernel's high-water mark since it was last reset; 0: not known */
    int keeps_open;    /* the thread has a table of descriptors of its own */
    const char **why;  /* of each channel of the source: a better reason than `missing`; NULL */
};

/* A channel as its source describes it; see struct pit_fmt_channel. */
struct pit__channel {
    const char *key, *unit, *help;
    const char *missing; /* why a reading of it is unknown, where it is */
    uint64_t per_unit;   /* 0: 1 */
    enum pit_fmt_channel_kind kind;
    enum pit_fmt_merge over_time, over_runs;
};

struct pit__channel_list; /* of one run */
/* One more channel of the source that is being opened. All texts are copied, and cut to their room in
 * the run. A source for whose channels there is no room is left out. */
void pit__channel_add(struct pit__channel_list *list, const struct pit__channel *channel);

struct pit__sample_source {
    const char *name;
    /* 1: read each time. More: once in so many readings, and the figures are repeated between. Such
     * sources take turns, so that a reading renews few of them. */
    unsigned every;
    void (*open)(struct pit__channel_list *list); /* describe the channels, in their order */
    /* values: one for each channel, PIT__UNKNOWN or what it was before. */
    void (*read)(struct pit__reading *now, struct pit__source_state *state, uint64_t *values);
    /* NULL, or: it has to be read before its turn. */
    int (*is_due)(const struct pit__reading *now, const struct pit__source_state *state);
    /* NULL, or: give back what `read` put into its state, files excepted. Called after the reading at
     * open, at the end of the sampler, and after the reading at close; what `open` found stays. */
    void (*close)(struct pit__source_state *state);
};

/* The list that the build makes of sources/; it ends with NULL. */
extern const struct pit__sample_source *const pit__source_list[];

/* ---- reading files (sample_source.c) ------------------------------------------------------------ */

/* A file of the source: 1 if there is text. path: only looked at where the file is not open. */
int pit__source_text(const struct pit__reading *now, struct pit__source_state *state, int file,
                     const char *path, char *text, size_t room);

/* ---- all sources together (sample_source.c) ----------------------------------------------------- */

/* The channels of a run in their order. */
struct pit__channel_list {
    uint32_t count;
    uint32_t source;                      /* the one that is being opened */
    int is_full;                          /* it has more channels than there is room for */
    uint32_t first[PIT__SOURCES_MAX + 1]; /* channel of each source; the last one is the count */
    struct pit_fmt_channel of[PIT_FMT_CHANNEL_MAX];
};

/* What the sampler keeps; belongs to one thread at a time. */
struct pit__sources {
    struct pit__channel_list list;
    int keeps_open;
    uint64_t readings, read_ns; /* made since the last reset; when the last one was */
    struct pit__source_state states[PIT__SOURCES_MAX];
    uint64_t row[1 + PIT_FMT_CHANNEL_MAX]; /* ticks, and the newest of each channel */
    int has_reasons;                       /* some channel's reason changed, in `list` */
};

/* Ask all sources for their channels. */
void pit__channels_list(struct pit__channel_list *list);

/* Begin with nothing known and nothing open; the list stays. */
void pit__sources_reset(struct pit__sources *sources);

/* Give the calling thread an empty table of descriptors that no other thread has, and keep files
 * open in it. It must use no descriptor of the program from then on. Where the kernel can't,
 * files go on being opened for each reading. */
void pit__sources_own(struct pit__sources *sources);

/* Close what is open. The end of the thread would do it too, but after others can see that it has
 * ended. */
void pit__sources_close(struct pit__sources *sources);

/* One reading, into sources->row; the kernel's high-water mark or 0. */
uint64_t pit__sources_read(struct pit__sources *sources, uint64_t ticks);

/* ---- readings.c ----------------------------------------------------------------------------- */

/* Two readings of a channel, or points that stand for so many, as one. */
uint64_t pit__merge(enum pit_fmt_merge rule, uint64_t a, uint64_t readings_a, uint64_t b,
                    uint64_t readings_b);

/* ---- what sources know beside their channels ------------------------------------------------ */

uint64_t pit__machine_bytes(void); /* of memory */
uint64_t pit__cgroup_limit(void);  /* the tightest; PIT__UNKNOWN: none */
int pit__cgroup_version(void);     /* 0: none */
uint64_t pit__oom_kills(void);     /* that the cgroup has counted */

/* memory_span.c: from here on the run's peak takes in the mark before each reset; and no more. */
void pit__peak_follow(pit_recorder *rec);
void pit__peak_leave(const pit_recorder *rec);
/* Every open memory span takes in what of GPUs' memory is in use now. */
void pit__watch_device(void);

#endif

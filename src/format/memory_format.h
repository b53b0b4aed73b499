/* memory_format.h: the second part of run_format.h: memory, records, readings of the sampler, journal,
 * places. */
#ifndef PIT_MEMORY_FORMAT_H
#define PIT_MEMORY_FORMAT_H

#include "format/run_format.h"

/* ---- memory -------------------------------------------------------------------------------- */

/* How a peak was obtained. */
enum pit_fmt_peak {
    PIT_FMT_PEAK_NONE = 0,   /* the kernel's mark cannot be reset here: no peak */
    PIT_FMT_PEAK_RUSAGE = 1, /* ru_maxrss after a reset of the mark */
    PIT_FMT_PEAK_HWM = 2     /* VmHWM after a reset: ru_maxrss had a floor from before exec */
};

/* Block MEMORY_OF: a is the ref of its node, b selects the current of the two copies: the writer fills the
 * other one and flips b. Bytes; deltas may be negative. */
struct pit_fmt_memory {
    uint64_t count;     /* spans measured */
    int64_t delta_last; /* RSS at end less RSS at begin */
    int64_t delta_sum;
    int64_t delta_max;
    uint64_t peak_last; /* the process's peak during the span, less RSS at its begin */
    uint64_t peak_sum;
    uint64_t peak_max;
    uint64_t rss_max;                    /* the highest such peak */
    uint64_t rss_last;                   /* RSS at the last end */
    uint64_t minor_faults, major_faults; /* of the process, during the spans */
    uint64_t error_bytes; /* error bound of each RSS figure: the kernel merges its counters late */
    uint32_t peak_method; /* enum pit_fmt_peak */
    uint32_t spare;
    uint64_t device_max; /* GPU memory: highest reading during a span; 0: not known */
    uint64_t spare2[2];
};
struct pit_fmt_memory_of {
    struct pit_fmt_block block;
    struct pit_fmt_memory copies[2];
};

/* Block ALLOC_OF: the same for the allocations and frees of one node's spans on their own thread. */
struct pit_fmt_alloc {
    uint64_t count; /* spans counted */
    uint64_t allocs, frees;
    uint64_t alloc_bytes, freed_bytes;
    uint64_t peak_last, peak_max; /* highest live bytes, less those at the begin */
    int64_t live_last, live_sum;  /* allocated less freed, at the end */
    uint64_t leaked_bytes,
        leaked_blocks;   /* of spans with PIT_LEAKS: allocated inside, live at the end */
    uint64_t leak_spans; /* spans with PIT_LEAKS */
    uint64_t spare[4];
};
struct pit_fmt_alloc_of {
    struct pit_fmt_block block;
    struct pit_fmt_alloc copies[2];
};

/* Energy counters of one class, during the spans of a node. A span shorter than twenty updates of the
 * counters only adds its time: its energy is estimated by the mean power of the run. */
struct pit_fmt_energy {
    uint64_t microjoules; /* of spans that were long enough */
    uint64_t measured;    /* ticks of those spans */
    uint64_t estimated;   /* ticks of shorter spans */
    uint64_t unknown;     /* spans during which not all counters could be read */
};
/* Block ENERGY_OF: laid out like MEMORY_OF. Energy of processors with their memory, and of devices; all
 * zero if the machine has no such counter. */
struct pit_fmt_energies {
    uint64_t count; /* spans measured */
    struct pit_fmt_energy of[2];
    uint64_t spare[7];
};
struct pit_fmt_energy_of {
    struct pit_fmt_block block;
    struct pit_fmt_energies copies[2];
};

/* Block TEAMS: laid out like MEMORY_OF. Parallel regions entered in spans of the node, as pit_add_team reported
 * them; nanoseconds. */
struct pit_fmt_teams {
    uint64_t count;       /* regions */
    uint64_t threads;     /* of all regions together */
    uint64_t threads_max; /* of the largest team */
    uint64_t busy_ns;     /* of all threads */
    uint64_t slowest_ns;  /* of the busiest thread of each */
    uint64_t elapsed_ns;
    uint64_t wait_ns; /* elapsed times threads, less busy */
    uint64_t lag_ns;  /* slowest times threads, less busy */
    uint64_t spare[8];
};
struct pit_fmt_teams_of {
    struct pit_fmt_block block;
    struct pit_fmt_teams copies[2];
};

/* Block RECORDS: a, b and c as in RING. `records` in the thread's block counts all that were written. */
struct pit_fmt_record {
    uint64_t begin, duration, where;
    uint64_t items; /* done in the span */
    uint64_t rss_begin, rss_end;
    uint64_t rss_peak; /* 0: none, see peak_method */
    uint64_t error_bytes;
    uint64_t minor_faults, major_faults;
    uint64_t alloc_bytes, freed_bytes;
    uint32_t peak_method;
    uint32_t has; /* bit 0: memory figures, bit 1: allocation figures */
    uint64_t spare[3];
};
#define PIT_FMT_RECORD_COUNT 127u
struct pit_fmt_records {
    struct pit_fmt_block block;
    struct pit_fmt_block spare;
    struct pit_fmt_record records[PIT_FMT_RECORD_COUNT];
};

/* ---- readings of the sampler --------------------------------------------------------------- */

/* How to combine two readings of a channel. UINT64_MAX is unknown and ignored, except in LAST. */
enum pit_fmt_merge {
    PIT_FMT_MERGE_LAST = 0, /* the later one */
    PIT_FMT_MERGE_MAX = 1,
    PIT_FMT_MERGE_MIN = 2,
    PIT_FMT_MERGE_SUM = 3,
    PIT_FMT_MERGE_MEAN = 4, /* weighted by their number of readings */
    PIT_FMT_MERGE_ONCE = 5, /* only over runs: a figure of the machine, taken from one run */
    PIT_FMT_MERGES = 6
};

enum pit_fmt_channel_kind {
    PIT_FMT_GAUGE = 0,  /* the current level */
    PIT_FMT_COUNTER = 1 /* only grows: use the difference of two readings */
};

/* Describes one column of the rows. Texts are UTF-8 and end with a zero byte; the key consists of
 * a-z, 0-9 and _, begins with a letter, and ends with its unit if it has one. */
struct pit_fmt_channel {
    char key[48];       /*   0 such as rss_bytes, gpu0_power_w; unique in its block */
    char unit[16];      /*  48 bytes, ns, share, W, …; empty: a plain count */
    char source[24];    /*  64 the source that reads it */
    char help[64];      /*  88 one line */
    char missing[72];   /* 152 why a reading may be unknown */
    uint64_t per_unit;  /* 224 a reading divided by this is the figure in its unit */
    uint32_t kind;      /* 232 enum pit_fmt_channel_kind */
    uint32_t over_time; /* 236 enum pit_fmt_merge: readings of one point */
    uint32_t over_runs; /* 240 enum pit_fmt_merge: runs that are read together */
    uint32_t spare;     /* 244 */
    uint64_t first;     /* 248 of a counter: its first known reading; 0: none yet */
};

/* Block CHANNELS. a: the number of channels, fixed when the block is created. This head is followed
 * by the descriptions of the channels, two copies of the newest row, and two halves of
 * PIT_FMT_SAMPLE_POINTS rows. A row is 1 + a words: the ticks of its first reading, then a word for
 * each channel, UINT64_MAX if unknown. A point combines `stride` readings; when a half is
 * full its neighbours are merged into the other one and `half` flips. */
#define PIT_FMT_SAMPLE_POINTS 256u
#define PIT_FMT_CHANNEL_MAX 192u /* 64 before minor version 3 */
struct pit_fmt_channels {
    struct pit_fmt_block block; /* used: readings made so far, stored last */
    uint32_t half;              /*  64 */
    uint32_t newest_copy;       /*  68 */
    uint64_t stride[2];         /*  72 */
    uint64_t machine_bytes;     /*  88 of memory; UINT64_MAX: unknown */
    uint64_t cgroup_limit;      /*  96 UINT64_MAX: none, or unknown */
    uint64_t cgroup_version;    /* 104 0 none, 1, 2 */
    uint64_t oom_kills;         /* 112 of the cgroup when the run began; UINT64_MAX: unknown */
    uint64_t rss_peak;          /* 120 the run's highest RSS, by the sampler and by memory spans */
};

/* The length of a block with this many channels, and the offset of its rows. */
static inline uint64_t pit_fmt_rows_offset(uint64_t channels)
{
    return sizeof(struct pit_fmt_channels) + channels * sizeof(struct pit_fmt_channel);
}
static inline uint64_t pit_fmt_channels_bytes(uint64_t channels)
{
    uint64_t rows = 2 + 2 * (uint64_t)PIT_FMT_SAMPLE_POINTS;
    return pit_fmt_rows_offset(channels) + rows * (1 + channels) * sizeof(uint64_t);
}

/* One reading of a SAMPLES block, with a fixed set of channels. UINT64_MAX: unknown. Counts and
 * times are since process start. */
struct pit_fmt_sample {
    uint64_t ticks;
    uint64_t rss, rss_max; /* bytes; the highest of the readings of a point */
    uint64_t cpu_ns;       /* user and system */
    uint64_t threads;
    uint64_t minor_faults, major_faults;
    uint64_t switches, forced_switches; /* voluntary, involuntary */
    uint64_t read_bytes, write_bytes;   /* to storage */
    uint64_t available;                 /* machine memory left, bytes; the lowest */
    uint64_t cgroup_used;               /* bytes; the highest */
    uint64_t pressure; /* memory pressure, some avg10, in 1/100 percent; the highest */
    uint64_t spare[2];
};

/* Block SAMPLES, read but no longer written: the same head as CHANNELS; rows have 16 words. */
struct pit_fmt_samples {
    struct pit_fmt_channels head;
    struct pit_fmt_sample newest[2];
    struct pit_fmt_sample points[2][PIT_FMT_SAMPLE_POINTS];
};

/* Block JOURNAL: `used` bytes of entries follow the header; a is the number of the first of them
 * among all entries of the run (UINT64_MAX while the block is being reused). An entry is this head,
 * the figures' values as doubles, then texts, each ended by a zero byte: kind, text, and for each
 * figure key and unit; padded to 8. */
#define PIT_FMT_JOURNAL_BYTES 32768u /* of a block, with its header */
struct pit_fmt_entry {
    uint32_t bytes;   /* 0 of the whole entry, a multiple of 8 */
    uint32_t figures; /*  4 */
    uint64_t ticks;   /*  8 */
    uint64_t wall_ns; /* 16 since 1970 */
};

/* ---- places: where in the code the main thread was ------------------------------------------ */

enum pit_fmt_place_kind {
    PIT_FMT_PLACE_PYTHON = 0, /* a line of Python */
    PIT_FMT_PLACE_NATIVE = 1, /* a function of native code */
    PIT_FMT_PLACE_KINDS = 2
};

/* One place, and the span in which it was sampled: an entry for each pair. Texts are UTF-8, end with a zero
 * byte and are cut to fit: a function at its end, a file at its beginning. An entry without texts and line
 * counts the samples of its span that have no entry of their own. `seq` is odd while another place replaces
 * this one in its entry. */
struct pit_fmt_hot_place {
    uint32_t seq;      /*   0 */
    uint32_t kind;     /*   4 enum pit_fmt_place_kind */
    uint32_t thread;   /*   8 index of the thread table, PIT_FMT_NO_THREAD: it had none */
    uint32_t node;     /*  12 ref of the innermost open span's node, 0: outside all spans */
    uint32_t line;     /*  16 0: not known */
    uint32_t spare;    /*  20 */
    uint64_t samples;  /*  24 */
    char function[96]; /*  32 */
    char file[128];    /* 128 */
};

/* How the samples of one kind are taken. */
struct pit_fmt_place_source {
    uint64_t millihertz; /*  0 samples in 1000 seconds; 0: none are taken */
    uint64_t samples;    /*  8 taken so far */
    uint64_t dropped;    /* 16 samples without an entry: no room, or their span is not known */
    char reason[104];    /* 24 why none are taken; "": not known */
};

/* Block PLACES: `used` entries, in file order over all such blocks. Only the sources in the first
 * block are valid. */
#define PIT_FMT_PLACES_PER_BLOCK 64u
#define PIT_FMT_PLACE_BLOCKS 16u /* at most, per run */
struct pit_fmt_places {
    struct pit_fmt_block block;
    struct pit_fmt_place_source sources[PIT_FMT_PLACE_KINDS];
    struct pit_fmt_hot_place entries[PIT_FMT_PLACES_PER_BLOCK];
};

PIT_FMT_ASSERT(sizeof(struct pit_fmt_hot_place) == 256, "place");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_hot_place, file) == 128, "place.file");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_place_source) == 128, "place source");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_places) % PIT_FMT_ALIGN == 0, "places");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_memory) == 128, "memory");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_alloc) == 128, "alloc");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_energies) == 128, "energies");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_teams) == 128, "teams");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_channel, first) == 248, "channel");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_record) == 128, "record");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_records) == 16384, "records");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_sample) == 128, "sample");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_samples) % PIT_FMT_ALIGN == 0, "samples");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_samples, newest) == 128, "samples");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_channel) == 256, "channel");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_channel, per_unit) == 224, "channel");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_channels) == 128, "channels");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_entry) == 24, "entry");

#endif

/* The layout of a run file, version 1.
 *
 * A run file is one header of 4096 bytes followed by blocks. Every block starts on a multiple of 64 bytes
 * with a 64-byte block header that gives its type, its owner and its length, so a reader can step from
 * block to block, skip unknown types and never loop. A block of type 0 ends the walk: it is reserved room
 * that is not in use yet.
 *
 * All numbers are in the byte order of the machine that wrote them (see `endian`). A `ref` is a file offset
 * divided by 64, 0 for none. Times are raw clock ticks; the header's clock pairs convert them to
 * nanoseconds. docs/run-format.md describes the same byte by byte, with the rules by which a reader
 * completes an update that a killed writer had begun.
 *
 * Nothing here has side effects. The measured process is the only writer of a live run; each block below a
 * thread table has one writing thread. */
#ifndef PIT_RUN_FORMAT_H
#define PIT_RUN_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define PIT_FMT_MAGIC "PITWALL\x1a"
#define PIT_FMT_MAJOR 1u /* a reader refuses a newer major version */
#define PIT_FMT_MINOR 3u /* a newer minor version only adds blocks and uses spare bytes */
#define PIT_FMT_ENDIAN 0x01020304u
#define PIT_FMT_HEADER_BYTES 4096u
#define PIT_FMT_ALIGN 64u
#define PIT_FMT_REF_SHIFT 6

/* The byte of the fcntl record lock that the writer holds while it lives, past any file's end. A process
 * that recovers a dead run from shared memory holds a flock on the pages. */
#define PIT_FMT_LOCK_LIVE ((int64_t)1 << 40)

enum pit_fmt_state {
    PIT_FMT_RECORDING = 0, /* live, or its process ended without closing it */
    PIT_FMT_CLOSED = 1     /* closed cleanly */
};

enum pit_fmt_place {
    PIT_FMT_IN_PLACE = 0, /* mapped at its own path */
    PIT_FMT_SHM = 1,      /* live pages in /dev/shm, mirrored to the path */
    PIT_FMT_MIRROR = 2,   /* a mirror, copied while the run was live */
    PIT_FMT_MEMORY = 3    /* anonymous memory: no file was requested, or it could not be opened */
};

enum pit_fmt_clock { PIT_FMT_CLOCK_MONOTONIC = 1, PIT_FMT_CLOCK_TSC = 2, PIT_FMT_CLOCK_CNTVCT = 3 };

/* Counts of the whole recorder, for which no thread table is available. */
enum pit_fmt_run_counter {
    PIT_FMT_NO_TABLE = 0,    /* spans of threads that got no table: the run is at its size limit */
    PIT_FMT_IN_SIGNAL = 1,   /* spans of a signal handler that interrupted the recorder */
    PIT_FMT_VALUES_LOST = 2, /* values for which there was no room */
    PIT_FMT_MIRRORS_FAILED = 3, /* mirror copies that could not be written */
    PIT_FMT_OBJECTS_UNSEEN = 4, /* span objects begun without room to show them as open */
    /* repaired faults in the run's pages: another process cut its file or wrote to it */
    PIT_FMT_MENDED = 5,
    PIT_FMT_NULL_ARGUMENT = 6, /* calls with NULL for a site or a probe */
    PIT_FMT_RUN_COUNTERS = 8
};

/* One reading of all clocks, the best of ten: its error is half the distance of its two raw reads. */
struct pit_fmt_pair {
    uint64_t ticks;    /* the span clock */
    uint64_t raw_ns;   /* CLOCK_MONOTONIC_RAW */
    uint64_t wall_ns;  /* CLOCK_REALTIME */
    uint64_t error_ns; /* half the time the reading took */
};

/* How the process ended, as seen by the one that started it (`pitwall run`): written into the header after
 * its end, when there is no other writer. UINT64_MAX: not known. */
struct pit_fmt_ended {
    uint64_t is_there; /* 1; 0: not recorded, the other members are undefined */
    uint64_t pid;
    uint64_t start_wall_ns; /* since 1970 */
    uint64_t duration_ns;
    uint64_t exit_status; /* UINT64_MAX: a signal ended it */
    uint64_t exit_signal; /* 0: no signal */
    uint64_t dumped_core;
    uint64_t user_ns, system_ns; /* these and the following include children that it waited for */
    uint64_t rss_peak;           /* of the largest of them */
    uint64_t minor_faults, major_faults;
    uint64_t switches, forced_switches;
    uint64_t read_bytes, write_bytes; /* from and to storage */
    uint64_t read_chars, write_chars; /* by read and write calls: also pipes and the cache */
    uint64_t children;                /* child processes that were seen, at any depth */
    uint64_t oom_kills;               /* of the cgroup after its end */
    uint64_t spare[4];
};

struct pit_fmt_header {
    uint8_t magic[8];          /*   0 */
    uint16_t major;            /*   8 */
    uint16_t minor;            /*  10 */
    uint32_t header_bytes;     /*  12 where the first block starts */
    uint32_t endian;           /*  16 */
    uint32_t block_align;      /*  20 */
    uint64_t features;         /* 24 bits that a reader must support to read this file; none yet */
    uint8_t run_id[16];        /*  32 random */
    uint32_t state;            /*  48 enum pit_fmt_state */
    uint32_t place;            /*  52 enum pit_fmt_place */
    uint32_t pid;              /*  56 see pid_start */
    uint32_t uid;              /*  60 */
    uint32_t clock;            /*  64 enum pit_fmt_clock */
    uint32_t last_pair;        /*  68 which of last[] is current; flipped after it is written */
    uint64_t nominal_hz;       /* 72 ticks per second if the hardware reports it, else 0 */
    struct pit_fmt_pair first; /*  80 taken at open: tick 0 of the run's series */
    uint8_t boot_id[16];       /* 112 the kernel's boot id; zero if it has none */
    struct pit_fmt_pair last[2]; /* 128 the newest reading, by the sampler and at close */
    uint64_t used_bytes;         /* 192 end of the last allocated block */
    uint64_t file_bytes;         /* 200 how much of it is in the file */
    uint64_t max_bytes;          /* 208 the run's size limit */
    uint32_t growth_errno;       /* 216 why the file stopped growing, 0 if it did not */
    uint32_t open_errno;         /* 220 why the run is not at the requested path, 0 if it is */
    uint64_t span_cost_ps;       /* 224 one empty span, measured at open, in picoseconds */
    uint64_t ring_bytes;         /* 232 budget of the flight recorder */
    uint8_t parent_run_id[16];   /* 240 the run of the parent process, else zero */
    uint64_t counters[PIT_FMT_RUN_COUNTERS]; /* 256 enum pit_fmt_run_counter */
    char live_name[128];                     /* 320 file below /dev/shm that holds the live pages */
    struct pit_fmt_ended ended;              /* 448 */
    /* The second sign, besides the lock, that the process is alive: on this boot and in this pid namespace
     * there is a process `pid` with this start time that is not a zombie and has this file mapped. 0: not
     * known. */
    uint64_t pid_start;        /* 640 field 22 of /proc/PID/stat */
    uint64_t pid_space;        /* 648 inode of /proc/PID/ns/pid */
    uint64_t file_inode;       /* 656 of the mapped file; 0 in a mirror */
    uint8_t spare[4096 - 664]; /* 664 zero */
};

enum pit_fmt_block_type {
    PIT_FMT_END = 0,          /* reserved room: the walk ends here */
    PIT_FMT_FACTS = 1,        /* key and value texts */
    PIT_FMT_THREAD = 2,       /* one thread table: misuse counts, pending sample, stack */
    PIT_FMT_NODES = 3,        /* some nodes of one thread */
    PIT_FMT_NAMES = 4,        /* texts of names */
    PIT_FMT_SERIES = 5,       /* past buckets of one node's series */
    PIT_FMT_OCTAVE = 6,       /* histogram counts outside a node's window */
    PIT_FMT_RING = 7,         /* a piece of one thread's flight recorder */
    PIT_FMT_VALUE = 8,        /* one named value over time, of one thread */
    PIT_FMT_OBJECTS = 9,      /* open span objects */
    PIT_FMT_MEMORY_OF = 10,   /* memory figures of one node */
    PIT_FMT_ALLOC_OF = 11,    /* allocation figures of one node */
    PIT_FMT_RECORDS = 12,     /* some records of one thread */
    PIT_FMT_SAMPLES = 13,     /* readings of the sampler, in runs before minor version 1 */
    PIT_FMT_JOURNAL = 14,     /* some entries of the journal */
    PIT_FMT_CHANNELS = 15,    /* readings of the sampler: descriptions of channels, then rows */
    PIT_FMT_PLACES = 16,      /* some places in the code, with their stack samples */
    PIT_FMT_COLLECTIVES = 17, /* collective calls of one group of ranks */
    PIT_FMT_TEAMS = 18,       /* teams of threads in one node */
    PIT_FMT_MESSAGES = 20,    /* messages of one thread to other ranks, and their callers */
    PIT_FMT_ENERGY_OF = 21,   /* energy of one node */
    PIT_FMT_BLOCK_TYPES = 22
};

#define PIT_FMT_NO_THREAD UINT32_MAX

/* The first 64 bytes of every block. `type` is stored last, so a block is complete or not there. */
struct pit_fmt_block {
    uint32_t type;   /*  0 enum pit_fmt_block_type */
    uint32_t thread; /*  4 index of the owning thread table, or PIT_FMT_NO_THREAD */
    uint64_t bytes;  /*  8 with this header; a multiple of 64 */
    uint64_t used;   /* 16 entries or bytes in use, stored after they are written */
    uint64_t a;      /* 24 meaning depends on the type, see below */
    uint64_t b;      /* 32 */
    uint64_t c;      /* 40 */
    uint64_t d;      /* 48 */
    uint64_t e;      /* 56 */
};

/* FACTS and NAMES: `used` bytes of text follow. FACTS: pairs of key and value, each ended by a
 * zero byte. NAMES: a uint32_t length, the bytes, a zero byte, padded to 4; a name is known by
 * the file offset of its length. */

/* ---- one thread ---------------------------------------------------------------------------- */

enum pit_fmt_thread_counter {
    PIT_FMT_END_WITHOUT_BEGIN = 0,
    PIT_FMT_ABANDONED = 1,    /* frames unwound by the end of an outer span */
    PIT_FMT_WRONG_THREAD = 2, /* a token ended on a thread that did not begin it */
    PIT_FMT_TOO_DEEP = 3,
    PIT_FMT_TABLE_FULL = 4, /* spans that got no node: the run is at its size limit */
    PIT_FMT_SIGNAL = 5,     /* spans of a signal handler inside a begin or an end */
    PIT_FMT_CLOCK_BACK = 6, /* durations set to 0 because the clock stepped back */
    PIT_FMT_LEFT_OPEN = 7,  /* frames open when their thread ended */
    PIT_FMT_THREAD_COUNTERS = 8
};

#define PIT_FMT_FRAMES 256u /* depth limit; frame 0 is the thread's root and never a span */

/* The node, the depth on the stack and the kind, in one word: bits 0–31 the node's ref, 32–47
 * the depth (1 for a span without parent, 0 for a span object), 48–63 flags. */
#define PIT_FMT_WHERE_DEPTH 32
#define PIT_FMT_WHERE_PHASE ((uint64_t)1 << 48)
#define PIT_FMT_WHERE_MEMORY ((uint64_t)1 << 49) /* its memory is measured */
#define PIT_FMT_WHERE_RECORD ((uint64_t)1 << 50) /* it is also kept as a record */
#define PIT_FMT_WHERE_ALLOC ((uint64_t)1 << 51)  /* its allocations are counted */
#define PIT_FMT_WHERE_LEAKS ((uint64_t)1 << 52)  /* and the allocations not freed at its end */
#define PIT_FMT_WHERE_ENERGY ((uint64_t)1 << 63) /* energy counters are read around it */
/* of a frame: it has ended, frames above it have not */
#define PIT_FMT_WHERE_ENDED ((uint64_t)1 << 54)
#define PIT_FMT_WHERE_WAIT ((uint64_t)1 << 53) /* wait for the device before reading the clock */
/* For a collective: the writer's number of its group, 1 to 255, in bits 55 to 62. */
#define PIT_FMT_WHERE_GROUP_SHIFT 55
#define PIT_FMT_WHERE_GROUP ((uint64_t)255 << PIT_FMT_WHERE_GROUP_SHIFT)

struct pit_fmt_frame {
    uint64_t begin; /* ticks */
    uint64_t child; /* ticks spent in spans that ended directly inside this one */
    uint64_t where;
    uint64_t apart; /* ticks inside it that belong to the measurement, not to the span */
};

/* The sample that is in its node's statistics but not yet in histogram, series and ring, and the
 * node's figures before it. `where` is stored last and cleared first. */
struct pit_fmt_pending {
    uint64_t begin;
    uint64_t duration;
    uint64_t count; /* from here on: the before-image */
    uint64_t total;
    uint64_t child;
    uint64_t sq_lo;
    uint64_t sq_hi;
    uint64_t where; /* 0: there is none */
};

#define PIT_FMT_POPPED UINT64_MAX

/* Block THREAD. used: 1 while a thread uses the table. a: kernel thread id of its newest owner. b: number
 * of threads that have used it. c: ticks when the newest owner got it. */
struct pit_fmt_thread {
    struct pit_fmt_block block;                 /*   0 */
    char name[64];                              /*  64 of the newest owner */
    uint64_t counters[PIT_FMT_THREAD_COUNTERS]; /* 128 */
    /* the hot cache line: written at every begin and end */
    uint16_t depth;        /* 192 open frames above the root */
    uint16_t hot_spare[3]; /* 194 */
    /* 200 child time that the pending sample adds to the frame below; PIT_FMT_POPPED: already added */
    uint64_t parent_child;
    uint64_t ring_events;           /* 208 events written to the flight recorder so far */
    uint64_t records;               /* 216 records written so far */
    uint64_t hot_spare2[4];         /* 224 */
    struct pit_fmt_pending pending; /* 256 */
    struct pit_fmt_frame frames[PIT_FMT_FRAMES]; /* 320 */
};

/* ---- nodes --------------------------------------------------------------------------------- */

#define PIT_FMT_SUB_BITS 5u /* 32 sub-buckets per octave: the middle of a bucket is within 1.6 % */
#define PIT_FMT_SUB (1u << PIT_FMT_SUB_BITS)
#define PIT_FMT_BUCKETS 1920u /* for the whole range of uint64_t */
#define PIT_FMT_WINDOW_OCTAVES 8u
#define PIT_FMT_WINDOW (PIT_FMT_WINDOW_OCTAVES * PIT_FMT_SUB)
#define PIT_FMT_NO_WINDOW 0x80000000u
#define PIT_FMT_NO_BUCKET UINT32_MAX

enum pit_fmt_node_flag {
    /* span objects: they overlap their parent, whose time does not include them */
    PIT_FMT_NODE_DETACHED = 1u,
    PIT_FMT_NODE_COMM = 2u, /* communication with other processes */
    /* work of a device. Below another device node: how long that work waited to start */
    PIT_FMT_NODE_DEVICE = 4u
};

struct pit_fmt_node {
    /* cache line 1: statistics, consistent if seq is even and the same before and after reading them */
    uint64_t count;  /*   0 */
    uint64_t total;  /*   8 ticks */
    uint64_t child;  /*  16 ticks of it inside child spans */
    uint64_t min;    /* 24 UINT64_MAX before the first span */
    uint64_t max;    /*  32 */
    uint64_t sq_lo;  /*  40 sum of squared durations, 128 bits */
    uint64_t sq_hi;  /*  48 */
    uint32_t seq;    /*  56 */
    uint32_t window; /*  60 first bucket of the window, or PIT_FMT_NO_WINDOW */
    /* cache line 2: the current bucket of the series. Its content is what line 1 has gained since the
     * bucket began. */
    uint64_t cur_end;   /*  64 first tick past it */
    uint64_t cur_count; /*  72 count when it began */
    uint64_t cur_total; /*  80 total when it began */
    uint64_t cur_min;   /*  88 */
    uint64_t cur_max;   /*  96 */
    uint32_t cur_index; /* 104 index of the bucket, or PIT_FMT_NO_BUCKET while it changes */
    uint32_t cur_shift; /* 108 bucket width = 1 << shift ticks */
    uint32_t series;    /* 112 ref of the SERIES block with the past buckets, 0 for none */
    uint32_t octaves;   /* 116 ref of the first OCTAVE block, 0 for none */
    uint32_t energy;    /* 120 ref of its ENERGY_OF block, 0 for none */
    uint32_t teams;     /* 124 ref of its TEAMS block, 0 for none */
    /* cache line 3: its identity and counters */
    uint64_t name;   /* 128 file offset of its name */
    uint32_t parent; /* 136 ref, 0 for the thread's root */
    uint32_t flags;  /* 140 enum pit_fmt_node_flag */
    uint64_t items;  /* 144 */
    uint64_t bytes;  /* 152 */
    uint64_t flops;  /* 160 */
    uint64_t first;  /* 168 ticks when it was created */
    uint32_t id;     /* 176 the writer's own id of the name; meaningless to readers */
    uint32_t memory; /* 180 ref of its MEMORY_OF block, 0 for none */
    uint32_t alloc;  /* 184 ref of its ALLOC_OF block, 0 for none */
    uint32_t spare3; /* 188 */
    uint32_t window_counts[PIT_FMT_WINDOW]; /* 192 */
};

/* Block NODES: `used` nodes follow the header; a is the room, in nodes. */
#define PIT_FMT_NODES_PER_BLOCK 16u

/* Block SERIES: a is the ref of its node, b the shift of its buckets. Buckets with an index below the
 * node's cur_index are valid; the others are zero or stale. */
#define PIT_FMT_SERIES_BUCKETS 128u
struct pit_fmt_bucket {
    uint64_t count;
    uint64_t total;
    uint64_t min;
    uint64_t max;
};
struct pit_fmt_series {
    struct pit_fmt_block block;
    struct pit_fmt_bucket buckets[PIT_FMT_SERIES_BUCKETS];
};

/* Block OCTAVE: a is the ref of its node, b the octave (bucket / 32), c the ref of the next one. It counts
 * durations outside the window, and the overflow of the window's 32-bit counters. */
struct pit_fmt_octave {
    struct pit_fmt_block block;
    uint64_t counts[PIT_FMT_SUB];
};

/* Block RING: a is the number of its first event among all events of the thread (UINT64_MAX while
 * it is being reused), b its room in events, c the ref of the next piece of the circle. */
struct pit_fmt_event {
    uint64_t begin;
    uint64_t duration;
    uint64_t where;
};
#define PIT_FMT_RING_EVENTS 680u
struct pit_fmt_ring {
    struct pit_fmt_block block;
    struct pit_fmt_event events[PIT_FMT_RING_EVENTS];
};

/* Block VALUE: a point stands for `stride` values in a row. When the active half is full it is folded into
 * the other one, stride doubles and `half` flips. While seq is odd, read the point being changed and the
 * count from `before`. */
#define PIT_FMT_VALUE_POINTS 512u
struct pit_fmt_point {
    uint64_t ticks; /* of its first value */
    double sum;
    double min;
    double max;
};
struct pit_fmt_value {
    struct pit_fmt_block block;  /*   0 */
    uint64_t name;               /*  64 file offset of its name */
    uint64_t count;              /* 72 number of values so far */
    uint32_t seq;                /*  80 */
    uint32_t half;               /*  84 0 or 1 */
    uint64_t stride[2];          /* 88 values per point, of each half */
    double last;                 /* 104 */
    uint64_t last_ticks;         /* 112 */
    double before_last;          /* 120 before-image: last, last_ticks, and the point */
    uint64_t before_ticks;       /* 128 */
    struct pit_fmt_point before; /* 136 */
    uint64_t before_count;       /* 168 */
    uint64_t spare[2];           /* 176 */
    struct pit_fmt_point points[2][PIT_FMT_VALUE_POINTS]; /* 192 */
};

/* Block OBJECTS: open span objects; a slot is in use while its node is not 0. An object that is being ended
 * counts as finished once the applied pending sample of some thread is a span object with the same begin. */
#define PIT_FMT_OBJECT_SLOTS 252u
#define PIT_FMT_OBJECT_ENDING 0x80000000u
struct pit_fmt_object {
    uint64_t begin;
    uint32_t node;   /* ref, of the thread that began it */
    uint32_t thread; /* its index, | PIT_FMT_OBJECT_ENDING */
};
struct pit_fmt_objects {
    struct pit_fmt_block block;
    struct pit_fmt_object slots[PIT_FMT_OBJECT_SLOTS];
};

/* ---- pure helpers -------------------------------------------------------------------------- */

/* The parts of a `where`. */
static inline uint32_t pit_fmt_ref_of(uint64_t where)
{
    return (uint32_t)where;
}
static inline uint32_t pit_fmt_depth_of(uint64_t where)
{
    return (uint32_t)(where >> PIT_FMT_WHERE_DEPTH) & 0xffffu;
}

/* Which histogram bucket a duration belongs to: exact below 64 ticks, then 32 an octave. */
static inline uint32_t pit_fmt_bucket_of(uint64_t duration)
{
    uint32_t shift = 58u - (uint32_t)__builtin_clzll(duration | PIT_FMT_SUB);
    return (shift << PIT_FMT_SUB_BITS) + (uint32_t)(duration >> shift);
}

/* The first duration of a bucket; for bucket + 1, the first duration past the bucket. */
static inline uint64_t pit_fmt_bucket_low(uint32_t bucket)
{
    if (bucket < 2 * PIT_FMT_SUB)
        return bucket;
    uint32_t shift = (bucket >> PIT_FMT_SUB_BITS) - 1;
    return (uint64_t)(PIT_FMT_SUB + (bucket & (PIT_FMT_SUB - 1))) << shift;
}

/* The last duration of a bucket. */
static inline uint64_t pit_fmt_bucket_high(uint32_t bucket)
{
    if (bucket < 2 * PIT_FMT_SUB)
        return bucket;
    uint32_t shift = (bucket >> PIT_FMT_SUB_BITS) - 1;
    return pit_fmt_bucket_low(bucket) + (((uint64_t)1 << shift) - 1);
}

/* When a process began, in ticks since the boot, from the text of /proc/PID/stat; 0: unknown, or the
 * process is a zombie. The program's name in it may contain any character, so parsing starts after the last
 * ). */
static inline uint64_t pit_fmt_start_of(const char *text)
{
    const char *at = text;
    uint64_t start = 0;
    for (const char *c = text; *c; c++)
        if (*c == ')')
            at = c;
    if (at == text || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
        return 0;
    for (int field = 2; field < 22 && *at; at++)
        field += *at == ' ';
    for (; *at >= '0' && *at <= '9'; at++)
        start = start * 10 + (uint64_t)(*at - '0');
    return start;
}

#ifdef __cplusplus
#define PIT_FMT_ASSERT static_assert
#else
#define PIT_FMT_ASSERT _Static_assert
#endif
PIT_FMT_ASSERT(sizeof(struct pit_fmt_pair) == 32, "pair");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_header) == PIT_FMT_HEADER_BYTES, "header");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_header, first) == 80, "header.first");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_header, used_bytes) == 192, "header.used_bytes");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_header, live_name) == 320, "header.live_name");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_header, ended) == 448, "header.ended");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_ended) == 192, "ended");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_header, pid_start) == 640, "header.pid_start");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_block) == PIT_FMT_ALIGN, "block");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_frame) == 32, "frame");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_pending) == 64, "pending");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_thread, depth) == 192, "thread.depth");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_thread, pending) == 256, "thread.pending");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_thread, frames) == 320, "thread.frames");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_thread) % PIT_FMT_ALIGN == 0, "thread");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_node, cur_end) == 64, "node line 2");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_node, name) == 128, "node line 3");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_node, window_counts) == 192, "node window");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_node) == 1216, "node");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_series) % PIT_FMT_ALIGN == 0, "series");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_octave) % PIT_FMT_ALIGN == 0, "octave");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_ring) % PIT_FMT_ALIGN == 0, "ring");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_ring) == 16384, "ring piece");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_value, points) == 192, "value");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_value) % PIT_FMT_ALIGN == 0, "value");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_objects) % PIT_FMT_ALIGN == 0, "objects");

#include "format/comm_format.h"
#include "format/memory_format.h" /* the other parts of the format */

#endif

/* The internals of the recorder: its structures, and the functions that its files share.
 *
 *   span.c          begin, end, phase: the hot path (span_steps.h: its steps)
 *   span_stack.c    stacks of open spans that are not in use
 *   span_rare.c     first spans, misuse, other recorders, objects' samples
 *   span_mend.c     repair after a handler that jumped out of the recorder
 *   span_previous.c the rare cases of finishing the previous sample
 *   collectives.c   collective calls of groups of ranks; messages.c: messages to ranks, and callers
 *   span_cost.c     what a span costs
 *   node_table.c    find or create a node; the rare parts of histogram and series
 *   ring.c          pieces of the flight recorder and of the records
 *   memory_span.c   memory and allocation figures of spans that ask for them (rss.c reads them)
 *   thread_table.c  a thread gets a table and gives it back
 *   run_file.c      the mapped file: grow, hand out blocks, save
 *   place.c         where the run is kept; creating its file
 *   own_file.c      the file of a live run: its mode, its lock, its descriptor, its name
 *   guard.c         repair of faults in the run's pages, if enabled
 *   parent_run.c    the parent run of this process
 *   end_run.c       writes into a child's run how the child ended
 *   mirror.c        copying live pages from shared memory to the path
 *   journal.c       single events with their figures
 *   places.c        where in the code the main thread was: places.h; native_places.c: native code
 *   probe.c         memory of the process for callers without a recorder
 *   gpu_events.c    device times of spans that ask for them (gpu_driver.c: CUDA and HIP)
 *   device.c        the process's device, and work that devices did
 *   sampler.c       the background thread; readings.c: what it reads, from sources/ (sample_source.c)
 *   recorder.c      open, close, fork, the default recorder; recorder_stop.c: closing one
 *   recorder_ask.c  queries of a recorder, and labels
 *   interrupt.c     blocking signals; how much of a stack is left
 *   forked_inside.c forks by a handler that interrupted the recorder
 */
#ifndef PIT_RECORDER_H
#define PIT_RECORDER_H

#include "clock.h"
#include "format/ordered.h"
#include "format/run_format.h"
#include "interrupt.h"
#include "name_table.h"
#include "pitwall.h"
#include "private_memory.h"
#include "rss.h"
#include "sample_source.h"
#include "thread_calls.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

struct pit__cache_entry {
    uint64_t key;   /* parent's ref << 32 | name's id; PIT__NO_KEY fits no site */
    uint64_t where; /* the node's ref and, in the cache, its depth */
};

#define PIT__NO_KEY UINT64_MAX
#define PIT__NEAR_CACHE 64u /* a power of two */

/* In keys, the name id of a span object's node has the first bit set; that of device work has both. */
#define PIT__DETACHED_BIT 0x80000000u
#define PIT__DEVICE_BIT 0x20000000u
/* Set in frame 0's `where`, with a node's ref, on a stack that begins below that node: cache entries for
 * such spans then never match spans that are really inside. No run is so large that a ref has this bit. */
#define PIT__BELOW_BIT 0x80000000u
/* Set in the ids of sites with flags, and in no key: the hot path never finds them. */
#define PIT__FLAGGED_BIT 0x40000000u

/* One thread's view of one thread table. In wiped memory: a child of fork reads zeros, above all
 * gate == 0. Owned by the thread that has the table; close writes `open`, and sets `gate` to 0. */
struct pit__thread {
    /* the cache line that every span reads and writes */
    pit_token gate; /* the token of the innermost open frame while the hot path may run. A begin or
                         end locks the table by storing its stack address, which is never a token,
                         and unlocks it by storing the next token. 0: closed, without an owner, or
                         the clock is a function call. */
    struct pit_fmt_frame *top;      /* the innermost open frame, or frame 0 */
    struct pit_fmt_thread *file;    /* the table in the run */
    unsigned char *base;            /* the run's first byte */
    struct pit__cache_entry *cache; /* by name id */
    uint32_t cache_mask;
    uint32_t ring_left;                /* events that the ring's current piece has room for */
    struct pit_fmt_node *pending_node; /* of file->pending; not NULL once the ring has room */
    struct pit_fmt_event *ring_next;
    /* the rest: rarely used, except by ends that return nanoseconds */
    double scale;         /* nanoseconds per tick, as last read from the recorder */
    uint64_t scale_until; /* ticks at which to read it again; 0: not read yet */
    pit_token token_base; /* of depth 0 */
    uint32_t open;        /* 0 once the recorder is closed; written by close */
    uint32_t held;        /* by one of the rare paths */
    uint32_t slow;        /* the gate is closed on purpose: spans take the rare path */
    uint32_t always_slow; /* the clock is a function call, or every span has flags */
    uint64_t measured_at; /* ticks when memory figures were last taken; 0: never */
    uint32_t special;     /* depth of the outermost open frame that needs the rare end, because it
                                    has flags or measuring took time inside it; 0: none. The hot
                                    path stays off until that frame has ended. */
    struct pit__measured *measured;  /* of the frames, by depth; NULL before the first with flags */
    struct pit__gpu_frames *gpu;     /* events of the frames; NULL before the first */
    struct pit_fmt_records *records; /* current piece */
    uint32_t record_pieces;
    uint32_t records_next;     /* first free record in it */
    struct pit_fmt_ring *ring; /* current piece */
    uint32_t ring_pieces;
    uint32_t counter;     /* the clock is a hardware counter */
    uint32_t index;       /* of the table in the run */
    uint64_t switched_at; /* ticks of the last switch to another stack of spans, or root */
    uint32_t in_use;      /* guarded by the recorder's lock */
    uintptr_t outer;      /* value of pit__inside before the table was held */
    pit_recorder *recorder;
    struct pit__thread *next_in_recorder; /* fixed once linked */
    struct pit__thread *next_of_thread;   /* the other recorders' tables of this thread */
    struct pit_fmt_block *slab;           /* NODES block with room */
    uint64_t slab_used;                   /* nodes in it */
    struct pit_fmt_series *spare_series;
    struct pit__cache_entry *hash; /* (parent, id) → node, open addressing, key 0 is empty */
    uint32_t hash_mask, hash_count;
    struct pit__value *values; /* by name id */
    uint32_t value_room;
    struct pit__thread_calls calls;
    /* The first cache, in the same page; a larger one has separate pages. */
    struct pit__cache_entry near_cache[PIT__NEAR_CACHE];
};
_Static_assert(offsetof(struct pit__thread, scale) == 64, "what every span needs is one line");

/* Bits of a token from the lowest on: depth, table, generation of the recorder, and one that is always set,
 * which distinguishes a token from an address. */
#define PIT__TOKEN_THREAD_SHIFT 16
#define PIT__TOKEN_GENERATION_SHIFT 40
#define PIT__TOKEN_GENERATIONS 0x7fffffu /* number of generations that fit a token */
#define PIT__TOKEN_BIT ((pit_token)1 << 63)

static inline int pit__is_token(pit_token gate)
{
    return (int64_t)gate < 0;
}

#define PIT__JOURNAL_BLOCKS 32u /* a megabyte */

/* In wiped memory: whether the recorder exists in this process. */
struct pit__control {
    uint32_t alive;
    struct pit__lock lock; /* guards everything below `lock` in struct pit_recorder */
    uint32_t sampler_stop;
    uint32_t sampler_running;
    uint32_t sampler_done;           /* it only has to end */
    int sampler_number;              /* of its thread; 0: it has not begun */
    uint32_t stopper;                /* the thread that is closing it; 0: none */
    uint32_t sampler_notes;          /* it runs and notes places, also while the run is closing */
    struct pit__control *next_spare; /* once its recorder is freed */
};

struct pit_recorder {
    struct pit__control *control;
    pit_recorder *next;        /* all of this process; guarded by the open lock */
    uint64_t device, inode;    /* of the mapped file; 0 in memory */
    uint32_t file_mode;        /* permissions with which its file is created */
    uint32_t rest_mode;        /* permissions of the file once it is closed */
    uint32_t place;            /* enum pit_fmt_place */
    uint32_t guarded;          /* faults in its pages are repaired: guard.c */
    struct pit_fmt_pair first; /* as in the header */
    uint64_t generation;       /* tokens of other recorders have another one */
    const struct pit__clock *clock;
    unsigned char *base; /* the run's pages; the address never changes */
    struct pit_fmt_header *header;
    uint64_t reserved_bytes;         /* maximum size of the run */
    uint64_t address_bytes;          /* addresses reserved from base on; more with the guard */
    int in_memory;                   /* no file was requested */
    double sample_hz, sample_stacks; /* 0 or less: off */
    uint64_t ring_budget;            /* pieces */
    uint64_t record_budget;          /* pieces */
    uint64_t span_flags;             /* of every span, PIT_FMT_WHERE_… */
    pit_options options;       /* as given, without labels: a forked child opens with the same */
    uint64_t scale_bits;       /* nanoseconds per tick, a double, as known so far */
    uint64_t scale_basis;      /* ticks over which it was measured */
    char path[PATH_MAX];       /* of the run file */
    char live_path[192];       /* in /dev/shm, or "" */
    char moved_path[PATH_MAX]; /* where the file was last found under another name */
    int is_mirrored;           /* the file at the path is a copy, made every few seconds */
    pthread_t sampler;
    int sampler_killed; /* by a sandbox, before it could end */
    /* guarded by control->lock */
    int fd;                /* of the mapped file, or -1 */
    uint64_t mapped_bytes; /* usable from base on */
    uint64_t file_bytes;   /* of those, in the file */
    uint64_t used_bytes;   /* allocated */
    int was_cut;           /* another process cut the file: figures are lost */
    uint64_t ring_pieces, record_pieces;
    int code; /* newest of PIT_NO_FILE, PIT_DISK_FULL, PIT_NOT_SAVED */
    int system_errno;
    int closed;
    struct pit__thread *threads;
    uint32_t thread_count;
    uint64_t *name_offsets; /* by name id; 0: not in the run yet */
    uint32_t name_room;
    struct pit_fmt_block *names;     /* NAMES block with room */
    uint64_t names_used, names_room; /* bytes of it */
    struct pit_fmt_objects *objects;
    struct pit_fmt_block *journal[PIT__JOURNAL_BLOCKS]; /* in the order they were first filled */
    uint32_t journal_blocks, journal_now; /* how many there are; the one being filled */
    uint64_t journal_used;                /* bytes of the one being filled */
    uint64_t journal_entries;             /* written so far */
    struct pit__places *places;           /* NULL before the first */
    /* used by the sampler, except samples->rss_peak; at open and close by the calling thread */
    struct pit_fmt_channels *samples;
    uint64_t *samples_rows; /* in it: two copies of the newest, then both halves */
    uint64_t samples_used, samples_stride;
    uint32_t samples_half, samples_copy, samples_begun; /* begun: first readings are kept */
    struct pit__sources sources;
};

extern __thread struct pit__thread *pit__tls
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern struct pit__thread pit__nobody; /* pit__tls before a thread has a table */

/* Code is fetched by line and by page: keep the code of spans together, also that of measured spans. */
#define PIT__IN_SPANS __attribute__((hot))

static inline uint32_t pit__ref(const unsigned char *base, const void *p)
{
    return (uint32_t)((uint64_t)((const unsigned char *)p - base) >> PIT_FMT_REF_SHIFT);
}

static inline void *pit__at(unsigned char *base, uint32_t ref)
{
    return base + ((uint64_t)ref << PIT_FMT_REF_SHIFT);
}

/* The object at a ref that was read from the run, or NULL: other processes can write to the file, and
 * nothing they write may harm the program. */
static inline void *pit__checked_at(const pit_recorder *rec, uint64_t ref, uint64_t bytes)
{
    uint64_t at = ref << PIT_FMT_REF_SHIFT;
    return ref <= UINT32_MAX && at >= PIT_FMT_HEADER_BYTES &&
                   at + bytes <= PIT_LOAD(rec->mapped_bytes)
               ? rec->base + at
               : NULL;
}

/* The innermost node, or the one below which the stack begins; 0: none. */
static inline uint32_t pit__place(const struct pit__thread *t)
{
    return pit_fmt_ref_of(t->top->where) & ~PIT__BELOW_BIT;
}

static inline pit_token pit__token(const struct pit__thread *t)
{
    return t->token_base + (uint64_t)(t->top - t->file->frames);
}

/* A begin or end of t is running, or was interrupted by a handler that never returned. */
static inline int pit__is_entered(const struct pit__thread *t)
{
    pit_token gate = PIT_LOAD(t->gate);
    return gate != 0 && !pit__is_token(gate);
}

/* While t is held, a signal handler's span on this thread is counted and not recorded. */
static inline __attribute__((always_inline)) void pit__hold(struct pit__thread *t)
{
    PIT_STORE(t->gate, pit__stack_here());
    PIT_STORE(t->held, 1);
    PIT_SIGNAL_FENCE();
    t->outer = pit__enter();
}

static inline void pit__release(struct pit__thread *t)
{
    PIT_SIGNAL_FENCE();
    uint32_t slow = t->always_slow || t->special;
    pit__leave(t->outer);
    PIT_STORE(t->slow, slow);
    PIT_STORE(t->held, 0);
    PIT_SIGNAL_FENCE();
    PIT_STORE(t->gate, !slow && PIT_LOAD(t->open) ? pit__token(t) : 0);
}

/* May t be held now? If not, and it is open, the caller is a signal handler inside the recorder. */
static inline int pit__is_free(const struct pit__thread *t)
{
    pit_token gate = PIT_LOAD(t->gate);
    return pit__is_token(gate) ||
           (gate == 0 && PIT_LOAD(t->open) && PIT_LOAD(t->slow) && !PIT_LOAD(t->held));
}

/* Repair the state left by a handler that jumped away, if it is certain that it did. Call this before
 * checking whether a table is free. */
void pit__resume_rare(void);
static inline void pit__resume(void)
{
    if (PIT_UNLIKELY(PIT_LOAD(pit__inside) != 0 || pit__is_entered(pit__tls)))
        pit__resume_rare();
}

static inline void pit__bump(uint64_t *counter)
{
    PIT_STORE(*counter, PIT_LOAD(*counter) + 1);
}

/* ---- run_file.c ---------------------------------------------------------------------------- */

/* Reserve the addresses and make the first pages usable. fd -1: in memory. 0 or an errno. */
int pit__run_map(pit_recorder *rec, int fd, uint64_t max_bytes);
/* A block, zeroed but for its header. Takes the lock unless `locked`. NULL: no room. */
void *pit__block_new(pit_recorder *rec, enum pit_fmt_block_type type, uint32_t thread,
                     uint64_t bytes, int locked);
/* Reserve disk room for the file up to `bytes`. 0 or an errno; never raises SIGXFSZ. */
int pit__reserve(int fd, uint64_t from, uint64_t bytes);
/* Write the part that is only in memory to the file. 0 or an errno. Call with the lock held. */
int pit__run_save(pit_recorder *rec);
/* The offset of a name in the run; writes it if it is missing. 0: no room. */
uint64_t pit__name_offset(pit_recorder *rec, const struct pit__name *name);
/* Add key and value texts. 0 or PIT_NO_MEMORY. */
int pit__fact_add(pit_recorder *rec, const char *key, const char *value);

/* ---- guard.c ------------------------------------------------------------------------------- */

/* Is the guard enabled? */
int pit__guard_wanted(const pit_options *options);
/* Enough addresses that no ref points beyond them. */
#define PIT__GUARD_BYTES (((uint64_t)1 << 38) + ((uint64_t)1 << 20))
/* Begin and end repairing faults in the addresses of this run. */
void pit__guard_begin(const pit_recorder *rec);
void pit__guard_end(const pit_recorder *rec);
/* Faults repaired in this process. */
void pit__guard_count(void); /* one more: a page, or a file that was cut and left */
uint64_t pit__guard_mended(void);
/* The signals that the sampler must not block, so that the guard works in it. */
void pit__guard_signals(sigset_t *set);

/* ---- mirror.c, sampler.c ---------------------------------------------------------------------- */

/* Copy the live pages to the path, by a temporary file and rename. 0 or an errno. */
int pit__mirror(pit_recorder *rec, int final);
/* Allocate the block of readings and take the first one. */
void pit__samples_new(pit_recorder *rec);
/* Take one more reading: by the sampler; at open; or at close, after the sampler has ended. */
void pit__samples_take(pit_recorder *rec);
void pit__samples_add(pit_recorder *rec);
/* Write a row into the run: the ticks, then a word for each channel. */
void pit__readings_add(pit_recorder *rec, const uint64_t *row);
void pit__sampler_start(pit_recorder *rec);
void pit__sampler_stop(pit_recorder *rec);
void pit__clock_mark(pit_recorder *rec);

/* ---- thread_table.c ------------------------------------------------------------------------ */

/* The calling thread's table in rec, or NULL. */
struct pit__thread *pit__attach(pit_recorder *rec);
/* The calling thread's table in rec if it has one already. */
struct pit__thread *pit__attached(const pit_recorder *rec);
/* The calling thread's table in the default recorder, free to be held; NULL: nothing is to be
 * recorded, or this is a signal handler inside the recorder. */
struct pit__thread *pit__thread_ready(void);
int pit__threads_init(void);
/* The calling thread's tables, one for each recorder, linked by next_of_thread. */
struct pit__thread *pit__tables_of_thread(void);
/* The recorder is about to be freed: its tables can be reused once their threads no longer use them. */
void pit__threads_forget(pit_recorder *rec);
/* Between enter() and leave(), spans of the calling thread count as those of a signal handler inside the
 * recorder; for all code that takes a lock. leave() takes the result of enter(). */
struct pit__guard {
    struct pit__thread *tls;
    uintptr_t outer;
};
struct pit__guard pit__guard_enter(void);
void pit__guard_leave(struct pit__guard before);
/* The same without blocking signals, to save time. */
struct pit__guard pit__guard_enter_open(void);
void pit__guard_leave_open(struct pit__guard before);
/* A call is refused because a signal handler made it inside the recorder. */
void pit__count_refused(void);

/* ---- span_mend.c --------------------------------------------------------------------------- */

/* A call in t was interrupted and never resumed: complete its work or undo it, by the rules that a reader
 * of a killed run follows. Afterwards t is free. */
void pit__mend(struct pit__thread *t);

/* ---- node_table.c, ring.c -------------------------------------------------------------------- */

/* The node for (parent, name) in t's tree, created if it is missing. NULL: no room. */
struct pit_fmt_node *pit__node_find(struct pit__thread *t, uint32_t parent, uint32_t id);
/* The node of t's own tree at the path of a node of any thread. NULL: no room. */
struct pit_fmt_node *pit__node_own(struct pit__thread *t, uint32_t ref);
/* Put it into the cache of the hot path. */
void pit__node_cache(struct pit__thread *t, uint32_t parent, uint32_t id, uint64_t where);
/* The rare cases of the previous sample's bookkeeping. */
void pit__hist_rare(struct pit__thread *t, struct pit_fmt_node *node, uint64_t duration);
void pit__series_rare(struct pit__thread *t, struct pit_fmt_node *node, uint64_t end,
                      uint64_t duration);
void pit__ring_rare(struct pit__thread *t, const struct pit_fmt_pending *sample);
/* Continue the ring and the records at the end that the run gives. */
void pit__ring_resume(struct pit__thread *t);
void pit__records_resume(struct pit__thread *t);
/* The next record to fill in, or NULL; pit__record_done makes it count. */
struct pit_fmt_record *pit__record_next(struct pit__thread *t);
void pit__record_done(struct pit__thread *t);

/* value.c: of a table whose recorder is about to be freed. */
void pit__values_free(struct pit__thread *t);

struct pit__alloc_api;

/* ---- memory_span.c ------------------------------------------------------------------------- */

/* PIT_MEMORY and the related flags as bits of a `where`. */
uint64_t pit__where_flags(unsigned span_flags);
/* alloc_link.c: is libpitwall-alloc in the process? Checked once at open. */
int pit__alloc_present(void);
extern const struct pit__alloc_api *pit__alloc_link; /* NULL: it is not loaded */
/* Take the figures at the begin of a frame at this depth, and at its end; t must be held. A begin may
 * reuse figures that were read just before (pit__is_fresh). */
void pit__measure_begin(struct pit__thread *t, uint64_t depth, uint64_t where, int is_fresh);
void pit__measure_end(struct pit__thread *t, uint64_t depth, uint64_t where);
/* Add these figures to the node, and keep a record if the span asks for one. */
void pit__measure_keep(struct pit__thread *t, uint64_t depth, uint64_t where, uint64_t begin,
                       uint64_t duration);
/* After an interrupted call: frames above `depth` are not measured, nothing is held. */
void pit__measure_mend(struct pit__thread *t, uint64_t depth);
void pit__watch_mend(void);
/* The frame is abandoned. */
void pit__measure_drop(struct pit__thread *t, uint64_t depth, uint64_t where);
/* Measures a peak, for a memory span or a probe. While open it is in a list of all such objects of the
 * process; `peak` is guarded by the lock of that list until the end. */
struct pit__watched {
    struct pit__watched *next, **at;
    uint64_t peak, error_bytes, device_peak; /* device_peak: highest GPU reading; 0: unknown */
    uint32_t peak_method;                    /* enum pit_fmt_peak */
    int is_linked;                           /* in the list; used only by the owner */
};
/* reader: owner of the reading, or NULL. is_fresh: reuse the reader's last one if it is the newest. */
struct pit__rss_reading pit__watch_begin(struct pit__watched *watched, const void *reader,
                                         int is_fresh);
struct pit__rss_reading pit__watch_end(struct pit__watched *watched, const void *reader);
/* RSS now; 0: it cannot be read. */
uint64_t pit__resident(void);
/* The interface of libpitwall-alloc, or NULL. */
const struct pit__alloc_api *pit__alloc_of_process(void);
/* Raise the run's highest RSS to at least this. */
void pit__rss_peak_seen(pit_recorder *rec, uint64_t bytes);

/* ---- span_rare.c, span_previous.c, recorder.c ---------------------------------------------- */
/* Count a call with a missing argument; recorder NULL: the default one. */
void pit__count_null(pit_recorder *recorder);
/* The hot path calls these, with nothing changed yet, when its case is not the common one. */
pit_token pit__begin_rare(pit_site *site);
uint64_t pit__end_rare(pit_token token, uint64_t now);
uint64_t pit__end_apart_rare(pit_token token);
void pit__phase_rare(pit_site *site);
/* Is this a signal handler inside the recorder? If so, it is counted. */
int pit__is_counted_handler(struct pit__thread *t);
uint64_t pit__now_of(const struct pit__thread *t);
pit_token pit__begin_on(struct pit__thread *t, pit_site *site);
pit_token pit__begin_name_on(struct pit__thread *t, const char *text, unsigned flags);
/* Record a finished sample that was not on the stack. t must be held. */
void pit__sample(struct pit__thread *t, struct pit_fmt_node *node, uint64_t begin, uint64_t end);
/* Step A of an end (span_steps.h), with all its cases. t must be held. */
void pit__finish_previous_rare(struct pit__thread *t);
/* End a token's frame in t, if it is open. Returns ticks. */
uint64_t pit__end_on(struct pit__thread *t, pit_token token, uint64_t now);
uint64_t pit__not_before_last(const struct pit__thread *t, uint64_t now);
/* Leave the innermost frame without a sample. t must be held. */
void pit__drop_top(struct pit__thread *t);
/* Leave all frames without samples; they count as left open. t must be held or have no owner. */
void pit__drop_all(struct pit__thread *t);
/* End the open phases on top of t's stack. t must be held. */
void pit__end_phases(struct pit__thread *t);
/* The cost of one empty span in picoseconds, measured on a scratch table. */
uint64_t pit__measure_cost(const struct pit__clock *clock);
/* recorder_stop.c: close it. PIT_OK, PIT_NOT_OPEN or PIT_NOT_SAVED. */
int pit__recorder_stop(pit_recorder *rec);
/* Wait until another thread that is closing it has done so. */
void pit__await_stop(pit_recorder *rec);
/* Close the gates of its threads. */
void pit__threads_stop(const pit_recorder *rec);
/* Does it record, in this process? */
int pit__is_alive(const pit_recorder *rec);
/* Is recording switched off by PITWALL=0? */
int pit__is_off(void);
/* The recorder of the parent process after a fork: here it is only an inactive copy. */
const pit_recorder *pit__forked_from(const pit_recorder *rec);
/* The default recorder if it is active here; opens it if the environment or a fork asks for it.
 * NULL: nothing is to be recorded. */
pit_recorder *pit__default_recorder(void);
/* Convert ticks to nanoseconds by the clock rate known so far. */
uint64_t pit__ticks_to_ns(const pit_recorder *rec, uint64_t ticks);
/* The same for a thread of a recorder, which caches the scale in a line that its spans use anyway. */
uint64_t pit__ticks_to_ns_rare(struct pit__thread *t, uint64_t ticks);

#endif

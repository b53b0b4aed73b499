/* Memory and allocation figures of spans, and their records.
 *
 * The process has one kernel high-water mark. At each begin of a memory span the mark is read, merged
 * into every memory span that is open on any thread and into the peak of every run that the process
 * writes, and reset; at each end it is read and merged. So nested and concurrent spans are each right,
 * up to what happens between the reading and the reset. A span's peak is the process's peak during it.
 *
 * The cost is mainly that of the system call and the cache lines it evicts. So a span that begins right
 * after another began or ended reuses that one's reading, and a mark that is no higher than the resident
 * size is not reset.
 *
 * The figures are read outside the span's own time; span_rare.c takes that cost out of the
 * spans around.
 */
#include "node_figures.h"

#include "device/gpu_table.h"
#include "format/alloc_api.h"
#include "recorder.h"
#include "rss.h"
#include "sample_source.h"

#include <dlfcn.h>
#include <string.h>

/* Figures of one open frame. Private memory, one for each depth; linked while it is measured. */
struct pit__measured {
    struct pit__watched watched;         /* its peak, updated by all readings */
    uint64_t rss_begin, rss_end;         /* 0: it could not be read */
    uint64_t minor_faults, major_faults; /* at the begin; at the end: during it */
    uint64_t items;                      /* of the node at the begin */
    struct pit__alloc_counters alloc;    /* at the begin; at the end: during it */
    int64_t live_begin;
    uint64_t outer_peak; /* the thread's live_peak before this span reset it */
    uint64_t alloc_peak;
    uint64_t leaked_bytes, leaked_blocks;
    struct pit__energy_now energy; /* at the begin; at the end: see pit__energy_end */
    int leak_level;                /* -1: not marked for leaks */
};

/* A recorder whose run has a peak. In wiped memory, never freed, reused. */
struct follower {
    struct follower *next;
    pit_recorder *recorder; /* NULL: none */
};

/* One for the process, in wiped memory: in a child there are no open memory spans, no recorders and no
 * files. This lock is taken after the open lock; only the allocator's lock may be taken while it is
 * held. */
struct mark {
    struct pit__lock lock;
    struct pit__watched *open;
    struct follower *followers;
    struct pit__rss rss;
    struct pit__rss_reading last; /* the newest one, with the mark as it was then */
    const void *last_by;          /* its owner */
};

static int is_known(const struct pit__measured *m)
{
    return m->rss_begin != 0 && m->rss_end != 0;
}

static struct mark *process_mark; /* created for the first recorder that needs one */

uint64_t pit__where_flags(unsigned span_flags)
{
    uint64_t flags = 0;
    if (span_flags & PIT_MEMORY)
        flags |= PIT_FMT_WHERE_MEMORY;
    if (span_flags & PIT_RECORD)
        flags |= PIT_FMT_WHERE_RECORD;
    if (span_flags & PIT_LEAKS)
        flags |= PIT_FMT_WHERE_ALLOC | PIT_FMT_WHERE_LEAKS;
    if (span_flags & PIT_ENERGY)
        flags |= PIT_FMT_WHERE_ENERGY;
    if (span_flags & PIT_WAIT)
        flags |= PIT_FMT_WHERE_WAIT;
    return flags;
}

static struct mark *mark_of_process(void)
{
    struct mark *mark = PIT_LOAD_ACQUIRE(process_mark);
    if (mark)
        return mark;
    struct mark *fresh = pit__wiped_alloc(sizeof *fresh);
    if (!fresh)
        return NULL;
    return __atomic_compare_exchange_n(&process_mark, &mark, fresh, 0, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE)
               ? fresh
               : mark;
}

static struct pit__measured *measured_at(struct pit__thread *t, uint64_t depth)
{
    if (!t->measured)
        t->measured = pit__private_alloc(PIT_FMT_FRAMES * sizeof *t->measured);
    return t->measured ? &t->measured[depth] : NULL;
}

PIT__IN_SPANS void pit__rss_peak_seen(pit_recorder *rec, uint64_t bytes)
{
    uint64_t *peak = rec->samples ? &rec->samples->rss_peak : NULL;
    uint64_t seen = peak ? PIT_LOAD(*peak) : UINT64_MAX;
    while (bytes > seen &&
           !__atomic_compare_exchange_n(peak, &seen, bytes, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* ---- runs that have a peak ----------------------------------------------------------------- */

/* With the lock held. */
static struct follower *follower_of(struct mark *mark, const pit_recorder *rec)
{
    struct follower *f = mark->followers;
    while (f && f->recorder != rec)
        f = f->next;
    return f;
}

/* Without memory for it, the run still has the peak of its own readings. */
void pit__peak_follow(pit_recorder *rec)
{
    struct mark *mark = mark_of_process();
    if (!mark)
        return;
    if (!pit__lock_take(&mark->lock))
        return;
    struct follower *f = follower_of(mark, NULL);
    if (!f && (f = pit__wiped_alloc(sizeof *f))) {
        f->next = mark->followers;
        mark->followers = f;
    }
    if (f)
        f->recorder = rec;
    pit__lock_give(&mark->lock);
}

void pit__peak_leave(const pit_recorder *rec)
{
    struct mark *mark = mark_of_process();
    if (!mark)
        return;
    /* not held if the program ends inside a memory span */
    int is_held = pit__lock_take(&mark->lock);
    struct follower *f = follower_of(mark, rec);
    if (f)
        PIT_STORE(f->recorder, NULL);
    if (is_held)
        pit__lock_give(&mark->lock);
}

/* ---- the process's memory ------------------------------------------------------------------ */

PIT__IN_SPANS static void fold(struct mark *mark, uint64_t peak)
{
    for (struct pit__watched *w = mark->open; w; w = w->next)
        if (peak > w->peak)
            w->peak = peak;
}

/* Call it before a reset, which would hide the peak from the runs of all recorders. */
static void fold_into_runs(struct mark *mark, uint64_t peak)
{
    for (struct follower *f = mark->followers; f; f = f->next) {
        pit_recorder *rec = PIT_LOAD(f->recorder);
        if (rec)
            pit__rss_peak_seen(rec, peak);
    }
}

static void link_in(struct mark *mark, struct pit__watched *w)
{
    w->next = mark->open;
    w->at = &mark->open;
    PIT_STORE_ORDERED(mark->open, w);
    if (w->next)
        w->next->at = &w->next;
    PIT_STORE_ORDERED(w->is_linked, 1);
}

static void unlink_from(struct pit__watched *w)
{
    PIT_STORE_ORDERED(w->is_linked, 0);
    PIT_STORE_ORDERED(*w->at, w->next);
    if (w->next)
        w->next->at = w->at;
}

/* A handler jumped away while the lock was held: the forward links are valid at every instant, and the
 * rest is rebuilt from them. */
void pit__watch_mend(void)
{
    struct mark *mark = PIT_LOAD_ACQUIRE(process_mark);
    if (!mark || !pit__lock_is_own(&mark->lock))
        return;
    struct pit__watched **at = &mark->open;
    for (struct pit__watched *w = mark->open; w; w = w->next) {
        w->at = at;
        w->is_linked = 1;
        at = &w->next;
    }
    mark->last_by = NULL;
    pit__lock_break(&mark->lock);
}

/* With the lock held: is the mark at the resident size? */
static void lower_mark(struct mark *mark, struct pit__rss_reading *now)
{
    if (pit__rss_is_low(&mark->rss, now))
        return;
    fold(mark, now->peak);
    fold_into_runs(mark, now->peak);
    pit__rss_reset(&mark->rss, now->rss);
    now->peak = now->rss;
}

/* ---- memory of GPUs ------------------------------------------------------------------------ */

static void fold_device(struct pit__watched *w, uint64_t bytes)
{
    if (bytes > w->device_peak)
        w->device_peak = bytes;
}

void pit__watch_device(void)
{
    struct mark *mark = mark_of_process();
    uint64_t bytes = pit__gpus_memory();
    if (!mark || !bytes || !pit__lock_take(&mark->lock))
        return;
    for (struct pit__watched *w = mark->open; w; w = w->next)
        fold_device(w, bytes);
    pit__lock_give(&mark->lock);
}

PIT__IN_SPANS struct pit__rss_reading pit__watch_begin(struct pit__watched *w, const void *reader,
                                                       int is_fresh)
{
    struct mark *mark = mark_of_process();
    struct pit__rss_reading now = {0};
    if (!mark || !pit__lock_take_open(&mark->lock))
        return now;
    if (w->is_linked) /* its end could not be read */
        unlink_from(w);
    now = is_fresh && mark->last_by == reader ? mark->last : pit__rss_read(&mark->rss);
    mark->last = now;
    mark->last_by = reader;
    lower_mark(mark, &mark->last);
    w->peak = now.rss;
    w->device_peak = pit__gpus_memory();
    link_in(mark, w);
    pit__lock_give_open(&mark->lock);
    return now;
}

PIT__IN_SPANS struct pit__rss_reading pit__watch_end(struct pit__watched *w, const void *reader)
{
    struct mark *mark = w->is_linked ? mark_of_process() : NULL;
    struct pit__rss_reading now = {0};
    if (!mark || !pit__lock_take_open(&mark->lock))
        return now;
    now = pit__rss_read(&mark->rss);
    fold(mark, now.peak > now.rss ? now.peak : now.rss);
    mark->last = now;
    mark->last_by = reader;
    unlink_from(w);
    fold_device(w, pit__gpus_memory());
    w->peak_method = mark->rss.peak_method;
    w->error_bytes = mark->rss.error_bytes;
    pit__lock_give_open(&mark->lock);
    return now;
}

uint64_t pit__resident(void)
{
    struct mark *mark = mark_of_process();
    if (!mark)
        return 0;
    if (!pit__lock_take_open(&mark->lock)) {
        pit__count_refused();
        return 0;
    }
    uint64_t rss = pit__rss_read(&mark->rss).rss;
    pit__lock_give_open(&mark->lock);
    return rss;
}

static void memory_begin(struct pit__thread *t, struct pit__measured *m, int is_fresh)
{
    if (m->watched.is_linked) /* another process overwrote its frame: it was never ended */
        pit__watch_end(&m->watched, t);
    struct pit__rss_reading now = pit__watch_begin(&m->watched, t, is_fresh);
    m->rss_begin = now.rss;
    m->rss_end = 0;
    m->minor_faults = now.minor_faults;
    m->major_faults = now.major_faults;
}

static void memory_end(struct pit__thread *t, struct pit__measured *m)
{
    if (!m->watched.is_linked)
        return;
    struct pit__rss_reading now = pit__watch_end(&m->watched, t);
    m->rss_end = now.rss;
    m->minor_faults = now.minor_faults - m->minor_faults;
    m->major_faults = now.major_faults - m->major_faults;
    pit__rss_peak_seen(t->recorder, now.peak);
}

/* ---- the thread's allocations -------------------------------------------------------------- */

static void alloc_begin(struct pit__measured *m, uint64_t where)
{
    struct pit__alloc_counters *now = pit__alloc_link->counters();
    m->alloc = *now;
    m->live_begin = now->live;
    m->outer_peak = (uint64_t)now->live_peak;
    now->live_peak = now->live;
    m->leak_level = where & PIT_FMT_WHERE_LEAKS ? pit__alloc_link->leaks_begin() : -1;
}

static void alloc_end(struct pit__measured *m)
{
    struct pit__alloc_counters *now = pit__alloc_link->counters();
    m->leaked_bytes = m->leaked_blocks = 0;
    if (m->leak_level >= 0 &&
        pit__alloc_link->leaks_end(m->leak_level, &m->leaked_bytes, &m->leaked_blocks) != 0)
        m->leak_level = -1; /* not known: the span is not counted in leak_spans */
    m->alloc.allocs = now->allocs - m->alloc.allocs;
    m->alloc.frees = now->frees - m->alloc.frees;
    m->alloc.alloc_bytes = now->alloc_bytes - m->alloc.alloc_bytes;
    m->alloc.freed_bytes = now->freed_bytes - m->alloc.freed_bytes;
    m->alloc_peak = now->live_peak > m->live_begin ? (uint64_t)(now->live_peak - m->live_begin) : 0;
    if ((int64_t)m->outer_peak > now->live_peak)
        now->live_peak = (int64_t)m->outer_peak;
}

/* ---- a frame ------------------------------------------------------------------------------- */

PIT__IN_SPANS void pit__measure_begin(struct pit__thread *t, uint64_t depth, uint64_t where,
                                      int is_fresh)
{
    struct pit__measured *m = measured_at(t, depth);
    if (!m)
        return;
    const struct pit_fmt_node *node = pit__at(t->base, pit_fmt_ref_of(where));
    m->items = node->items;
    m->leak_level = -1;
    if (where & PIT_FMT_WHERE_ENERGY)
        m->energy = pit__energy_read();
    if (where & PIT_FMT_WHERE_MEMORY)
        memory_begin(t, m, is_fresh);
    if (pit__alloc_link && where & PIT_FMT_WHERE_ALLOC)
        alloc_begin(m, where); /* last, so that it starts right before the span */
}

PIT__IN_SPANS void pit__measure_end(struct pit__thread *t, uint64_t depth, uint64_t where)
{
    struct pit__measured *m = t->measured ? &t->measured[depth] : NULL;
    if (!m)
        return;
    if (pit__alloc_link && where & PIT_FMT_WHERE_ALLOC)
        alloc_end(m);
    if (where & PIT_FMT_WHERE_MEMORY)
        memory_end(t, m);
    if (where & PIT_FMT_WHERE_ENERGY)
        pit__energy_end(&m->energy);
}

void pit__measure_mend(struct pit__thread *t, uint64_t depth)
{
    for (uint64_t i = depth + 1; t->measured && i < PIT_FMT_FRAMES; i++)
        if (t->measured[i].watched.is_linked)
            pit__watch_end(&t->measured[i].watched, NULL);
}

void pit__measure_drop(struct pit__thread *t, uint64_t depth, uint64_t where)
{
    pit__measure_end(t, depth,
                     where); /* read and forgotten: the spans around need what it folded */
}

/* ---- storing ------------------------------------------------------------------------------- */

PIT__IN_SPANS static void keep_memory(struct pit__thread *t, struct pit_fmt_node *node,
                                      const struct pit__measured *m)
{
    struct pit_fmt_memory_of *block =
        pit__figures_block(t, node, &node->memory, PIT_FMT_MEMORY_OF, sizeof *block);
    if (!block)
        return;
    uint64_t other = ~block->block.b & 1;
    struct pit_fmt_memory sum = block->copies[1 - other];
    int64_t delta = (int64_t)(m->rss_end - m->rss_begin);
    uint64_t over = m->watched.peak > m->rss_begin ? m->watched.peak - m->rss_begin : 0;
    sum.delta_max = sum.count == 0 || delta > sum.delta_max ? delta : sum.delta_max;
    sum.count++;
    sum.delta_last = delta;
    sum.delta_sum += delta;
    sum.peak_last = over;
    sum.peak_sum += over;
    sum.peak_max = over > sum.peak_max ? over : sum.peak_max;
    sum.rss_max = m->watched.peak > sum.rss_max ? m->watched.peak : sum.rss_max;
    sum.rss_last = m->rss_end;
    if (m->watched.device_peak > sum.device_max)
        sum.device_max = m->watched.device_peak;
    sum.minor_faults += m->minor_faults;
    sum.major_faults += m->major_faults;
    sum.error_bytes = m->watched.error_bytes;
    sum.peak_method = m->watched.peak_method;
    pit__copy_words(&block->copies[other], &sum, sizeof sum);
    PIT_STORE_ORDERED(block->block.b, other);
}

static void keep_alloc(struct pit__thread *t, struct pit_fmt_node *node,
                       const struct pit__measured *m)
{
    struct pit_fmt_alloc_of *block =
        pit__figures_block(t, node, &node->alloc, PIT_FMT_ALLOC_OF, sizeof *block);
    if (!block)
        return;
    uint64_t other = ~block->block.b & 1;
    struct pit_fmt_alloc sum = block->copies[1 - other];
    sum.count++;
    sum.allocs += m->alloc.allocs;
    sum.frees += m->alloc.frees;
    sum.alloc_bytes += m->alloc.alloc_bytes;
    sum.freed_bytes += m->alloc.freed_bytes;
    sum.peak_last = m->alloc_peak;
    sum.peak_max = m->alloc_peak > sum.peak_max ? m->alloc_peak : sum.peak_max;
    sum.live_last = (int64_t)(m->alloc.alloc_bytes - m->alloc.freed_bytes);
    sum.live_sum += sum.live_last;
    sum.leak_spans += m->leak_level >= 0;
    sum.leaked_bytes += m->leaked_bytes;
    sum.leaked_blocks += m->leaked_blocks;
    pit__copy_words(&block->copies[other], &sum, sizeof sum);
    PIT_STORE_ORDERED(block->block.b, other);
}

static void keep_record(struct pit__thread *t, const struct pit_fmt_node *node,
                        const struct pit__measured *m, struct pit_fmt_record record)
{
    record.items = node->items - m->items;
    if (record.where & PIT_FMT_WHERE_MEMORY && is_known(m)) {
        record.has |= 1;
        record.rss_begin = m->rss_begin;
        record.rss_end = m->rss_end;
        record.rss_peak = m->watched.peak_method == PIT_FMT_PEAK_NONE ? 0 : m->watched.peak;
        record.error_bytes = m->watched.error_bytes;
        record.minor_faults = m->minor_faults;
        record.major_faults = m->major_faults;
        record.peak_method = m->watched.peak_method;
    }
    if (pit__alloc_link && record.where & PIT_FMT_WHERE_ALLOC) {
        record.has |= 2;
        record.alloc_bytes = m->alloc.alloc_bytes;
        record.freed_bytes = m->alloc.freed_bytes;
    }
    struct pit_fmt_record *to = pit__record_next(t);
    if (to) {
        pit__copy_words(to, &record, sizeof record);
        pit__record_done(t);
    }
}

PIT__IN_SPANS void pit__measure_keep(struct pit__thread *t, uint64_t depth, uint64_t where,
                                     uint64_t begin, uint64_t duration)
{
    struct pit_fmt_node *node = pit__checked_at(t->recorder, pit_fmt_ref_of(where), sizeof *node);
    const struct pit__measured *m = t->measured ? &t->measured[depth] : NULL;
    if (!m || !node)
        return;
    if (where & PIT_FMT_WHERE_MEMORY && is_known(m))
        keep_memory(t, node, m);
    if (pit__alloc_link && where & PIT_FMT_WHERE_ALLOC)
        keep_alloc(t, node, m);
    if (where & PIT_FMT_WHERE_ENERGY)
        pit__energy_keep(t, node, &m->energy, duration);
    if (where & PIT_FMT_WHERE_RECORD)
        keep_record(t, node, m,
                    (struct pit_fmt_record){.begin = begin, .duration = duration, .where = where});
}

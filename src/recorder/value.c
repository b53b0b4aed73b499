/* Named values over time: loss, learning rate. One block per name and thread, a fixed number of
 * points; when they are full, neighbours are merged into the other half and the stride doubles.
 */
#include "recorder.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

/* A value of one thread: where it is in the run, and the data that the next point depends on. */
struct pit__value {
    struct pit_fmt_value *block; /* NULL: none yet */
    uint64_t count, stride;
    uint32_t half;
};

static struct pit_fmt_value *value_new(struct pit__thread *t, const struct pit__name *name)
{
    uint64_t offset = pit__name_offset(t->recorder, name);
    if (!offset)
        return NULL;
    struct pit_fmt_value *value =
        pit__block_new(t->recorder, PIT_FMT_VALUE, t->index, sizeof *value, 0);
    if (!value)
        return NULL;
    PIT_STORE(value->stride[0], 1);
    PIT_STORE(value->stride[1], 1);
    PIT_STORE_ORDERED(value->name, offset);
    return value;
}

static int have_index(struct pit__thread *t, uint32_t id)
{
    if (id < t->value_room)
        return 1;
    uint32_t room = t->value_room ? t->value_room : 512;
    while (room <= id)
        room *= 2;
    struct pit__value *bigger = pit__map_pages(room * sizeof *bigger);
    if (!bigger)
        return 0;
    pit__signals_off();
    if (t->values) {
        memcpy(bigger, t->values, t->value_room * sizeof *bigger);
        munmap(t->values, t->value_room * sizeof *bigger);
    }
    t->values = bigger;
    t->value_room = room;
    pit__signals_on();
    return 1;
}

/* The block is stored last: a call interrupted before that has begun nothing. */
static void value_begin(struct pit__value *own, struct pit_fmt_value *block)
{
    own->count = own->half = 0;
    own->stride = 1;
    PIT_STORE_ORDERED(own->block, block);
}

static struct pit__value *value_of(struct pit__thread *t, const char *text)
{
    const struct pit__name *name = pit__name_intern(text);
    if (!name || !have_index(t, name->id))
        return NULL;
    struct pit__value *value = &t->values[name->id];
    if (!value->block)
        value_begin(value, value_new(t, name));
    return value->block ? value : NULL;
}

void pit__values_free(struct pit__thread *t)
{
    if (t->values)
        munmap(t->values, t->value_room * sizeof *t->values);
}

static void store_double(double *to, double value)
{
    __atomic_store(to, &value, __ATOMIC_RELEASE);
}

static void store_point(struct pit_fmt_point *to, struct pit_fmt_point point)
{
    PIT_STORE_ORDERED(to->ticks, point.ticks);
    store_double(&to->sum, point.sum);
    store_double(&to->min, point.min);
    store_double(&to->max, point.max);
}

/* The extremes ignore NaN; the sum shows that there was one. */
static struct pit_fmt_point join(const struct pit_fmt_point *a, const struct pit_fmt_point *b)
{
    return (struct pit_fmt_point){a->ticks, a->sum + b->sum, fmin(a->min, b->min),
                                  fmax(a->max, b->max)};
}

/* All points of the active half are full: merge them; one store then activates the other half. */
static void fold(struct pit__value *own)
{
    struct pit_fmt_value *value = own->block;
    uint32_t from = own->half, to = 1 - from;
    for (uint32_t i = 0; i < PIT_FMT_VALUE_POINTS / 2; i++)
        store_point(&value->points[to][i],
                    join(&value->points[from][2 * i], &value->points[from][2 * i + 1]));
    own->stride *= 2;
    own->half = to;
    PIT_STORE_ORDERED(value->stride[to], own->stride);
    PIT_STORE_ORDERED(value->half, to);
}

static void fold_whole(struct pit__value *own)
{
    pit__signals_off();
    fold(own);
    pit__signals_on();
}

/* A handler jumped away in the middle of the last call: restore the state before it. */
static void put_back(struct pit__value *own)
{
    struct pit_fmt_value *value = own->block;
    if (own->count && own->count != value->before_count)
        own->count--;
    store_point(&value->points[own->half][own->count / own->stride], value->before);
    store_double(&value->last, value->before_last);
    PIT_STORE_ORDERED(value->last_ticks, value->before_ticks);
    PIT_STORE_ORDERED(value->count, own->count);
    PIT_STORE_ORDERED(value->seq, value->seq + 1);
}

static void value_add(struct pit__value *own, double number, uint64_t now)
{
    if (own->block->seq % 2)
        put_back(own);
    if (own->count == own->stride * PIT_FMT_VALUE_POINTS)
        fold_whole(own);
    struct pit_fmt_value *value = own->block;
    struct pit_fmt_point *point = &value->points[own->half][own->count / own->stride];
    struct pit_fmt_point one = {now, number, number, number};
    struct pit_fmt_point changed = own->count % own->stride ? join(point, &one) : one;

    store_point(&value->before, *point);
    PIT_STORE_ORDERED(value->before_count, own->count);
    PIT_STORE_ORDERED(value->before_ticks, value->last_ticks);
    store_double(&value->before_last, value->last);
    uint32_t seq = value->seq;
    PIT_STORE_ORDERED(value->seq, seq + 1);
    store_point(point, changed);
    store_double(&value->last, number);
    PIT_STORE_ORDERED(value->last_ticks, now);
    PIT_STORE_ORDERED(value->count, ++own->count);
    PIT_STORE_ORDERED(value->seq, seq + 2);
}

void pit__value(const char *name, double number)
{
    struct pit__thread *t = pit__thread_ready();
    if (!t)
        return;
    pit__hold(t);
    struct pit__value *value = value_of(t, name);
    if (value)
        value_add(value, number, pit__clock_read(t->counter));
    else
        __atomic_fetch_add(&t->recorder->header->counters[PIT_FMT_VALUES_LOST], 1,
                           __ATOMIC_RELAXED);
    pit__release(t);
}

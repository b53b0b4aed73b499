/* The layout of a run file, the part about communication between processes. Part of run_format.h. */
#ifndef PIT_COMM_FORMAT_H
#define PIT_COMM_FORMAT_H

#include "format/run_format.h"

enum pit_fmt_collective_flag {
    PIT_FMT_COLLECTIVE_SYNC = 1u /* nobody leaves it before all have entered */
};

#define PIT_FMT_INSIDE UINT64_MAX /* a duration: it has not ended */

struct pit_fmt_collective {
    uint64_t enter;    /*  0 ticks; 0: nothing is known of this call */
    uint64_t duration; /*  8 ticks, or PIT_FMT_INSIDE */
    uint64_t bytes;    /* 16 */
    uint32_t node;     /* 24 ref */
    uint32_t flags;    /* 28 enum pit_fmt_collective_flag */
};

/* Block COLLECTIVES: calls of one group of ranks. used: how many were begun ever. a: the group's id, b:
 * ranks in it, c: this one's number. Point i of the half in force is call number i * stride of that half.
 * When it is full every second one goes to the other half, whose stride is twice as large, and `half`
 * flips: by the calls' numbers, so that all ranks keep the same. The newest call, if it is none of
 * those, is in `apart`. */
#define PIT_FMT_COLLECTIVE_POINTS 1024u
struct pit_fmt_collectives {
    struct pit_fmt_block block;      /*   0 */
    uint32_t half;                   /*  64 0 or 1 */
    uint32_t spare;                  /*  68 */
    uint64_t stride[2];              /*  72 of each half; powers of two */
    uint64_t apart_seq;              /*  88 its number; UINT64_MAX: none, or it is just changing */
    struct pit_fmt_collective apart; /*  96 */
    struct pit_fmt_collective points[2][PIT_FMT_COLLECTIVE_POINTS]; /* 128 */
};

PIT_FMT_ASSERT(sizeof(struct pit_fmt_collective) == 32, "collective");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_collectives, points) == 128, "collectives");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_collectives) % PIT_FMT_ALIGN == 0, "collectives");

#endif

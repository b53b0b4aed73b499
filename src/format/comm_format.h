/* The layout of a run file, the part about communication between processes. Part of run_format.h. */
#ifndef PIT_COMM_FORMAT_H
#define PIT_COMM_FORMAT_H

#include "format/run_format.h"

enum pit_fmt_collective_flag {
    PIT_FMT_COLLECTIVE_SYNC = 1u /* no rank leaves it before all have entered */
};

#define PIT_FMT_INSIDE UINT64_MAX /* as a duration: the call has not ended */

struct pit_fmt_collective {
    uint64_t enter;    /* 0 ticks; 0: this call is unknown */
    uint64_t duration; /*  8 ticks, or PIT_FMT_INSIDE */
    uint64_t bytes;    /* 16 */
    uint32_t node;     /* 24 ref */
    uint32_t flags;    /* 28 enum pit_fmt_collective_flag */
};

/* Block COLLECTIVES: calls of one group of ranks. used: number of calls begun so far. a: the group's id, b:
 * its number of ranks, c: the number of this rank. Point i of the active half is call number i * stride of
 * that half. When the half is full, every second point is copied to the other half, whose stride is twice
 * as large, and `half` flips. The numbers of the calls decide, so all ranks keep the same calls. The newest
 * call, if it is not a point, is in `apart`. */
#define PIT_FMT_COLLECTIVE_POINTS 1024u
struct pit_fmt_collectives {
    struct pit_fmt_block block;      /*   0 */
    uint32_t half;                   /*  64 0 or 1 */
    uint32_t spare;                  /*  68 */
    uint64_t stride[2];              /*  72 of each half; powers of two */
    uint64_t apart_seq;              /* 88 its number; UINT64_MAX: none, or being changed */
    struct pit_fmt_collective apart; /*  96 */
    struct pit_fmt_collective points[2][PIT_FMT_COLLECTIVE_POINTS]; /* 128 */
};

/* Block MESSAGES: messages of one thread, as given to pit_begin_call. Only its thread stores. used: 1 once
 * it has data. Figures only grow; those of the newest call may be incomplete. */
#define PIT_FMT_SIZES 48u      /* 0 bytes; from 2^(i-1) to below 2^i; the last one has all above */
#define PIT_FMT_PARTNERS 1024u /* a power of two */
#define PIT_FMT_CALLERS 256u   /* a power of two */

struct pit_fmt_size {
    uint64_t count; /* 0 messages */
    uint64_t bytes; /* 8 */
};

/* A rank of the job that messages went to. It is at its number modulo PIT_FMT_PARTNERS, or in the first
 * free entry after that. */
struct pit_fmt_partner {
    uint64_t rank_1; /*  0 its number + 1; 0: free */
    uint64_t count;  /*  8 messages */
    uint64_t bytes;  /* 16 */
};

/* A place in the program that made calls of one node. */
struct pit_fmt_caller {
    uint64_t address;  /*   0 return address of the call; 0: free */
    uint64_t calls;    /* 8 calls begun */
    uint64_t ticks;    /* 16 of the calls that ended */
    uint32_t node;     /*  24 ref */
    uint32_t is_named; /*  28 1: the members below are valid */
    uint64_t offset;   /*  32 of the address in its function, or in its file */
    char function[96]; /* 40 "": not known, the offset is in the file */
    char file[56];     /* 136 without folders */
};

struct pit_fmt_messages {
    struct pit_fmt_block block;                        /*     0 */
    struct pit_fmt_size sizes[2][PIT_FMT_SIZES];       /*    64 to one rank; collectives */
    struct pit_fmt_size others;                        /*  1600 to ranks without an entry below */
    uint64_t calls_lost;                               /*  1616 of callers without an entry below */
    uint64_t spare[5];                                 /*  1624 */
    struct pit_fmt_partner partners[PIT_FMT_PARTNERS]; /* 1664 */
    struct pit_fmt_caller callers[PIT_FMT_CALLERS];    /* 26240 */
};

PIT_FMT_ASSERT(sizeof(struct pit_fmt_caller) == 192, "caller");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_messages, partners) == 1664, "messages.partners");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_messages, callers) == 26240, "messages.callers");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_messages) % PIT_FMT_ALIGN == 0, "messages");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_collective) == 32, "collective");
PIT_FMT_ASSERT(offsetof(struct pit_fmt_collectives, points) == 128, "collectives");
PIT_FMT_ASSERT(sizeof(struct pit_fmt_collectives) % PIT_FMT_ALIGN == 0, "collectives");

#endif

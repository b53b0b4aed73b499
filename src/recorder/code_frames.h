/* code_frames.h: one step from a function to its caller, by the tables that compilers make for exceptions
 * (.eh_frame): they tell for each instruction where the return address is. Libraries keep no frame pointers,
 * and words that merely look like return addresses may be left from calls that are over.
 *
 * For x86-64. Used by the sampler's thread only. The tables and the code are read by the kernel, because they
 * may be unmapped at any moment. */
#ifndef PIT_CODE_FRAMES_H
#define PIT_CODE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

/* Where a mapped file has its table, sorted by address: pairs of 32-bit offsets from `base`. */
struct pit__frame_table {
    uint64_t base;
    uint32_t entries; /* 0: none */
};

/* The state of a thread in one of its calls. */
struct pit__frame {
    uint64_t ip, sp, bp; /* ip: of the sampled instruction, or inside the instruction that calls */
};

/* A copy of the stack from this address up. */
struct pit__stack_copy {
    uint64_t address;
    const uint64_t *words;
    size_t count;
};

/* The process's memory, opened and closed by bare system calls; -1 if that fails. */
long pit__memory_open(void);
void pit__memory_close(long memory);

/* Find the table of the file whose first byte is mapped at `first`. */
struct pit__frame_table pit__frame_table_of(long memory, uint64_t first);

/* Go to the caller. Returns 0 if the tables or the copy do not tell it. */
int pit__frame_up(long memory, const struct pit__frame_table *table,
                  const struct pit__stack_copy *stack, struct pit__frame *frame);

#endif

/* example_steps.h: one batch of an example's training, to be run by itself.
 *
 * fitting_steps.c and rom_steps.c include the example's source. They are compiled twice unchanged and twice
 * without spans (STEPS_COPY names the copy), so that each exists at two addresses. One copy creates the
 * model and passes it to the others: all of them do the same computation on the same memory. */
#ifndef PIT_EXAMPLE_STEPS_H
#define PIT_EXAMPLE_STEPS_H

struct example_steps {
    void *(*make)(void); /* the model; NULL if memory is exhausted */
    void (*reset)(void *it,
                  unsigned part); /* restores the initial state; by the copy that created it */
    void (*step)(void *it, unsigned part); /* one batch */
    unsigned parts;                        /* kinds of batches: one per model */
};

extern const struct example_steps fitting_spans, fitting_plain, fitting_spans_2, fitting_plain_2;
extern const struct example_steps rom_spans, rom_plain, rom_spans_2, rom_plain_2;

#define STEPS_JOIN_(program_, copy_) program_##_##copy_
#define STEPS_JOIN(program_, copy_) STEPS_JOIN_(program_, copy_)

#endif

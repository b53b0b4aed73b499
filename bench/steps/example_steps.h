/* example_steps.h: one batch of an example's training, to be run by itself.
 *
 * fitting_steps.c and rom_steps.c take in the example's own source. They are compiled twice as it is
 * and twice without its spans (STEPS_COPY names the copy), so that each is there at two addresses. What
 * is trained belongs to one copy and is handed to the others: all of them do the same sums on the same
 * memory.
 */
#ifndef PIT_EXAMPLE_STEPS_H
#define PIT_EXAMPLE_STEPS_H

struct example_steps {
    void *(*make)(void);                    /* what is trained; NULL without memory */
    void (*reset)(void *it, unsigned part); /* back to how it began; by the copy that made it */
    void (*step)(void *it, unsigned part);  /* one batch */
    unsigned parts;                         /* kinds of batch: one a model */
};

extern const struct example_steps fitting_spans, fitting_plain, fitting_spans_2, fitting_plain_2;
extern const struct example_steps rom_spans, rom_plain, rom_spans_2, rom_plain_2;

#define STEPS_JOIN_(program_, copy_) program_##_##copy_
#define STEPS_JOIN(program_, copy_) STEPS_JOIN_(program_, copy_)

#endif

/* compare.h: what the files of the comparison share. pit_compare_sides (compare_sides.c) puts them
 * together: compare_side.c has the figures, compare_judge.c the verdicts, compare_gate.c the gates,
 * compare_headline.c the answer in words; compare_print.c and compare_json.c write it down. */
#ifndef PIT_COMPARE_H
#define PIT_COMPARE_H

#include "pitwall_bench.h"

#include "base/arena.h"
#include "report/text.h"

/* What pit_compare_sides gives, with what holds it. */
struct pit__comparisons {
    pit_comparisons shown; /* first: the public object is this one */
    struct pit__arena arena;
    pit_comparison *items;
    pit_gate *gates;
};

/* Why figures of one process a side that were not made in turn get no verdict. */
#define PIT__ONE_AFTER_OTHER "measured one after the other"

/* Why a difference is not to be told with any number of runs that somebody would make. */
#define PIT__TOO_NOISY "the machine is too noisy for this difference"

/* On how many of ten comparisons of one binary with itself an indicative answer is a wrong alarm:
 * tests/unit/test_indicative.c measures it. */
#define PIT__INDICATIVE_WRONG 4

/* Options with the defaults in their places. 0, or PIT_BAD_ARGUMENT. */
int pit__compare_options(const pit_compare_options *options, pit_compare_options *filled);

/* compare_judge.c: one comparison, by the level, the effect and the pairs of the options. 0, or a code. */
int pit__compare_figures(const pit_figures *a, const pit_figures *b,
                         const pit_compare_options *options, pit_comparison *comparison);

/* Was it judged by pairs of whole runs? */
int pit__is_by_pairs(const pit_comparison *comparison);

/* compare_items.c. NaN: it counts none. */
double pit__seconds_an_item(const pit_run *run, const pit_tree *tree);
void pit__show_rate(pit_comparison *comparison);

/* compare_gate.c: every gate of the options into all->gates. */
void pit__compare_gates(struct pit__comparisons *all, const pit_compare_options *options);

/* compare_headline.c: the answer on one side, and on all. */
void pit__side_headline(const pit_comparisons *all, size_t side, struct pit__text *text);
void pit__compare_headline(struct pit__comparisons *all);

/* The comparison that stands for a whole side: wall time, else what took the most. NULL: none. */
const pit_comparison *pit__whole_of(const pit_comparisons *all, size_t side);

/* "A", "B", ... "Z", then "27". out: at least 24 bytes. */
const char *pit__side_letter(size_t side, char *out);

/* "faster", "less"; "same", "no verdict" */
const char *pit__kind_word(const pit_comparison *c); /* time, memory, energy */
const char *pit__verdict_word(const pit_comparison *c);

/* "lowest third", "mean", "p10", "median"; "figure": the only one */
const char *pit__decided_by(const pit_comparison *c);

/* Percent with a sign, one digit behind the point: "+1.2", "-0.9", "n/a". out: PIT__UNIT_BYTES. */
const char *pit__signed_percent(double share, char *out);

/* compare_json.c */
int pit__comparisons_json(FILE *out, const pit_comparisons *all);

#endif

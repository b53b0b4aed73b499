/* compare.h: shared by the files of the comparison. pit_compare_sides (compare_sides.c) combines
 * them: compare_side.c makes the figures, compare_judge.c the verdicts, compare_gate.c the
 * gates, and compare_headline.c the answer in words; compare_print.c and compare_json.c print
 * it. */
#ifndef PIT_COMPARE_H
#define PIT_COMPARE_H

#include "pitwall_bench.h"

#include "base/arena.h"
#include "report/text.h"

/* The object behind pit_comparisons, with the memory that it owns. */
struct pit__comparisons {
    pit_comparisons shown; /* first member: the public object */
    struct pit__arena arena;
    pit_comparison *items;
    pit_gate *gates;
};

/* Reason: figures of one process per side that were not interleaved get no verdict. */
#define PIT__ONE_AFTER_OTHER "measured one after the other"

/* Reason: no practical number of runs could show this difference. */
#define PIT__TOO_NOISY "the machine is too noisy for this difference"

/* In how many of ten comparisons of a binary with itself an indicative answer is a false alarm;
 * measured by tests/unit/test_indicative.c. */
#define PIT__INDICATIVE_WRONG 4

/* Copy the options and fill in defaults. Returns 0 or PIT_BAD_ARGUMENT. */
int pit__compare_options(const pit_compare_options *options, pit_compare_options *filled);

/* compare_judge.c: one comparison with the level, effect and pairs of the options. Returns 0 or
 * an error code. */
int pit__compare_figures(const pit_figures *a, const pit_figures *b,
                         const pit_compare_options *options, pit_comparison *comparison);

/* Was it judged by pairs of whole runs? */
int pit__is_by_pairs(const pit_comparison *comparison);

/* compare_items.c. NaN: the run counts no items. */
double pit__seconds_an_item(const pit_run *run, const pit_tree *tree);
void pit__show_rate(pit_comparison *comparison);

/* compare_gate.c: every gate of the options into all->gates. */
void pit__compare_gates(struct pit__comparisons *all, const pit_compare_options *options);

/* compare_headline.c: the answer for one side, and for all sides. */
void pit__side_headline(const pit_comparisons *all, size_t side, struct pit__text *text);
void pit__compare_headline(struct pit__comparisons *all);

/* The comparison that represents a whole side: wall time, else what took the most time. NULL:
 * none. */
const pit_comparison *pit__whole_of(const pit_comparisons *all, size_t side);

/* "A", "B", ... "Z", then "27". out: at least 24 bytes. */
const char *pit__side_letter(size_t side, char *out);

/* "faster", "less"; "same", "no verdict" */
const char *pit__kind_word(const pit_comparison *c); /* time, memory, energy */
const char *pit__verdict_word(const pit_comparison *c);

/* "lowest third", "mean", "p10", "median"; "figure": there is only one */
const char *pit__decided_by(const pit_comparison *c);

/* Percent with a sign, one decimal: "+1.2", "-0.9", "n/a". out: PIT__UNIT_BYTES. */
const char *pit__signed_percent(double share, char *out);

/* compare_json.c */
int pit__comparisons_json(FILE *out, const pit_comparisons *all);

#endif

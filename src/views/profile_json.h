/* profile_json.h: parts shared by the JSON documents of model profiles. */
#ifndef PIT_PROFILE_JSON_H
#define PIT_PROFILE_JSON_H

#include "pitwall_bench.h"

#include "analysis/complexity.h"
#include "report/json_writer.h"

/* Version of the members under the key "pitwall"; incremented when one changes its meaning. */
#define PIT__PROFILE_SCHEMA 1

/* The model in the form that the formulas take. */
struct pit__sizes pit__sizes_of(const pit_model *model);

/* The text from which the kind of the model is derived. */
const char *pit__kind_name(const pit_model *model);

/* p10 and median of each block of trials that was interleaved with another model. The first
 * `blocks` values of *p10s and of *medians are set; both are in one allocation that begins at
 * *p10s. Without a session *p10s is NULL. 0 or PIT_NO_MEMORY. */
int pit__result_blocks(const pit_bench_result *r, double **p10s, double **medians);

/* Ratios, winners and significance as an object; key may be NULL. 0 or PIT_NO_MEMORY. */
int pit__profiles_write_comparison(struct pit__json *json, const char *key,
                                   const pit_profile *profiles, size_t count);

#endif

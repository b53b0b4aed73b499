/* make_seeds.h: real runs for the fuzzers to start from. */
#ifndef PIT_MAKE_SEEDS_H
#define PIT_MAKE_SEEDS_H

/* Record a few small runs in memory and write each to its own file in `folder`, unless it exists. */
void make_seeds(const char *folder);

#endif

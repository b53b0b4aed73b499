/* Order statistics, checked by sorting. */
#include "check.h"

#include "analysis/order_stats.h"

#include <stdlib.h>
#include <string.h>

static unsigned long long state = 88172645463325252u;

static double next_number(unsigned distinct)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state % distinct);
}

/* Every rank of many small arrays, with many and few equal numbers. */
TEST(put_rank_agrees_with_sorting)
{
    double given[40], sorted[40], put[40];
    for (size_t count = 1; count <= 40; count++)
        for (unsigned distinct = 1; distinct < 100; distinct *= 3) {
            for (size_t i = 0; i < count; i++)
                given[i] = next_number(distinct);
            memcpy(sorted, given, sizeof given);
            pit__sort(sorted, count);
            for (size_t rank = 0; rank < count; rank++) {
                memcpy(put, given, sizeof given);
                pit__put_rank(put, count, rank);
                CHECK(put[rank] == sorted[rank]);
                for (size_t i = 0; i < count; i++)
                    CHECK(i < rank ? put[i] <= put[rank] : put[i] >= put[rank]);
                pit__sort(put, count);
                CHECK(memcmp(put, sorted, count * sizeof *put) == 0);
            }
        }
}

/* The interim tests of a race: when they take place, and that together they spend no more than the level. */
#include "check.h"

#include "analysis/looks.h"

#include <math.h>

/* However a race goes, its tests together spend at most the level. */
TEST(all_looks_together_spend_the_level_and_no_more)
{
    for (size_t last = pit__looks[0]; last <= pit__looks[pit__look_count - 1]; last++) {
        double spent = 0;
        for (size_t pairs = 1; pairs < last; pairs++)
            spent += pit__is_look(pairs) ? pit__look_level(pairs, 0, 0.05) : 0;
        spent += pit__look_level(last, 1, 0.05);
        if (fabs(spent - 0.05) > 1e-12)
            printf("  last look at %zu: %.17g spent\n", last, spent);
        CHECK(fabs(spent - 0.05) <= 1e-12);
    }
}

TEST(looks_double_from_ten_on)
{
    CHECK_INT(pit__looks[0], 10);
    CHECK_INT(pit__looks[pit__look_count - 1], 320);
    size_t found = 0;
    for (size_t pairs = 0; (pairs = pit__next_look(pairs)) != 0; found++) {
        CHECK_INT(pairs, pit__looks[found]);
        CHECK(pit__is_look(pairs) && !pit__is_look(pairs + 1));
        CHECK(found == 0 || pairs == 2 * pit__looks[found - 1]);
    }
    CHECK_INT(found, pit__look_count);
    CHECK(!pit__is_look(0) && !pit__is_look(9) && pit__next_look(320) == 0);
}

TEST(a_single_look_has_all_of_the_level)
{
    CHECK_NEAR(pit__look_level(10, 1, 0.05), 0.05, 1e-15);
    CHECK_NEAR(pit__look_level(10, 0, 0.06), 0.01, 1e-15);
    CHECK_NEAR(pit__look_level(57, 1, 0.06), 0.03, 1e-15);
    CHECK_NEAR(pit__look_level(320, 0, 0.06), 0.01, 1e-15);
}

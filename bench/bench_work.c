/* bench_work UNITS: a program with a known amount of work, about 0.2 ms per unit, for bench_race.py. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long units = argc > 1 ? atol(argv[1]) : 0;
    unsigned long state = 88172645463325252u, sum = 0;
    for (long i = 0; i < units * 100000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum += state;
    }
    fprintf(stderr, "%lx\n", sum); /* keeps the work from being optimised away */
    return units <= 0;
}

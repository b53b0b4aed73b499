/* harmonic_spans: a span around every term of a sum. */
#include <pitwall.h>

#include <stdio.h>

enum { TERMS = 20000000 };

int main(void)
{
    double sum = 0;
    for (int i = 1; i <= TERMS; i++)
        PIT_SPAN("term")
            sum += 1.0 / i;
    printf("%.12f\n", sum);
    return 0;
}

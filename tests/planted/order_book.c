/* order_book: four threads price orders and book them in one book, with one lock. */
#include <pitwall.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { LEVELS = 4096, ORDERS = 300, PASSES = 1500, OTHERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double levels[LEVELS];

static void price(double *value)
{
    for (int i = 0; i < 6000; i++)
        *value += sin(i + *value) * 1e-6;
}

static void book(double value)
{
    pthread_mutex_lock(&lock);
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < LEVELS; i++)
            levels[i] += value * 1e-9;
    pthread_mutex_unlock(&lock);
}

static void *trade(void *unused)
{
    double value = 1;
    for (int n = 0; n < ORDERS; n++)
        PIT_SPAN("order") {
            PIT_SPAN("price")
                price(&value);
            PIT_SPAN("book")
                book(value);
        }
    return unused;
}

int main(void)
{
    pthread_t others[OTHERS];
    for (int i = 0; i < OTHERS; i++)
        if (pthread_create(&others[i], NULL, trade, NULL) != 0)
            return 1;
    trade(NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_join(others[i], NULL);
    printf("%g\n", levels[7]);
    return 0;
}

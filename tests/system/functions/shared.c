/* The shared library of called.c: a function that it exports and one that it keeps to itself. */
int shared_work(int n);

static __attribute__((noinline)) int private_work(int n)
{
    return 2 * n;
}

int shared_work(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += private_work(i);
    return sum;
}

/* tuned_blocks: multiplies matrices in blocks; the first call tries all block sizes. */
#include <pitwall.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { N = 256, STEPS = 300 };

static float a[N][N], b[N][N], c[N][N];
static int best_block;

static void multiply_blocks(int block)
{
    memset(c, 0, sizeof c);
    for (int kk = 0; kk < N; kk += block)
        for (int i = 0; i < N; i++)
            for (int k = kk; k < kk + block && k < N; k++)
                for (int j = 0; j < N; j++)
                    c[i][j] += a[i][k] * b[k][j];
}

static int find_block(void)
{
    double least = 1e9;
    int best = 1;
    for (int block = 1; block <= N; block += 1 + block / 16) {
        clock_t start = clock();
        for (int round = 0; round < 15; round++)
            multiply_blocks(block);
        double took = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (took < least)
            least = took, best = block;
    }
    return best;
}

static void multiply(void)
{
    if (!best_block)
        best_block = find_block();
    multiply_blocks(best_block);
}

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = (float)(i ^ j) / N, b[i][j] = (float)(i + j) / N;
    for (int step = 0; step < STEPS; step++)
        PIT_SPAN("step") {
            PIT_SPAN("multiply")
                multiply();
            PIT_SPAN("relax")
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        a[i][j] = 0.999f * a[i][j] + 1e-6f * c[i][j];
        }
    printf("%g, blocks of %d\n", (double)a[3][5], best_block);
    return 0;
}

/* net_generate: trains a layer, and calls its forward far more often to generate. Its backward goes through
 * the weights by columns. */
#include <pitwall.h>

#include <math.h>
#include <stdio.h>

enum { WIDTH = 1024, STEPS = 60, WORDS = 11 };

static float weights[WIDTH][WIDTH], gradient[WIDTH][WIDTH], in[WIDTH], out[WIDTH], back[WIDTH];

static void dense_forward(void)
{
    for (int i = 0; i < WIDTH; i++) {
        float sum = 0;
        for (int j = 0; j < WIDTH; j++)
            sum += weights[i][j] * in[j];
        out[i] = tanhf(sum);
    }
}

static void dense_backward(void)
{
    for (int j = 0; j < WIDTH; j++) {
        float sum = 0;
        for (int i = 0; i < WIDTH; i++) {
            sum += weights[i][j] * out[i];
            gradient[i][j] = out[i] * in[j];
        }
        back[j] = sum;
    }
}

int main(void)
{
    for (int i = 0; i < WIDTH; i++) {
        in[i] = (float)i * 1e-3f;
        for (int j = 0; j < WIDTH; j++)
            weights[i][j] = (float)((i * 31 + j * 17) % 97 - 48) * 1e-3f;
    }
    for (int step = 0; step < STEPS; step++) {
        PIT_SPAN("train_step") {
            PIT_SPAN("dense_forward")
                dense_forward();
            PIT_SPAN("dense_backward")
                dense_backward();
            PIT_SPAN("update")
                for (int i = 0; i < WIDTH; i++)
                    for (int j = 0; j < WIDTH; j++)
                        weights[i][j] -= 1e-6f * gradient[i][j];
        }
        for (int word = 0; step % 7 == 0 && word < WORDS; word++)
            PIT_SPAN("dense_forward")
                dense_forward();
    }
    printf("%g\n", (double)back[3]);
    return 0;
}

/* gpt_layer: trains two linear layers with the loops written out. */
#include <pitwall.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { B = 64, C = 256, H = 512, STEPS = 30 };

static void matmul_forward(float *out, const float *in, const float *weight, int rows, int c,
                           int oc)
{
    PIT_SPAN("matmul_forward")
        for (int b = 0; b < rows; b++)
            for (int o = 0; o < oc; o++) {
                float sum = 0;
                for (int i = 0; i < c; i++)
                    sum += in[b * c + i] * weight[o * c + i];
                out[b * oc + o] = sum;
            }
}

/* The innermost loop walks down the columns of in and din. */
static void matmul_backward(float *din, float *dweight, const float *dout, const float *in,
                            const float *weight, int rows, int c, int oc)
{
    PIT_SPAN("matmul_backward")
        for (int o = 0; o < oc; o++)
            for (int i = 0; i < c; i++)
                for (int b = 0; b < rows; b++) {
                    din[b * c + i] += weight[o * c + i] * dout[b * oc + o];
                    dweight[o * c + i] += in[b * c + i] * dout[b * oc + o];
                }
}

static void gelu_forward(float *out, const float *in, int n)
{
    PIT_SPAN("gelu_forward")
        for (int i = 0; i < n; i++)
            out[i] =
                0.5f * in[i] * (1 + tanhf(0.797885f * (in[i] + 0.044715f * in[i] * in[i] * in[i])));
}

static void gelu_backward(float *din, const float *in, const float *dout, int n)
{
    PIT_SPAN("gelu_backward")
        for (int i = 0; i < n; i++) {
            float t = tanhf(0.797885f * (in[i] + 0.044715f * in[i] * in[i] * in[i]));
            float s = 0.797885f * (1 + 0.134145f * in[i] * in[i]);
            din[i] += dout[i] * (0.5f * (1 + t) + 0.5f * in[i] * (1 - t * t) * s);
        }
}

static void update(float *weight, float *dweight, int n)
{
    PIT_SPAN("update")
        for (int i = 0; i < n; i++) {
            weight[i] -= 0.001f * dweight[i];
            dweight[i] = 0;
        }
}

static float *floats(int n, float scale)
{
    float *made = calloc((size_t)n, sizeof *made);
    if (!made)
        exit(1);
    for (int i = 0; i < n && scale > 0; i++)
        made[i] = scale * ((float)rand() / (float)RAND_MAX - 0.5f);
    return made;
}

int main(void)
{
    float *x = floats(B * C, 1), *w1 = floats(C * H, 0.1f), *w2 = floats(H * C, 0.1f);
    float *dw1 = floats(C * H, 0), *dw2 = floats(H * C, 0), loss = 0;
    for (int step = 0; step < STEPS; step++) {
        float *h = floats(B * H, 0), *g = floats(B * H, 0), *y = floats(B * C, 0);
        float *dy = floats(B * C, 0), *dg = floats(B * H, 0), *dh = floats(B * H, 0);
        float *dx = floats(B * C, 0);
        PIT_SPAN("step") {
            matmul_forward(h, x, w1, B, C, H);
            gelu_forward(g, h, B * H);
            matmul_forward(y, g, w2, B, H, C);
            loss = 0;
            for (int i = 0; i < B * C; i++) {
                dy[i] = y[i] - x[i];
                loss += dy[i] * dy[i] / (B * C);
            }
            matmul_backward(dg, dw2, dy, g, w2, B, H, C);
            gelu_backward(dh, h, dg, B * H);
            matmul_backward(dx, dw1, dh, x, w1, B, C, H);
            update(w1, dw1, C * H);
            update(w2, dw2, H * C);
        }
        free(h), free(g), free(y), free(dy), free(dg), free(dh), free(dx);
    }
    printf("loss %g\n", (double)loss);
    free(x), free(w1), free(w2), free(dw1), free(dw2);
    return 0;
}

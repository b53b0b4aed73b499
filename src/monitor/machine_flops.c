/* machine_flops.c: the measured peak performance of one core.
 *
 * Multiply-adds on more independent sums than the processor has in flight, in registers, with the widest
 * vectors that it has and that we have a loop for: nothing waits for a result or for memory. The fastest of
 * some short batches counts. This is what a program could reach on this machine now, with its other load
 * and clock frequency; not the figure of a data sheet. */
#include "pitwall_bench.h"

#include "base/clock_ns.h"

#include <stdatomic.h>
#include <time.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { SUMS = 12, ROUNDS = 20000, BATCHES = 15 };

/* A factor below 1 keeps the sums finite, however long it runs. */
#define FACTOR 0.999
#define ADDEND 0.001

/* Runs ROUNDS rounds; returns the number of operations. */
typedef double flops_loop(void);

#define EACH_SUM(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define DECLARE_SUM(i_) sum##i_ = one,
#define HIDE_SUM(i_) __asm__ volatile("" : "+m"(sum##i_));
#define USE_SUM(i_) __asm__ volatile("" : : "m"(sum##i_));

/* The body for a vector type: how to fill all lanes with a constant, and a multiply-add STEP(i). Sums are
 * variables, not an array, so that they stay in registers; the compiler must not know that they start with
 * the same value, or it would keep only one. */
#define FLOPS_BODY(vector_, set_, step_)                                                           \
    vector_ one = set_(1.0), factor = set_(FACTOR), addend = set_(ADDEND);                         \
    vector_ EACH_SUM(DECLARE_SUM) unused = one;                                                    \
    (void)unused;                                                                                  \
    EACH_SUM(HIDE_SUM)                                                                             \
    for (int round = 0; round < ROUNDS; round++) {                                                 \
        EACH_SUM(step_)                                                                            \
    }                                                                                              \
    EACH_SUM(USE_SUM)                                                                              \
    const size_t lanes = sizeof one / sizeof(double);                                              \
    return 2.0 * (double)lanes * SUMS * ROUNDS;

#if defined(__x86_64__)

#define SSE_STEP(i_) sum##i_ = _mm_add_pd(_mm_mul_pd(sum##i_, factor), addend);
#define FMA_STEP(i_) sum##i_ = _mm256_fmadd_pd(sum##i_, factor, addend);
#define AVX512_STEP(i_) sum##i_ = _mm512_fmadd_pd(sum##i_, factor, addend);

static double sse_loop(void)
{
    FLOPS_BODY(__m128d, _mm_set1_pd, SSE_STEP)
}

__attribute__((target("avx2,fma"))) static double fma_loop(void)
{
    FLOPS_BODY(__m256d, _mm256_set1_pd, FMA_STEP)
}

__attribute__((target("avx512f"))) static double avx512_loop(void)
{
    FLOPS_BODY(__m512d, _mm512_set1_pd, AVX512_STEP)
}

static size_t loops_here(flops_loop *loops[3])
{
    size_t count = 0;
    loops[count++] = sse_loop;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        loops[count++] = fma_loop;
    if (__builtin_cpu_supports("avx512f"))
        loops[count++] = avx512_loop;
    return count;
}

#else

#if defined(__aarch64__)
#define PLAIN_VECTOR float64x2_t
#define PLAIN_SET vdupq_n_f64
#define PLAIN_STEP(i_) sum##i_ = vfmaq_f64(addend, sum##i_, factor);
#else
#define PLAIN_VECTOR double
#define PLAIN_SET
#define PLAIN_STEP(i_) sum##i_ = sum##i_ * factor + addend;
#endif

static double plain_loop(void)
{
    FLOPS_BODY(PLAIN_VECTOR, PLAIN_SET, PLAIN_STEP)
}

static size_t loops_here(flops_loop *loops[3])
{
    loops[0] = plain_loop;
    return 1;
}

#endif

static double now_seconds(void)
{
    return 1e-9 * (double)pit__clock_ns(CLOCK_MONOTONIC);
}

/* Try all loops: wider vectors may lower the clock frequency and are not always the fastest. */
static double measure(void)
{
    flops_loop *loops[3];
    size_t count = loops_here(loops);
    double best = 0;
    for (int batch = 0; batch < BATCHES; batch++)
        for (size_t i = 0; i < count; i++) {
            double begin = now_seconds(), flops = loops[i](), took = now_seconds() - begin;
            if (took > 0 && flops / took > best)
                best = flops / took;
        }
    return best;
}

/* If several threads call it at once, all measure; each result is valid, and the last one is kept. */
PIT_API double pit_machine_flops(void)
{
    static _Atomic double cached;
    double known = atomic_load(&cached);
    if (known == 0) {
        known = measure();
        atomic_store(&cached, known);
    }
    return known;
}

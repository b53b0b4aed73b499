/* Saving a profile, as a pipeline does at its end; and the benchmark of an empty function. */
#include "bench.h"

#include <pitwall_bench.h>

enum { SAVES = 60, TRIALS = 50 };

static void do_nothing(void *argument)
{
    (void)argument;
}

int main(void)
{
    static double ms[SAVES];
    char path[4096];
    bench_run_path(path, sizeof path, "profile/runtime_profile.json");
    pit_bench_options options = {.trials = TRIALS};
    pit_bench_result result;
    int code = pit_bench(do_nothing, NULL, &options, &result);
    if (code)
        bench_fail("pit_bench", pit_strerror(code));
    bench_print("bench_empty_ns", result.median * 1e9);
    pit_model model = {.name = "MVAR", .latent_dim = 20, .lag = 5};
    pit_profile profile;
    code = pit_profile_build(&profile, &model, 12.5, &result, &result, 100, 8);
    if (code)
        bench_fail("pit_profile_build", pit_strerror(code));
    for (int i = 0; i < SAVES; i++) {
        uint64_t start = bench_monotonic_ns();
        code = pit_profile_save(path, &profile);
        if (code)
            bench_fail(path, pit_strerror(code));
        ms[i] = 1e-6 * (double)(bench_monotonic_ns() - start);
    }
    bench_print("save_profile_ms", bench_quantile(ms, SAVES, 0.5));
    pit_profile_free(&profile);
    pit_bench_free(&result);
    return 0;
}

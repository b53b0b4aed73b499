/* See run_gpu.h. */
#include "run_gpu.h"

#include "report/units.h"

#include <math.h>
#include <stdio.h>

static size_t channel_of(const pit_run *run, size_t number, const char *what)
{
    char key[64];
    snprintf(key, sizeof key, "gpu%zu_%s", number, what);
    return pit_run_channel(run, key);
}

struct along {
    double most, mean, last;
};

/* Combine all points by each channel's rule, and the newest reading. */
static struct along along(const pit_run *run, size_t number, const char *what)
{
    struct along sum = {NAN, NAN, NAN};
    size_t channel = channel_of(run, number, what), count = 0;
    double total = 0;
    if (channel == PIT_NO_CHANNEL || !run->has_samples)
        return sum;
    for (size_t i = 0; i <= run->sample_count; i++) {
        const pit_sample *sample = i < run->sample_count ? &run->samples[i] : &run->newest;
        sum.last = pit_channel_figure(&run->channels[channel], sample->values[channel]);
        if (isnan(sum.last))
            continue;
        sum.most = fmax(sum.most, sum.last); /* fmax ignores NaN */
        total += sum.last;
        count++;
    }
    sum.mean = count ? total / (double)count : NAN;
    return sum;
}

int pit__run_gpu_of(const pit_run *run, size_t number, struct pit__run_gpu *gpu)
{
    size_t memory = channel_of(run, number, "memory_bytes");
    if (memory == PIT_NO_CHANNEL)
        return 0;
    struct along used = along(run, number, "memory_bytes");
    *gpu = (struct pit__run_gpu){.number = number,
                                 .busy = along(run, number, "busy").mean,
                                 .memory = used.last,
                                 .memory_most = used.most,
                                 .memory_total = along(run, number, "memory_total_bytes").most,
                                 .power = along(run, number, "power_w").mean,
                                 .temperature = along(run, number, "temperature_c").most,
                                 .missing = run->channels[memory].missing};
    return 1;
}

int pit__run_gpu_fullest(const pit_run *run, int is_last, struct pit__run_gpu *gpu)
{
    struct pit__run_gpu other;
    double fullest = 0;
    for (size_t i = 0; pit__run_gpu_of(run, i, &other); i++) {
        double share = (is_last ? other.memory : other.memory_most) / other.memory_total;
        if (!(share > fullest))
            continue;
        fullest = share;
        *gpu = other;
    }
    return fullest > 0;
}

void pit__run_gpu_words(const struct pit__run_gpu *gpu, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    const char *before = " ";
    pit__text_printf(text, "gpu%zu", gpu->number);
    if (!isnan(gpu->busy)) {
        pit__text_printf(text, " %s busy", pit__unit_percent_words(a, gpu->busy));
        before = ", ";
    }
    if (!isnan(gpu->memory_most)) {
        pit__text_printf(text, "%smemory at most %s of %s", before,
                         pit__unit_bytes_words(a, gpu->memory_most),
                         pit__unit_bytes_words(b, gpu->memory_total));
        before = ", ";
    }
    if (!isnan(gpu->power)) {
        pit__text_printf(text, "%s%s", before, pit__unit_power(a, gpu->power));
        before = ", ";
    }
    if (!isnan(gpu->temperature))
        pit__text_printf(text, "%sat most %.0f C", before, gpu->temperature);
    if (gpu->missing) {
        pit__text_printf(text, "%sn/a: ", isnan(gpu->busy) ? " " : ", memory ");
        pit__text_add_visible(text, gpu->missing);
    }
}

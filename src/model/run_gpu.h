/* run_gpu.h: the GPUs of a run, by the channels gpu0_…, gpu1_…, … */
#ifndef PIT_RUN_GPU_H
#define PIT_RUN_GPU_H

#include "pitwall_report.h"

#include "report/text.h"

/* NaN where a figure is not known. */
struct pit__run_gpu {
    size_t number;
    double busy;                /* share of the time; mean of the readings */
    double memory, memory_most; /* bytes in use: newest reading, maximum */
    double memory_total;        /* total memory */
    double power, temperature;  /* watts, mean; degrees Celsius, maximum */
    const char *missing;        /* why its memory is not known; NULL */
};

/* Fill in GPU `number`; returns 0 if the run has no channels of it. */
int pit__run_gpu_of(const pit_run *run, size_t number, struct pit__run_gpu *gpu);

/* The GPU with the least free memory, by the newest reading (is_last) or by all. Returns 0 if none is
 * known. */
int pit__run_gpu_fullest(const pit_run *run, int is_last, struct pit__run_gpu *gpu);

/* "gpu0 64 % busy, memory at most 3.10 GB of 80.0 GB, 250 W" */
void pit__run_gpu_words(const struct pit__run_gpu *gpu, struct pit__text *text);

#endif

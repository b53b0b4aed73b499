/* device.h: device calls made by spans, and clocks for device times. */
#ifndef PIT_DEVICE_H
#define PIT_DEVICE_H

#include "recorder.h"

/* device.c: wait until all work of the process's device is done. */
void pit__device_wait(void);

/* Call the functions given to pit_before_close. */
void pit__ask_before_close(void);

/* recorder_ask.c: convert a reading of CLOCK_MONOTONIC_RAW to ticks, at least the run's begin. */
uint64_t pit__ticks_of_raw(const pit_recorder *rec, uint64_t raw_ns);

#endif

/* device.h: what spans ask of devices, and clocks for what devices tell. */
#ifndef PIT_DEVICE_H
#define PIT_DEVICE_H

#include "recorder.h"

/* device.c: until all work of the process's device is done. */
void pit__device_wait(void);

/* Call what pit_before_close was given. */
void pit__ask_before_close(void);

/* recorder_ask.c: the ticks of a reading of CLOCK_MONOTONIC_RAW, not before the run's begin. */
uint64_t pit__ticks_of_raw(const pit_recorder *rec, uint64_t raw_ns);

#endif

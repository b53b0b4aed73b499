/* gpu_table.h: the GPUs of this machine and their newest figures.
 *
 * GPUs are found by the kernel's lists of drivers in /sys; without a GPU this costs four file lookups.
 * A separate thread makes all calls of their libraries and reads all their files: a call that takes two
 * seconds, or never returns, delays nothing else. The thread is started if a GPU was found, and reads
 * once whenever figures are requested. It shares the program's table of descriptors, because libraries
 * keep descriptor numbers for all threads of a process. */
#ifndef PIT_GPU_TABLE_H
#define PIT_GPU_TABLE_H

#include "sysfs_root.h"

#include <stddef.h>
#include <stdint.h>

#define PIT__GPUS 16
#define PIT__GPU_UPDATE_NS 100000000u /* a GPU's counters are updated at least that often */
#define PIT__GPU_WHY 72               /* as long as a channel's reason may be */

enum pit__gpu_kind { PIT__GPU_NVIDIA, PIT__GPU_AMD, PIT__GPU_INTEL };

enum pit__gpu_figure {
    PIT__GPU_BUSY,         /* percent */
    PIT__GPU_MEMORY,       /* bytes in use, by all processes */
    PIT__GPU_MEMORY_TOTAL, /* bytes */
    PIT__GPU_OWN_MEMORY,   /* bytes of this process */
    PIT__GPU_POWER,        /* milliwatts */
    PIT__GPU_TEMPERATURE,  /* thousandths of a degree Celsius */
    PIT__GPU_CLOCK,        /* Hz */
    PIT__GPU_MEMORY_CLOCK, /* Hz */
    PIT__GPU_PCIE,         /* bytes per second, both ways */
    PIT__GPU_ENERGY,       /* microjoules, of a counter */
    PIT__GPU_FIGURES
};

struct pit__gpu {
    enum pit__gpu_kind kind;
    char driver[8];
    char address[16];                   /* on the PCI bus: 0000:3b:00.0 */
    uint64_t figures[PIT__GPU_FIGURES]; /* written by the thread; PIT__UNKNOWN */
    const char *why;                    /* why figures are unknown; NULL */
    char texts[2][PIT__GPU_WHY];        /* the texts of `why`, used alternately */
    /* used only by the thread */
    void *handle;          /* of the library */
    uint32_t number;       /* by the library */
    int is_ready;          /* the library was asked for it */
    char hwmon[16];        /* its folder's name; "" if there is none */
    uint64_t energy_at_ns; /* when the counter was read, to compute the power */
    int has_counter;       /* the library gives its energy: no file is read for it */
};

struct pit__gpus {
    size_t count;
    const char *why; /* why there is no GPU; NULL if there are some */
    struct pit__gpu list[PIT__GPUS];
};

/* The GPUs that the program may use (CUDA_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES). Searched at the first
 * call; never NULL. */
struct pit__gpus *pit__gpus_find(void);

/* Start the thread; once per process, and only if there is a GPU. All signals should be blocked. */
void pit__gpus_start(void);

/* Request new figures, which arrive later. */
void pit__gpus_ask(void);

/* 1 if the thread is stuck in a call; `why` gets the reason. */
int pit__gpus_stuck(char *why, size_t room);

/* Bytes of all GPUs: those of the process if known for each, else those in use; 0: not known. */
uint64_t pit__gpus_memory(void);

/* ---- for the readers: only on the thread --------------------------------------------------------- */

/* Call these around every library call that may hang: the first gives its name, the second says that it
 * returned. */
void pit__gpu_calls(const char *what);
void pit__gpu_returned(void);

void pit__gpu_set(struct pit__gpu *gpu, enum pit__gpu_figure figure, uint64_t value);

/* Mark all figures, or one figure, as unknown, with the reason. */
void pit__gpu_lost(struct pit__gpu *gpu, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* turn: counted from 0. Figures that change slowly or take long are read in every tenth turn. */
#define PIT__GPU_IS_SLOW_TURN(turn_) ((turn_) % 10 == 0)
void pit__nvml_turn(struct pit__gpus *gpus, uint64_t turn);
void pit__sysfs_gpu_turn(struct pit__gpus *gpus, uint64_t turn);
void pit__rocm_turn(struct pit__gpus *gpus, uint64_t turn);

#endif

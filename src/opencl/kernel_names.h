/* kernel_names.h: which kernel object has which name. A name lives as long as the process. */
#ifndef PIT_KERNEL_NAMES_H
#define PIT_KERNEL_NAMES_H

#include "cl_api.h"

/* The kernel has just been made. What was there by its address before is gone: addresses come again. */
void pit__kernel_made(pit__cl_kernel kernel);

/* The name of its function. */
const char *pit__kernel_name(pit__cl_kernel kernel);

#endif

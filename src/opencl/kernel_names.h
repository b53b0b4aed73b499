/* kernel_names.h: the name of each kernel object. A name lives as long as the process. */
#ifndef PIT_KERNEL_NAMES_H
#define PIT_KERNEL_NAMES_H

#include "cl_api.h"

/* The kernel was just created. It replaces a former one with its address: addresses are reused. */
void pit__kernel_made(pit__cl_kernel kernel);

/* The name of its function. */
const char *pit__kernel_name(pit__cl_kernel kernel);

#endif

/* gpu_driver.h: the calls of the CUDA driver or of HIP that events need, from the library that the
 * program itself has loaded. It loads no library. */
#ifndef PIT_GPU_DRIVER_H
#define PIT_GPU_DRIVER_H

/* Each call returns 0, PIT__GPU_NOT_READY or another code of the library. */
#define PIT__GPU_NOT_READY 600 /* CUDA_ERROR_NOT_READY, hipErrorNotReady */

struct pit__gpu_driver {
    const char *name;               /* "CUDA", "HIP" */
    int (*context)(void **context); /* of the calling thread; NULL: it has none */
    int (*use)(void *context);      /* on the calling thread */
    int (*event_new)(void **event, unsigned flags);
    int (*event_record)(void *event, void *stream);
    int (*event_query)(void *event);
    int (*event_elapsed)(float *ms, void *begin, void *end);
};

/* NULL: the process has loaded neither. May be called again, by one thread. */
const struct pit__gpu_driver *pit__gpu_driver_find(void);

#endif

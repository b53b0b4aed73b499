/* opencl_link.c: see opencl_link.h. A program may have loaded OpenCL for itself only (dlopen), where
 * RTLD_NEXT does not find it: then it is looked up by its soname. */
#include "opencl_link.h"

#include "base/recorder_symbols.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

struct pit__cl_recorder pit__cl_recorder;

static struct pit__cl behind;
static int has_recorder;
static pthread_once_t found_cl = PTHREAD_ONCE_INIT, found_recorder = PTHREAD_ONCE_INIT;

/* Stores the address of a symbol as a function pointer: ISO C does not convert between the two. */
static void take(void *to, void *from)
{
    memcpy(to, &from, sizeof from);
}

static void find_cl(void)
{
    void *library = dlsym(RTLD_NEXT, "clRetainEvent") ? RTLD_NEXT : NULL;
    if (!library)
        library = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_NOLOAD);
#define FIND(name) take(&behind.name, library ? dlsym(library, #name) : NULL);
    PIT__CL_CALLED(FIND)
    PIT__CL_STOOD_BEFORE(FIND)
#undef FIND
}

static void find_recorder(void)
{
    static const char *const names[] = {"pit__enabled",    "pit_position",     "pit_add_span",
                                        "pit_add_bytes",   "pit_before_close", "pit_add_fact",
                                        "pit_thread_name", "pit__begin",       "pit__end"};
    enum { COUNT = sizeof names / sizeof names[0] };
    void *found[COUNT];
    if (!pit__recorder_symbols(names, found, COUNT, COUNT))
        return;
    struct pit__cl_recorder *rec = &pit__cl_recorder;
    void *to[COUNT] = {&rec->enabled,     &rec->place,        &rec->add,
                       &rec->add_bytes,   &rec->before_close, &rec->add_fact,
                       &rec->thread_name, &rec->begin,        &rec->end};
    for (size_t i = 0; i < COUNT; i++)
        take(to[i], found[i]);
    has_recorder = 1;
}

const struct pit__cl *pit__cl(void)
{
    pthread_once(&found_cl, find_cl);
    return &behind;
}

int pit__cl_records(void)
{
    pthread_once(&found_recorder, find_recorder);
    return has_recorder && __atomic_load_n(pit__cl_recorder.enabled, __ATOMIC_RELAXED);
}

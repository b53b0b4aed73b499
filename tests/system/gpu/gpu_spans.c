/* Spans with PIT_DEVICE on a stub of the driver, stub_cuda.c or stub_hip.c: each launches 5 ms of device
 * work and does not wait for it.
 *
 *   gpu_spans arrive     until ten spans have device times
 *   gpu_spans go_on      until the library was called nine times, then 20 more spans
 *   gpu_spans told       until the run reports that the driver failed, then 20 more spans
 *   gpu_spans close      as arrive, then the program closes the library, then 20 more spans
 *   gpu_spans real       on the real library: runs of one span each, until one has the reason why there is
 *                        no device time
 *
 * The second argument is the library's name.
 */
#include <dlfcn.h>
#include <pitwall.h>
#include <pitwall_report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*work)(unsigned long long ns);
static unsigned long long (*questions)(void);

static unsigned long long device_spans(void)
{
    pit_run *run = pit_run_read(NULL, NULL);
    unsigned long long count = 0;
    for (size_t t = 0; run && t < run->thread_count; t++)
        for (size_t i = 0; i < run->threads[t].node_count; i++)
            if (run->threads[t].nodes[i].detached == PIT_ON_DEVICE)
                count += run->threads[t].nodes[i].count;
    pit_run_free(run);
    return count;
}

static int is_told(void)
{
    pit_run *run = pit_run_read(NULL, NULL);
    int told = run && pit_run_fact(run, "device_events") != NULL;
    pit_run_free(run);
    return told;
}

static void step(void)
{
    PIT_SPAN_WITH("step", PIT_DEVICE)
    {
        if (work)
            work(5000000);
    }
}

static int real(void)
{
    for (int tries = 0; tries < 600; tries++) {
        pit_open("real.pit", NULL);
        step();
        pit_close();
        pit_run *run = pit_run_open("real.pit", NULL);
        const char *why = run ? pit_run_fact(run, "device_events") : NULL;
        if (why && puts(why) >= 0)
            return 0;
        pit_run_free(run);
        unlink("real.pit");
    }
    return 1;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "arrive";
    void *library = dlopen(argc > 2 ? argv[2] : "libcuda.so.1", RTLD_NOW);
    if (!library)
        return 3;
    if (strcmp(how, "real") == 0)
        return real();
    void *symbol = dlsym(library, "stub_work"), *asked = dlsym(library, "stub_questions");
    memcpy(&work, &symbol, sizeof work);
    memcpy(&questions, &asked, sizeof questions);
    int steps = 0, is_there = 0;
    /* for a minute, as a limit for a hang */
    for (int tries = 0; tries < 6000 && !is_there; tries++) {
        step();
        steps++;
        usleep(10000);
        is_there = strcmp(how, "arrive") == 0 || strcmp(how, "close") == 0 ? device_spans() >= 10
                   : strcmp(how, "told") == 0                              ? is_told()
                                                                           : questions() >= 9;
    }
    if (strcmp(how, "close") == 0) {
        work = NULL;
        dlclose(library);
    }
    for (int i = 0; i < 20; i++, steps++)
        step();
    printf("steps %d\nthere %d\n", steps, is_there);
    return 0;
}

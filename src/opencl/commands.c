/* commands.c: see commands.h.
 *
 * A launch only appends to a list. A separate thread checks, every hundredth of a second and when the list
 * grows long, which commands are complete; it passes their times to the recorder and releases their events.
 * It only asks and never waits for a device. Commands that are complete when the recorder closes or the
 * program ends are added then; others are not reported, and their events not released.
 */
#include "commands.h"

#include "base/device_clock.h"
#include "opencl_link.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_QUEUES 256u
#define MOST_DEVICES 16u
#define AT_ONCE 4096u     /* launches between two turns */
#define WAKE_EVERY 512u   /* launches after which the thread is woken */
#define MOST_OPEN 65536u  /* commands that are not complete */
#define TURN_NS 10000000u /* while there are launches */
#define QUIET_TURNS 100u  /* turns without a launch until the thread sleeps */
#define LAST_WAIT_S 2     /* at the end, for a turn that does not return */

struct device {
    pit__cl_device id;
    struct pit__device_clock clock;
    uint64_t odd_queued; /* how often `queued` contradicted the other times */
    uint64_t told_error; /* of the clock, in the last fact; 0: none */
    uint64_t last_error;
    int has_error;
    char name[80];
};

struct queue {
    pit__cl_queue id; /* NULL: another queue has its address now */
    struct device *device;
    int is_in_order;
    uint64_t blocked_in; /* turn in which its first open command was found; used by the turn */
};

struct command {
    pit__cl_event event;
    const char *name;
    uint64_t place, bytes, before_ns, after_ns;
    struct queue *queue;
};

/* Data used by launches, guarded by `filling`. Queues and devices never move. */
static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static struct command *list, lists[2][AT_ONCE];
static size_t listed;
static uint64_t dropped; /* launches for which there was no room */
static int has_thread, is_asleep;
static struct queue queues[MOST_QUEUES];
static size_t queue_count; /* grows */
static struct device devices[MOST_DEVICES];
static size_t device_count;

/* Guarded by `turning`. */
static pthread_mutex_t turning = PTHREAD_MUTEX_INITIALIZER;
static struct command *open_commands;
static size_t open_count, open_room;
static uint64_t turn, untimed, lost;

static int is_over; /* the program ends, or this is a forked child */

/* ---- queues ---------------------------------------------------------------------------------- */

static struct device *device_of(pit__cl_device id)
{
    for (size_t i = 0; i < device_count; i++)
        if (devices[i].id == id)
            return &devices[i];
    if (device_count == MOST_DEVICES)
        return NULL;
    struct device *made = &devices[device_count++];
    made->id = id;
    const struct pit__cl *cl = pit__cl();
    if (!cl->clGetDeviceInfo || cl->clGetDeviceInfo(id, PIT__CL_DEVICE_NAME, sizeof made->name - 1,
                                                    made->name, NULL) != PIT__CL_SUCCESS)
        snprintf(made->name, sizeof made->name, "device %zu", device_count - 1);
    return made;
}

void pit__queue_made(pit__cl_queue queue, pit__cl_device device, int is_in_order)
{
    pthread_mutex_lock(&filling);
    for (size_t i = 0; i < queue_count; i++)
        if (queues[i].id == queue)
            __atomic_store_n(&queues[i].id, NULL, __ATOMIC_RELAXED);
    struct device *of = queue_count < MOST_QUEUES ? device_of(device) : NULL;
    if (of) {
        queues[queue_count] = (struct queue){queue, of, is_in_order, 0};
        __atomic_store_n(&queue_count, queue_count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&filling);
}

/* The newest are checked first. NULL: its creation was not seen. */
static struct queue *queue_of(pit__cl_queue id)
{
    for (size_t i = __atomic_load_n(&queue_count, __ATOMIC_ACQUIRE); i-- > 0;)
        if (__atomic_load_n(&queues[i].id, __ATOMIC_RELAXED) == id)
            return &queues[i];
    return NULL;
}

/* ---- a command that is complete -------------------------------------------------------------- */

static int read_time(pit__cl_event event, uint32_t what, uint64_t *ns)
{
    return pit__cl()->clGetEventProfilingInfo(event, what, sizeof *ns, ns, NULL) == PIT__CL_SUCCESS;
}

/* Work does not begin before its launch and has ended when it is seen to be complete; it was queued
 * inside the call. If a device's `queued` contradicts that, it is no longer used. */
static void learn_clock(struct device *device, const struct command *command,
                        const uint64_t times[3], uint64_t seen_ns)
{
    struct pit__device_clock *clock = &device->clock;
    uint64_t restarts = clock->restarts;
    pit__device_clock_add(clock, times[1], command->before_ns, PIT__NO_TIME);
    pit__device_clock_add(clock, times[2], PIT__NO_TIME, seen_ns);
    if (device->odd_queued > 4)
        return;
    pit__device_clock_add(clock, times[0], command->before_ns, command->after_ns);
    device->odd_queued += clock->restarts > restarts;
}

static void tell_clock(const struct device *device, uint64_t error)
{
    char text[200];
    int used = snprintf(text, sizeof text,
                        "OpenCL %s: times of its work lie within %.1f us on the host's time line",
                        device->name, (double)error / 1000);
    if (untimed + lost > 0 && used > 0 && (size_t)used < sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, "; %" PRIu64 " commands without times",
                 untimed + lost);
    pit__cl_recorder.add_fact("device_clock", text);
}

static void tell(const struct command *command, uint64_t seen_ns)
{
    static const uint32_t whats[] = {PIT__CL_PROFILING_QUEUED, PIT__CL_PROFILING_START,
                                     PIT__CL_PROFILING_END};
    struct device *device = command->queue->device;
    uint64_t times[3], error;
    int64_t offset;
    for (size_t i = 0; i < 3; i++)
        if (!read_time(command->event, whats[i], &times[i])) {
            untimed++;
            return;
        }
    learn_clock(device, command, times, seen_ns);
    if (!pit__device_clock_offset(&device->clock, &offset, &error)) {
        untimed++;
        return;
    }
    device->last_error = error;
    device->has_error = 1;
    if (device->told_error == 0 || error < device->told_error / 4) {
        device->told_error = error + 1;
        tell_clock(device, error);
    }
    uint64_t queued = times[0] + (uint64_t)offset, start = times[1] + (uint64_t)offset;
    uint64_t work = pit__cl_recorder.add(command->place, command->name, PIT_DEVICE, start,
                                         times[2] + (uint64_t)offset);
    if (command->bytes > 0)
        pit__cl_recorder.add_bytes(work, command->bytes);
    if (work && times[0] <= times[1])
        pit__cl_recorder.add(work, "queued", PIT_DEVICE, queued, start);
}

/* Returns 1 if the command is finished. */
static int look_at(const struct command *command)
{
    int32_t status = 0;
    const struct pit__cl *cl = pit__cl();
    if (command->queue->is_in_order && command->queue->blocked_in == turn)
        return 0;
    if (cl->clGetEventInfo(command->event, PIT__CL_EVENT_STATUS, sizeof status, &status, NULL) !=
        PIT__CL_SUCCESS)
        status = -1;
    if (status > PIT__CL_COMPLETE) {
        command->queue->blocked_in = turn;
        return 0;
    }
    if (status == PIT__CL_COMPLETE)
        tell(command, pit__raw_ns());
    else
        untimed++;
    cl->clReleaseEvent(command->event);
    return 1;
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* Move the list of launches into the turn. 0: it was empty. */
static size_t take_list(void)
{
    pthread_mutex_lock(&filling);
    struct command *taken = list;
    size_t count = listed;
    lost += dropped;
    dropped = 0;
    list = list == lists[0] ? lists[1] : lists[0];
    listed = 0;
    pthread_mutex_unlock(&filling);
    if (count > open_room - open_count && open_count + count <= MOST_OPEN) {
        size_t room = (open_count + count) * 2;
        struct command *larger = realloc(open_commands, room * sizeof *larger);
        if (larger) {
            open_commands = larger;
            open_room = room;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (open_count < open_room) {
            open_commands[open_count++] = taken[i];
        } else {
            pit__cl()->clReleaseEvent(taken[i].event);
            lost++;
        }
    return count;
}

/* Returns how many commands were checked. */
static size_t take_turn(void)
{
    size_t count = take_list() + open_count, kept = 0;
    turn++;
    for (size_t i = 0; i < open_count; i++)
        if (!look_at(&open_commands[i]))
            open_commands[kept++] = open_commands[i];
    open_count = kept;
    return count;
}

static struct timespec after(clockid_t clock, uint64_t ns)
{
    struct timespec at;
    clock_gettime(clock, &at);
    ns += (uint64_t)at.tv_nsec;
    at.tv_sec += (time_t)(ns / 1000000000u);
    at.tv_nsec = (long)(ns % 1000000000u);
    return at;
}

static void sleep_a_turn(unsigned quiet)
{
    struct timespec until = after(CLOCK_MONOTONIC, TURN_NS);
    pthread_mutex_lock(&filling);
    is_asleep = quiet >= QUIET_TURNS;
    if (is_asleep && listed == 0)
        pthread_cond_wait(&wake, &filling);
    else if (listed < WAKE_EVERY)
        pthread_cond_timedwait(&wake, &filling, &until);
    is_asleep = 0;
    pthread_mutex_unlock(&filling);
}

static void *turner(void *unused)
{
    unsigned quiet = 0;
    pit__cl_recorder.thread_name("pitwall-opencl");
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        sleep_a_turn(quiet);
        pthread_mutex_lock(&turning);
        quiet = !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE) && take_turn() > 0 ? 0 : quiet + 1;
        pthread_mutex_unlock(&turning);
    }
    return unused;
}

/* Before a close: add what is complete by now. Does not wait for a turn that hangs in a driver. */
static void last_turn(void *unused)
{
    (void)unused;
    struct timespec until = after(CLOCK_REALTIME, (uint64_t)LAST_WAIT_S * 1000000000u);
    if (__atomic_load_n(&is_over, __ATOMIC_ACQUIRE) ||
        pthread_mutex_timedlock(&turning, &until) != 0)
        return;
    take_turn();
    for (size_t i = 0; i < device_count; i++)
        if (devices[i].has_error)
            tell_clock(&devices[i], devices[i].last_error);
    pthread_mutex_unlock(&turning);
}

/* OpenCL was loaded before this was registered, so it is still usable here. */
static void at_exit(void)
{
    last_turn(NULL);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
}

static void in_child(void)
{
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
}

/* With `filling`. */
static void start_thread(void)
{
    pthread_condattr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    has_thread = 1;
    list = lists[0];
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_atfork(NULL, NULL, in_child);
    atexit(at_exit);
    pit__cl_recorder.before_close(last_turn, NULL);
    sigfillset(&all);
    sigdelset(&all, SIGSYS); /* raised by a system call of this thread that a sandbox traps */
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's threads */
    if (pthread_create(&thread, NULL, turner, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- launches -------------------------------------------------------------------------------- */

struct pit__launch pit__launch_begin(void)
{
    struct pit__launch launch = {0, 0, 0};
    if (!pit__cl_records() || __atomic_load_n(&is_over, __ATOMIC_RELAXED))
        return launch;
    launch.is_on = 1;
    launch.place = pit__cl_recorder.place();
    launch.before_ns = pit__raw_ns();
    return launch;
}

/* 1: it is in the list. */
static int append(const struct command *command)
{
    pthread_mutex_lock(&filling);
    if (!has_thread)
        start_thread();
    int has_room = listed < AT_ONCE;
    if (has_room)
        list[listed++] = *command;
    else
        dropped++;
    int is_due = is_asleep || (has_room && listed % WAKE_EVERY == 0);
    pthread_mutex_unlock(&filling);
    if (is_due)
        pthread_cond_signal(&wake);
    return has_room;
}

int32_t pit__launch_end(const struct pit__launch *launch, int32_t code, pit__cl_queue queue,
                        const char *name, uint64_t bytes, pit__cl_event event, int is_own)
{
    if (!launch->is_on || code != PIT__CL_SUCCESS || !event)
        return code;
    uint64_t after_ns = pit__raw_ns();
    struct command command = {event,    name,           launch->place, bytes, launch->before_ns,
                              after_ns, queue_of(queue)};
    if (!is_own && pit__cl()->clRetainEvent(event) != PIT__CL_SUCCESS)
        return code;
    if (!command.queue || !append(&command))
        pit__cl()->clReleaseEvent(event);
    return code;
}

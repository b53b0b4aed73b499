/* The kernel's ring of samples: its contents, that it keeps no descriptor, and that a child does not
 * inherit it. */
#include "recorder/native_event.h"

#include "base/stack_event.h"
#include "check.h"
#include "format/ordered.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <time.h>

static struct pit__native_event event;

/* Returns 0 if the machine has no perf events: an emulator, or forbidden. */
static int start(double hz)
{
    int error = pit__native_event_start(&event, hz);
    if (!error)
        return 1;
    CHECK(!event.ring);
    CHECK(pit__stack_event_reason(error)[0] && pit__stack_event_remedy(error)[0]);
    CHECK(error == ENOSYS || error == EACCES || error == EPERM || getenv("PITWALL_EMULATED"));
    return 0;
}

static volatile double sink;

__attribute__((noinline)) static void work(void)
{
    for (int i = 0; i < 100000; i++)
        sink = sink * 0.5 + 1;
}

/* Work until such a record arrives. */
static struct pit__native_record wait_for(enum pit__native_record_kind kind)
{
    struct pit__native_record record;
    do {
        work();
        while (pit__native_event_next(&event, &record) && record.kind != kind) {
        }
    } while (record.kind != kind);
    return record;
}

TEST(samples_say_where_and_when)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC_RAW, &before);
    if (!start(1000))
        return;
    struct pit__native_record record = wait_for(PIT__NATIVE_SAMPLE);
    clock_gettime(CLOCK_MONOTONIC_RAW, &after);
    CHECK(record.address > 4096);
    CHECK(record.raw_ns <= (uint64_t)after.tv_sec * 1000000000u + (uint64_t)after.tv_nsec);
    CHECK(record.raw_ns + 1000000000u >= (uint64_t)before.tv_sec * 1000000000u);
    pit__native_event_stop(&event);
}

TEST(the_program_finds_no_descriptor_and_samples_go_on)
{
    int free_before = dup(0), free_after;
    close(free_before);
    if (!start(1000))
        return;
    free_after = dup(0);
    close(free_after);
    CHECK_INT(free_after, free_before);
    for (int i = 0; i < 3; i++)
        wait_for(PIT__NATIVE_SAMPLE);
    pit__native_event_stop(&event);
    pit__native_event_stop(&event); /* twice is fine */
    struct pit__native_record record;
    CHECK(!pit__native_event_next(&event, &record));
}

TEST(what_the_ring_has_no_room_for_is_counted)
{
    if (!start(50000))
        return;
    /* The kernel says how many it lost with the first record that fits again. */
    while (PIT_LOAD_ACQUIRE(event.ring->data_head) + 64 < event.ring_bytes - event.page_bytes)
        work();
    for (int i = 0; i < 20; i++)
        work();
    CHECK(wait_for(PIT__NATIVE_LOST).lost > 0);
    wait_for(PIT__NATIVE_SAMPLE);
    pit__native_event_stop(&event);
}

TEST(code_that_is_mapped_is_told)
{
    if (!start(1))
        return;
    void *page = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(page != MAP_FAILED);
    struct pit__native_record record = wait_for(PIT__NATIVE_MAPPED);
    CHECK_INT(record.address, (uint64_t)(uintptr_t)page);
    CHECK_INT(record.bytes, 8192);
    pit__native_event_stop(&event);
}

/* So it must not be used there, and cannot be drained as if it were the child's. */
TEST(a_child_of_fork_has_no_ring)
{
    if (!start(1000))
        return;
    pid_t pid = fork();
    if (pid == 0) {
        unsigned char seen;
        int is_mapped = mincore(event.ring, event.page_bytes, &seen) == 0;
        _exit(is_mapped);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    wait_for(PIT__NATIVE_SAMPLE);
    pit__native_event_stop(&event);
}

TEST(every_refusal_has_a_reason_and_a_remedy)
{
    const int errors[] = {EACCES, EPERM, ENOSYS, EINVAL, ENOENT, EOPNOTSUPP, EMFILE, ENOMEM, 0};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        CHECK(strlen(pit__stack_event_reason(errors[i])) < 104); /* its room in the run */
        CHECK(strlen(pit__stack_event_reason(errors[i])) > 10);
        CHECK(strlen(pit__stack_event_remedy(errors[i])) > 10);
    }
}

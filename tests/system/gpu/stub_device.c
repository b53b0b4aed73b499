/* A simulated device: its work is reported by pit_add_span. Each piece takes a fixed share of the host time
 * measured so far, so that the shares stay the same if the program is stopped anywhere.
 *
 *   stub_device idle      data_loading takes half of the time, the device works an eighth of it
 *   stub_device launch    small pieces: the host needs four times as long as the device for each
 *   stub_device sync      half of the time in clFinish, the device works a quarter of it
 *   stub_device healthy   the device works nine tenths of each step
 */
#include <pitwall.h>
#include <string.h>
#include <time.h>

enum { STEPS = 60, LAUNCHES = 4, STEP_NS = 4000000 };

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t spin(uint64_t from, uint64_t ns)
{
    while (now_ns() - from < ns) {
    }
    return now_ns();
}

/* Add work that ended now and took this share of the time since `from`. Returns its end. */
static uint64_t work(uint64_t place, uint64_t from, double share)
{
    uint64_t now = now_ns(), begin = now - (uint64_t)((double)(now - from) * share);
    uint64_t added = pit_add_span(place, "kernel", PIT_DEVICE, begin, now);
    pit_add_span(added, "queued", PIT_DEVICE, begin, begin);
    return now;
}

/* start of the program; time so far in the part that is planted; end of the last piece of work */
static uint64_t start_ns, part_ns, last_ns;

static int is_half(void)
{
    return 2 * part_ns >= now_ns() - start_ns;
}

/* Continue the part until it has taken half of the program's time, and at least half of a step. */
static void until_half(const char *name)
{
    pit_token token = pit_begin_name(name);
    uint64_t begin = now_ns(), before = part_ns;
    do {
        spin(begin, STEP_NS / 2);
        part_ns = before + now_ns() - begin;
    } while (!is_half());
    pit_end(token);
}

static void step(const char *how)
{
    uint64_t from = now_ns(), place = 0;
    PIT_SPAN("step") {
        if (strcmp(how, "launch") != 0) {
            PIT_SPAN("forward") {
                spin(now_ns(), STEP_NS / 4);
                place = pit_position();
            }
        }
        if (strcmp(how, "idle") == 0)
            until_half("data_loading");
        if (strcmp(how, "sync") == 0)
            until_half("clFinish");
        if (strcmp(how, "launch") == 0)
            PIT_SPAN("forward") {
                for (int i = 0; i < LAUNCHES; i++) {
                    spin(now_ns(), STEP_NS / LAUNCHES);
                    last_ns = work(pit_position(), last_ns, 0.25);
                }
            }
        else
            work(place, from,
                 strcmp(how, "idle") == 0   ? 0.125
                 : strcmp(how, "sync") == 0 ? 0.25
                                            : 0.9);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "healthy";
    int has_part = strcmp(how, "idle") == 0 || strcmp(how, "sync") == 0;
    pit_open("run.pit", NULL);
    start_ns = last_ns = now_ns();
    for (int i = 0; i < STEPS || (has_part && !is_half()); i++)
        step(how);
    return pit_close();
}

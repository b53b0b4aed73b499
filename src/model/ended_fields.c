/* ended_fields.c: the field table of how a process ended. */
#include "fields.h"

#include <stddef.h>

#define NOT_TOLD "not known to the process that started it"

#define HIDDEN(key_, title_, kind_, member_, help_)                                                \
    {                                                                                              \
        .field = {key_, title_, help_}, .kind = kind_, .at = offsetof(pit_ended, member_),         \
        .why = NOT_TOLD                                                                            \
    }
#define FIELD(key_, title_, kind_, member_, help_)                                                 \
    {                                                                                              \
        .field = {key_, title_, help_}, .kind = kind_, .at = offsetof(pit_ended, member_),         \
        .why = NOT_TOLD, .shown = 1                                                                \
    }
#define COMPUTED(key_, title_, kind_, get_, why_, help_)                                           \
    {                                                                                              \
        .field = {key_, title_, help_}, .kind = kind_, .get = get_, .why = why_, .shown = 1        \
    }

static void pid(const void *row, pit_field_value *value)
{
    pit__value_whole(value, (uint64_t)((const pit_ended *)row)->pid);
}

static void exit_status(const void *row, pit_field_value *value)
{
    const pit_ended *ended = row;
    if (ended->exit_signal == 0)
        pit__value_whole(value, (uint64_t)ended->exit_status);
}

static void exit_signal(const void *row, pit_field_value *value)
{
    const pit_ended *ended = row;
    if (ended->exit_signal != 0)
        pit__value_whole(value, (uint64_t)ended->exit_signal);
}

static void dumped_core(const void *row, pit_field_value *value)
{
    pit__value_flag(value, ((const pit_ended *)row)->dumped_core);
}

static const struct pit__field fields[] = {
    {.field = {"pid", "pid", "process id"}, .kind = PIT__COUNT, .get = pid},
    HIDDEN("start_wall_ns", "start", PIT__DURATION, start_wall_ns, "start time, since 1970"),
    FIELD("duration_ns", "duration", PIT__DURATION, duration_ns, "from its start to its end"),
    COMPUTED("exit_status", "exit status", PIT__COUNT, exit_status, "a signal ended it",
             "exit status that it returned"),
    COMPUTED("exit_signal", "signal", PIT__COUNT, exit_signal, "no signal ended it",
             "number of the signal that ended it"),
    COMPUTED("dumped_core", "core dumped", PIT__FLAG, dumped_core, NULL,
             "whether the kernel wrote a core file"),
    FIELD("user_ns", "user", PIT__DURATION, user_ns,
          "CPU time in user mode, including children that it waited for"),
    FIELD("system_ns", "system", PIT__DURATION, system_ns,
          "CPU time in the kernel, including children that it waited for"),
    FIELD("rss_peak_bytes", "peak RSS", PIT__BYTES, rss_peak, "highest RSS of its largest process"),
    FIELD("minor_faults", "minor faults", PIT__COUNT, minor_faults,
          "page faults that needed no storage"),
    FIELD("major_faults", "major faults", PIT__COUNT, major_faults,
          "page faults that read from storage"),
    FIELD("switches", "switches", PIT__COUNT, switches, "context switches because it waited"),
    FIELD("forced_switches", "forced switches", PIT__COUNT, forced_switches,
          "context switches that the kernel forced"),
    FIELD("read_bytes", "read", PIT__BYTES, read_bytes, "bytes read from storage"),
    FIELD("write_bytes", "written", PIT__BYTES, write_bytes, "bytes written to storage"),
    HIDDEN("read_chars", "read calls", PIT__BYTES, read_chars,
           "bytes from read calls, including pipes, terminals and the page cache"),
    HIDDEN("write_chars", "write calls", PIT__BYTES, write_chars,
           "bytes from write calls, including pipes, terminals and the page cache"),
    FIELD("children_seen", "children seen", PIT__COUNT, children,
          "child processes that were seen, at any depth"),
    HIDDEN("oom_kills", "OOM kills", PIT__COUNT, oom_kills,
           "out-of-memory kills of its cgroup, after its end"),
};

const struct pit__field_table pit__ended_fields = {fields, sizeof fields / sizeof fields[0],
                                                   sizeof fields[0]};

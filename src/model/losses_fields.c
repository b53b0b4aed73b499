/* losses_fields.c: the field table of losses: what each count means, and what to do about it. A new
 * loss needs a member of pit_losses, a line in the reader and an entry here. */
#include "fields.h"

#include <stddef.h>

#define LOSS(member_, key_, kind_, help_, one_, many_, advice_)                                    \
    {                                                                                              \
        .field = {.field = {key_, many_, help_},                                                   \
                  .kind = kind_,                                                                   \
                  .at = offsetof(pit_losses, member_),                                             \
                  .merge = PIT__MERGE_SUM,                                                         \
                  .shown = 1,                                                                      \
                  .optional = 1},                                                                  \
        .one = one_, .many = many_, .advice = advice_                                              \
    }
#define SPANS(member_, help_, one_, many_, advice_)                                                \
    LOSS(member_, #member_, PIT__COUNT, help_, one_, many_, advice_)

static const struct pit__loss losses[] = {
    SPANS(abandoned, "spans dropped because a span around them ended first",
          "span was begun and not ended", "spans were begun and not ended",
          "the end of a span around them dropped them: end spans on every return path, or use"
          " PIT_SPAN"),
    SPANS(end_without_begin, "ends of spans that were not open", "end had no begin",
          "ends had no begin",
          "a span was ended twice, or after the one around it: end each once, inner ones first"),
    SPANS(wrong_thread, "spans ended on a different thread than they began on",
          "span was ended on another thread", "spans were ended on another thread",
          "use pit_object_begin for spans that change threads"),
    SPANS(too_deep, "spans nested deeper than the recorder supports", "span was nested too deep",
          "spans were nested too deep",
          "their time is in the span around them: leave the span out of the recursion"),
    SPANS(table_full, "spans not recorded because the run was at its size limit",
          "span found the run at its size limit", "spans found the run at its size limit",
          "use fewer different names, or raise max_bytes in pit_options"),
    SPANS(in_signal, "spans of a signal handler that interrupted the recorder",
          "span of a signal handler was not recorded", "spans of signal handlers were not recorded",
          "the handler interrupted the recorder: move spans that matter out of the handler"),
    SPANS(clock_back, "spans counted with 0 ns because the clock stepped back",
          "span met a clock that stepped back", "spans met a clock that stepped back",
          "they count with 0 ns: look for an unstable clock source in the kernel's log"),
    SPANS(left_open, "spans that were open when their thread ended",
          "span was open when its thread ended", "spans were open when their thread ended",
          "end them before the thread returns"),
    SPANS(null_argument, "calls without a site or probe",
          "call was made with NULL for a site or probe",
          "calls were made with NULL for a site or probe",
          "they had no effect: find out where the NULL comes from"),
    SPANS(repaired, "faults in the run's own pages that the recorder repaired",
          "fault in the run's own pages was repaired",
          "faults in the run's own pages were repaired",
          "another program wrote to the file or truncated it during the recording: figures may be"
          " missing"),
    SPANS(values_lost, "named values for which there was no room", "value found no room",
          "values found no room", "use fewer names of values, or raise max_bytes in pit_options"),
    LOSS(beyond_file, "beyond_file_bytes", PIT__BYTES,
         "bytes of the run that were only in memory, or were cut off", "byte of the run is gone",
         "bytes of the run are gone",
         "they were only in memory because the file could not grow, or the file was truncated or"
         " damaged"),
};

_Static_assert(sizeof losses / sizeof losses[0] == sizeof(pit_losses) / sizeof(uint64_t),
               "each member of pit_losses has its entry");

const struct pit__field_table pit__losses_fields = {losses, sizeof losses / sizeof losses[0],
                                                    sizeof losses[0]};

/* losses_view.c: spans that were lost or misused, in words, each with what to do. */
#include "report_view.h"

#include "report/units.h"

#include <stddef.h>

static const struct loss {
    size_t at;              /* of the count in pit_losses */
    const char *one, *many; /* after the number */
    const char *advice;
} losses[] = {
    {offsetof(pit_losses, abandoned), "span was begun and not ended",
     "spans were begun and not ended",
     "the end of a span around them dropped them: end a span on every way out, or use PIT_SPAN"},
    {offsetof(pit_losses, end_without_begin), "end had no begin", "ends had no begin",
     "a span was ended twice, or after the one around it: end each once, inner ones first"},
    {offsetof(pit_losses, wrong_thread), "span was ended on another thread",
     "spans were ended on another thread", "use pit_object_begin for spans that change threads"},
    {offsetof(pit_losses, too_deep), "span was nested too deep", "spans were nested too deep",
     "their time is in the span around them: leave the span out of the recursion"},
    {offsetof(pit_losses, table_full), "span found the run at its size limit",
     "spans found the run at its size limit",
     "use fewer different names, or raise max_bytes in pit_options"},
    {offsetof(pit_losses, in_signal), "span of a signal handler was not recorded",
     "spans of signal handlers were not recorded",
     "they met the recorder at work: take spans out of the handler if they matter"},
    {offsetof(pit_losses, clock_back), "span met a clock that stepped back",
     "spans met a clock that stepped back",
     "they count with 0 ns: look for an unstable clock source in the kernel's log"},
    {offsetof(pit_losses, left_open), "span was open when its thread ended",
     "spans were open when their thread ended", "end them before the thread returns"},
    {offsetof(pit_losses, null_argument), "call was made with NULL for a site or probe",
     "calls were made with NULL for a site or probe", "they did nothing: look where it comes from"},
    {offsetof(pit_losses, mended), "fault in the run's own pages was mended",
     "faults in the run's own pages were mended",
     "another program wrote to the file while it was recorded, or cut it: figures may be missing"},
    {offsetof(pit_losses, values), "value found no room", "values found no room",
     "use fewer names of values, or raise max_bytes in pit_options"},
    {offsetof(pit_losses, beyond_file), "byte of the run is gone", "bytes of the run are gone",
     "they were in memory only because the file could not grow, or the file was cut or damaged"},
};

static uint64_t count_of(const struct loss *loss, const pit_losses *counts)
{
    return *(const uint64_t *)(const void *)((const char *)counts + loss->at);
}

void pit__losses_words(const pit_losses *counts, struct pit__text *text)
{
    char number[PIT__UNIT_BYTES];
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        uint64_t count = count_of(&losses[i], counts);
        if (count)
            pit__text_printf(text, "%s%s %s", text->length ? ", " : "",
                             pit__unit_count(number, count),
                             count == 1 ? losses[i].one : losses[i].many);
    }
}

int pit__print_losses(const struct pit__report *report)
{
    int printed = 0;
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        uint64_t count = count_of(&losses[i], &report->tree->losses);
        if (count == 0)
            continue;
        char number[PIT__UNIT_BYTES];
        struct pit__text line = {0};
        if (!printed++)
            putc('\n', report->out);
        pit__text_printf(&line, "%s %s", pit__unit_count(number, count),
                         count == 1 ? losses[i].one : losses[i].many);
        int code = pit__print_line(report, &line, PIT__WARM);
        pit__text_puts(&line, losses[i].advice);
        fputs("  ", report->out);
        if (!code)
            code = pit__print_prose(report, &line, 2, PIT__DIM);
        if (code)
            return code;
    }
    return 0;
}

/* losses_view.c: lost spans and misuse in words, each with a remedy. */
#include "report_view.h"

#include "model/fields.h"
#include "report/units.h"

static const struct pit__loss *loss_at(size_t index)
{
    return (const struct pit__loss *)(const void *)pit__field_entry(&pit__losses_fields, index);
}

static uint64_t count_of(const struct pit__loss *loss, const pit_losses *counts)
{
    pit_field_value value;
    pit__field_read(&loss->field, counts, &value);
    return value.whole;
}

void pit__losses_words(const pit_losses *counts, struct pit__text *text)
{
    char number[PIT__UNIT_BYTES];
    for (size_t i = 0; i < pit__losses_fields.count; i++) {
        const struct pit__loss *loss = loss_at(i);
        uint64_t count = count_of(loss, counts);
        if (count)
            pit__text_printf(text, "%s%s %s", text->length ? ", " : "",
                             pit__unit_count(number, count), count == 1 ? loss->one : loss->many);
    }
}

int pit__print_losses(const struct pit__report *report)
{
    int printed = 0;
    for (size_t i = 0; i < pit__losses_fields.count; i++) {
        const struct pit__loss *loss = loss_at(i);
        uint64_t count = count_of(loss, &report->tree->losses);
        if (count == 0)
            continue;
        char number[PIT__UNIT_BYTES];
        struct pit__text line = {0};
        if (!printed++)
            putc('\n', report->out);
        pit__text_printf(&line, "%s %s", pit__unit_count(number, count),
                         count == 1 ? loss->one : loss->many);
        pit__prose_line(report->prose, &line, PIT__WARM);
        pit__text_puts(&line, loss->advice);
        fputs("  ", report->out);
        pit__prose_words(report->prose, &line, 2, PIT__DIM);
    }
    return 0;
}

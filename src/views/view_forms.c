/* view_forms.c: shared by the views of rows. */
#include "view_forms.h"

#include <math.h>

int pit__table_done(struct pit__table *table)
{
    int failed = pit__table_failed(table);
    pit__table_free(table);
    return failed ? PIT_NO_MEMORY : 0;
}

static void print_json(const struct pit__view_call *call, struct pit__table *table,
                       pit__extras *extras, const void *arg)
{
    struct pit__json json;
    pit__json_init(&json, call->out);
    pit__json_object(&json, NULL);
    pit__json_string(&json, "view", call->view->told.name);
    pit__json_string(&json, "title", call->title);
    pit__table_json(table, &json, "rows");
    if (extras)
        extras(&json, arg);
    pit__json_object_end(&json);
    pit__json_finish(&json);
}

int pit__view_form(const struct pit__view_call *call, struct pit__table *table, const char *heading,
                   pit__extras *extras, const void *arg)
{
    switch (call->options->form) {
    case PIT_JSON:
        print_json(call, table, extras, arg);
        break;
    case PIT_CSV:
        pit__table_csv(table, call->out);
        break;
    case PIT_MARKDOWN:
        fputs("### ", call->out);
        pit__print_markdown_text(call->out, heading);
        fputs("\n\n", call->out);
        pit__table_markdown(table, call->out, &call->look);
        break;
    case PIT_TEXT:
    default:
        pit__table_free(table);
        return PIT_BAD_ARGUMENT;
    }
    return pit__table_done(table);
}

struct pit__cell pit__cell_name(const char *name)
{
    struct pit__cell cell = pit__cell_text(name && !*name ? "\"\"" : name);
    cell.raw = name;
    return cell;
}

struct pit__cell pit__cell_row_name(const pit_row *row, struct pit__text *room)
{
    struct pit__cell cell = pit__cell_name(row->name);
    if (!row->nested)
        return cell;
    room->length = 0;
    pit__text_puts(room, "  ");
    pit__text_puts(room, cell.string ? cell.string : "");
    cell.string = pit__text_string(room);
    return cell;
}

struct pit__cell pit__cell_share(double part, double total)
{
    double share = total > 0 ? part / total : NAN;
    return pit__cell_real(share <= 1 + 1e-9 ? share : NAN);
}

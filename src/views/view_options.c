/* view_options.c: finds options of views by name, sets and checks them; defines the options that
 * several views share. */
#include "view.h"

#include "report/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pit__sort_words[] = {"memory", "total", "self", "count", "mean", "p50",
                                       "p95",    "p99",   "max",  "name",  NULL};

const pit_option pit__sort_option = {.name = "sort",
                                     .kind = PIT_OPTION_ONE_OF,
                                     .default_text = "total",
                                     .help = "the column to sort by",
                                     .words = pit__sort_words + 1,
                                     PIT__STORED(sort)};

const pit_option pit__depth_option = {.name = "depth",
                                      .kind = PIT_OPTION_COUNT,
                                      .default_text = "all",
                                      .help = "only the outer N levels",
                                      PIT__STORED(depth)};

const pit_option pit__min_share_option = {.name = "min-share",
                                          .kind = PIT_OPTION_PERCENT,
                                          .default_text = "0",
                                          .help = "hide rows with a share below PCT percent",
                                          PIT__STORED(min_share)};

const pit_option pit__title_option = {.name = "title",
                                      .kind = PIT_OPTION_TEXT,
                                      .default_text = "the program or the span",
                                      .help = "the title of the view",
                                      PIT__STORED(title)};

const pit_option pit__node_option = {.name = "node",
                                     .kind = PIT_OPTION_TEXT,
                                     .default_text = "the view chooses",
                                     .help = "the span to show, such as epoch/batch",
                                     PIT__STORED(node)};

/* ---- by name --------------------------------------------------------------------------------- */

/* '-' and '_' are equal: the command line uses '-', Python uses '_'. */
static int is_name(const char *own, const char *name)
{
    if (!own)
        return 0;
    for (; *own && *name; own++, name++)
        if (*own != *name && !(*own == '-' && *name == '_'))
            return 0;
    return *own == *name;
}

static const pit_option *find(const pit_view *view, const char *name)
{
    for (const pit_option *const *option = view->options; *option; option++)
        if (is_name((*option)->name, name) || is_name((*option)->also, name))
            return *option;
    return NULL;
}

/* "speedup", "tree, flat and memory": the views that have the option, and the report. Returns
 * their number. */
static size_t add_owners(struct pit__text *text, const char *name)
{
    const char *owners[64];
    size_t count = 0;
    if (find(&pit__report_view.told, name))
        owners[count++] = "the report";
    for (size_t i = 0; pit_view_at(i) && count < sizeof owners / sizeof owners[0]; i++)
        if (find(pit_view_at(i), name))
            owners[count++] = pit_view_at(i)->name;
    for (size_t i = 0; i < count; i++)
        pit__text_printf(text, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", owners[i]);
    return count;
}

static void explain_absence(const char *view, const char *name, char *why, size_t room)
{
    struct pit__text text = {0}, owners = {0};
    size_t count = add_owners(&owners, name);
    if (count == 0)
        pit__text_puts(&text, "no view has this option");
    else
        pit__text_printf(&text, "not an option of %s%s; %s %s it",
                         view ? "the view " : "the report", view ? view : "",
                         pit__text_string(&owners), count == 1 ? "has" : "have");
    snprintf(why, room, "%s", pit__text_string(&text));
    pit__text_free(&text);
    pit__text_free(&owners);
}

PIT_API const pit_option *pit_option_find(const char *view, const char *name, char *why,
                                          size_t room)
{
    const struct pit__view *owner = pit__view_find(view);
    const pit_option *found = owner && name ? find(&owner->told, name) : NULL;
    if (!found && why && room > 0)
        explain_absence(view, name ? name : "", why, room);
    return found;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int is_word(const pit_option *option, const char *text)
{
    for (const char *const *word = option->words; *word; word++)
        if (strcmp(*word, text) == 0)
            return 1;
    return 0;
}

/* "must be one of a, b": the values that an option accepts. */
static void explain(const pit_option *option, char *why, size_t room)
{
    struct pit__text text = {0};
    switch (option->kind) {
    case PIT_OPTION_ONE_OF:
        pit__text_puts(&text, "must be one of ");
        for (const char *const *word = option->words; *word; word++)
            pit__text_printf(&text, "%s%s", word == option->words ? "" : ", ", *word);
        break;
    case PIT_OPTION_COUNT:
        pit__text_puts(&text, "must be a whole number");
        break;
    case PIT_OPTION_PERCENT:
        pit__text_puts(&text, "must be a percentage, 0 to 100");
        break;
    case PIT_OPTION_NUMBER:
        pit__text_puts(&text, "must be a number");
        break;
    case PIT_OPTION_TEXT:
    case PIT_OPTION_FLAG:
        pit__text_puts(&text, "takes no such value");
        break;
    }
    snprintf(why, room, "%s", pit__text_string(&text));
    pit__text_free(&text);
}

static int parse_count(const char *text, uint64_t *count)
{
    char *end;
    errno = 0;
    *count = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int parse_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && !*end && isfinite(*number);
}

static int parse_percent(const char *text, double *share)
{
    char *end;
    double percent = strtod(text, &end);
    if (end != text && *end == '%')
        end++;
    *share = percent / 100;
    return end != text && !*end && percent >= 0 && percent <= 100;
}

/* Check the text and store its value at `to`. */
static int store(const pit_option *option, const char *text, char *to)
{
    uint64_t count;
    double number;
    int flag = 1;
    if (option->kind == PIT_OPTION_FLAG) {
        memcpy(to, &flag, sizeof flag);
        return !text;
    }
    if (!text)
        return 0;
    switch (option->kind) {
    case PIT_OPTION_COUNT:
        if (!parse_count(text, &count))
            return 0;
        memcpy(to, &count, sizeof count);
        return 1;
    case PIT_OPTION_NUMBER:
    case PIT_OPTION_PERCENT:
        if (!(option->kind == PIT_OPTION_NUMBER ? parse_number : parse_percent)(text, &number))
            return 0;
        memcpy(to, &number, sizeof number);
        return 1;
    default:
        if (option->kind == PIT_OPTION_ONE_OF && !is_word(option, text))
            return 0;
        memcpy(to, &text, sizeof text);
        return 1;
    }
}

PIT_API int pit_option_set(const pit_option *option, const char *text, pit_report_options *options,
                           char *why, size_t room)
{
    if (!option || !options)
        return PIT_BAD_ARGUMENT;
    if (store(option, text, (char *)options + option->offset))
        return 0;
    if (why && room > 0)
        explain(option, why, room);
    return PIT_BAD_ARGUMENT;
}

/* Is the stored value within the range of its kind? */
static int is_good(const pit_option *option, const pit_report_options *options)
{
    const char *at = (const char *)options + option->offset;
    const char *text;
    double number;
    if (option->kind == PIT_OPTION_ONE_OF) {
        memcpy(&text, at, sizeof text);
        return !text || is_word(option, text);
    }
    if (option->kind != PIT_OPTION_NUMBER && option->kind != PIT_OPTION_PERCENT)
        return 1;
    memcpy(&number, at, sizeof number);
    return option->kind == PIT_OPTION_NUMBER ? isfinite(number) : number >= 0 && number <= 1;
}

int pit__options_check(const pit_view *view, const pit_report_options *options, pit_error *error)
{
    char why[sizeof error->message / 2];
    for (const pit_option *const *option = view->options; *option; option++)
        if (!is_good(*option, options)) {
            explain(*option, why, sizeof why);
            snprintf(error->message, sizeof error->message, "%s: %s", (*option)->name, why);
            return error->code = PIT_BAD_ARGUMENT;
        }
    return 0;
}

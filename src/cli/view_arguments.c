/* view_arguments.c: the options of views on a command line. Names, kinds and words come from the views
 * (pit_view_at). */
#include "view_arguments.h"
#include "cli.h"

#include <getopt.h>
#include <string.h>

/* The options of the report and of all views, each name once. */
struct names {
    const pit_option *options[VIEW_ARGUMENTS_MOST];
    const char *names[VIEW_ARGUMENTS_MOST]; /* the option's name, or its other spelling */
    size_t count;
};

static void add_name(struct names *all, const pit_option *option, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->names[i], name) == 0)
            return;
    if (all->count == VIEW_ARGUMENTS_MOST)
        return;
    all->options[all->count] = option;
    all->names[all->count++] = name;
}

static struct names all_names(void)
{
    struct names all = {.count = 0};
    const pit_view *view = pit_view_find(NULL);
    for (size_t i = 0; view; view = pit_view_at(i++))
        for (const pit_option *const *option = view->options; *option; option++) {
            add_name(&all, *option, (*option)->name);
            if ((*option)->also)
                add_name(&all, *option, (*option)->also);
        }
    return all;
}

void view_arguments_table(struct option *table, int first)
{
    struct names all = all_names();
    for (size_t i = 0; i < all.count; i++)
        table[i] = (struct option){
            .name = all.names[i],
            .has_arg = all.options[i]->kind == PIT_OPTION_FLAG ? no_argument : required_argument,
            .val = first + (int)i};
    table[all.count] = (struct option){0};
}

void view_argument_keep(struct view_arguments *given, size_t index, const char *text)
{
    given->texts[index] = text ? text : "";
}

int view_arguments_set(const struct view_arguments *given, pit_report_options *options)
{
    struct names all = all_names();
    char why[1000], what[64];
    for (size_t i = 0; i < all.count; i++) {
        const char *text = given->texts[i];
        if (!text)
            continue;
        snprintf(what, sizeof what, "--%s", all.names[i]);
        const pit_option *option = pit_option_find(options->view, all.names[i], why, sizeof why);
        if (!option)
            return fail_usage("report", what, NULL, why);
        int is_flag = option->kind == PIT_OPTION_FLAG;
        if (pit_option_set(option, is_flag ? NULL : text, options, why, sizeof why) != 0)
            return fail_usage("report", what, text, why);
    }
    return 0;
}

/* ---- help ------------------------------------------------------------------------------------- */

#define LINE 80
#define HEAD 20 /* columns of "  --option VALUE" */

/* The only view that has an option of that name; NULL: several views or the report have it. */
static const char *only_owner(const char *name)
{
    const pit_view *view;
    const char *owner = NULL;
    if (pit_option_find(NULL, name, NULL, 0))
        return NULL;
    for (size_t i = 0; (view = pit_view_at(i)); i++)
        if (pit_option_find(view->name, name, NULL, 0)) {
            if (owner)
                return NULL;
            owner = view->name;
        }
    return owner;
}

/* The words of a KEY are its help: "a, b or c". */
static size_t add_words(char *line, size_t used, const pit_option *option)
{
    for (const char *const *word = option->words; *word && used < LINE * 2; word++)
        used += (size_t)snprintf(line + used, LINE * 2 - used, "%s%s",
                                 word == option->words ? ""
                                 : word[1]             ? ", "
                                                       : " or ",
                                 *word);
    return used;
}

/* "  --depth N         only the outer N levels (all)": with the default, if it fits. */
static void print_option(const pit_option *option, const char *owner)
{
    static const char *const values[] = {" TEXT", " KEY", " N", " X", " PCT", ""};
    char line[LINE * 2];
    int head = snprintf(line, sizeof line, "  --%s%s", option->name, values[option->kind]);
    size_t used = (size_t)snprintf(line + head, sizeof line - (size_t)head, "%*s%s%s",
                                   head < HEAD - 1 ? HEAD - head : 2, "", owner ? owner : "",
                                   owner ? ": " : "") +
                  (size_t)head;
    if (option->kind == PIT_OPTION_ONE_OF)
        used = add_words(line, used, option);
    else
        used += (size_t)snprintf(line + used, sizeof line - used, "%s", option->help);
    if (option->kind != PIT_OPTION_FLAG &&
        used + strlen(" ()") + strlen(option->default_text) <= LINE)
        snprintf(line + used, sizeof line - used, " (%s)", option->default_text);
    puts(line);
}

void view_options_help(void)
{
    struct names all = all_names();
    for (size_t i = 0; i < all.count; i++)
        if (all.names[i] == all.options[i]->name)
            print_option(all.options[i], only_owner(all.names[i]));
}

int view_list(void)
{
    const pit_view *view;
    for (size_t i = 0; (view = pit_view_at(i)); i++)
        printf("%-15s %s\n", view->name, view->help);
    return -1;
}

int view_help(const char *name)
{
    const pit_view *view = pit_view_find(name);
    if (!view)
        return view_unknown(name);
    printf("Usage: pitwall report RUN... --view %s [options]\n\n%s\n\n", view->name, view->help);
    for (const pit_option *const *option = view->options; *option; option++)
        print_option(*option, NULL);
    fputs("\nThe options of every view: pitwall report --help\n", stdout);
    return -1;
}

int view_unknown(const char *name)
{
    char why[1000] = "must be one of ";
    const pit_view *view;
    for (size_t i = 0, used = strlen(why); (view = pit_view_at(i)) && used < sizeof why; i++)
        used += (size_t)snprintf(why + used, sizeof why - used, "%s%s", i ? ", " : "", view->name);
    return fail_usage("report", "--view", name, why);
}

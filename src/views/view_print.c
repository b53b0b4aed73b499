/* The two ways to a view: over runs, and over plain data. */
#include "report_view.h"
#include "view.h"

#include <errno.h>

static int print_data(FILE *out, const struct pit__view *view, const pit_data *data,
                      const struct pit__gathered *gathered, const pit_report_options *options)
{
    struct pit__view_call call = {
        .out = out,
        .data = data,
        .gathered = gathered,
        .options = options,
        .title = options->title ? options->title
                 : data->title  ? data->title
                                : "",
        .look = {.width = options->width, .colour = options->colour, .ascii = options->ascii}};
    errno = 0;
    int code = view->print(&call);
    if ((code == 0 || code == PIT_NOTHING) && (fflush(out) != 0 || ferror(out)))
        code = PIT_CANNOT_WRITE;
    return code;
}

PIT_API int pit_view_print(FILE *out, const char *name, const pit_data *data,
                           const pit_report_options *options)
{
    static const pit_report_options defaults;
    const struct pit__view *view = name ? pit__view_find(name) : NULL;
    if (!out || !view || !data)
        return PIT_BAD_ARGUMENT;
    pit_report_options own = options ? *options : defaults;
    own.view = name;
    return print_data(out, view, data, NULL, &own);
}

static int print_gathered(FILE *out, const struct pit__view *view, const pit_run *const *runs,
                          size_t run_count, const pit_report_options *options)
{
    pit_tree *tree = pit_tree_build(runs, run_count);
    if (!tree)
        return PIT_NO_MEMORY;
    struct pit__gathered gathered = {
        .runs = runs, .run_count = run_count, .tree = tree, .options = options};
    const char *program = pit_run_fact(runs[0], "program");
    gathered.data.title = program ? program : "";
    int code = view->gather(&gathered);
    if (code == 0)
        code = print_data(out, view, &gathered.data, &gathered, options);
    else if (code == PIT_NOTHING)
        code = pit__print_nothing(out, options, gathered.why);
    int saved = errno; /* the caller may want to say why */
    pit__gather_free(&gathered);
    pit_tree_free(tree);
    errno = saved;
    return code;
}

PIT_API int pit_report_print(FILE *out, const pit_run *const *runs, size_t run_count,
                             const pit_report_options *options)
{
    static const pit_report_options defaults;
    if (!options)
        options = &defaults;
    if (!out || !runs || run_count == 0)
        return PIT_BAD_ARGUMENT;
    const struct pit__view *view = options->view ? pit__view_find(options->view) : NULL;
    return view ? print_gathered(out, view, runs, run_count, options)
                : pit__report_print(out, runs, run_count, options);
}

/* The two entry points of views: from runs, and from plain data. */
#include "view.h"

#include "model/ranks.h"
#include "report/json_writer.h"

#include <errno.h>
#include <string.h>

int pit__print_nothing(const struct pit__view_call *call, const char *why)
{
    snprintf(call->error->message, sizeof call->error->message, "%s", why);
    if (call->options->form == PIT_JSON) {
        struct pit__json json;
        pit__json_init(&json, call->out);
        pit__json_flat_object(&json, NULL);
        pit__json_string(&json, "view", call->view->told.name);
        pit__json_string(&json, "nothing", why);
        pit__json_object_end(&json);
        pit__json_finish(&json);
    } else if (call->options->form != PIT_CSV) { /* in a CSV file it would be read as a row */
        fprintf(call->out, "%s\n", why);
    }
    return PIT_NOTHING;
}

static int refuse(pit_error *error, const char *what, const char *why)
{
    snprintf(error->message, sizeof error->message, "%s: %s", what, why);
    return PIT_BAD_ARGUMENT;
}

static int check(const struct pit__view_call *call, const pit_report_options *options)
{
    if (!call->view)
        return refuse(call->error, "view", "there is no such view");
    if (options->width < 0)
        return refuse(call->error, "width", "must not be negative");
    if ((unsigned)options->form > PIT_MARKDOWN)
        return refuse(call->error, "form", "there is no such form");
    return pit__options_check(&call->view->told, options, call->error);
}

/* Print the data or the runs of the call. */
static int print_call(struct pit__view_call call)
{
    const char *title = call.options->title ? call.options->title : call.data->title;
    struct pit__prose prose = {.out = call.out, .look = call.look};
    call.title = title ? title : "";
    call.prose = &prose;
    errno = 0;
    int code = call.view->print(&call);
    if (code == 0 && prose.failed)
        code = PIT_NO_MEMORY;
    if ((code == 0 || code == PIT_NOTHING) && (fflush(call.out) != 0 || ferror(call.out)))
        code = PIT_CANNOT_WRITE;
    return code;
}

static struct pit__view_call make_call(FILE *out, const char *view,
                                       const pit_report_options *options, pit_error *error)
{
    *error = (pit_error){0};
    return (struct pit__view_call){
        .out = out,
        .view = pit__view_find(view),
        .options = options,
        .look = {.width = options->width,
                 .colour = options->colour && options->form == PIT_TEXT,
                 .ascii = options->ascii},
        .error = error,
    };
}

PIT_API int pit_view_print(FILE *out, const char *name, const pit_data *data,
                           const pit_report_options *options)
{
    static const pit_report_options defaults;
    pit_error error;
    if (!options)
        options = &defaults;
    if (!out || !name || !data)
        return PIT_BAD_ARGUMENT;
    struct pit__view_call call = make_call(out, name, options, &error);
    call.data = data;
    int code = check(&call, options);
    if (!code && call.view->needs_runs)
        code = PIT_BAD_ARGUMENT;
    return code ? code : print_call(call);
}

static int print_runs(struct pit__view_call call, const pit_run *const *runs, size_t run_count)
{
    pit_tree *tree = pit_tree_build(runs, run_count);
    if (!tree)
        return PIT_NO_MEMORY;
    struct pit__gathered gathered = {
        .runs = runs, .run_count = run_count, .tree = tree, .options = call.options};
    const char *program = pit_run_fact(runs[0], "program");
    gathered.data.title = program ? program : "";
    call.gathered = &gathered;
    call.data = &gathered.data;
    int code = call.view->gather ? call.view->gather(&gathered) : 0;
    if (code == 0)
        code = print_call(call);
    else if (code == PIT_NOTHING)
        code = pit__print_nothing(&call, gathered.why);
    int saved = errno; /* the caller may print the reason */
    pit__gather_free(&gathered);
    pit_tree_free(tree);
    errno = saved;
    return code;
}

PIT_API int pit_ranks_write(FILE *out, const pit_ranks *ranks, const pit_report_options *options,
                            pit_error *error)
{
    static const pit_report_options defaults;
    pit_error own = {0};
    options = options ? options : &defaults;
    error = error ? error : &own;
    struct pit__view_call call = make_call(out, options->view, options, error);
    const pit_run *kept = pit__ranks_kept(ranks);
    int code = check(&call, options);
    if (!code && (!out || !ranks || !ranks->tree || !kept))
        code = refuse(error, "ranks", "missing: open them with pit_ranks_open");
    if (!code && !call.view->told.is_of_tree) {
        snprintf(error->message, sizeof error->message,
                 "%s: requires the runs themselves, not only their merged tree", options->view);
        code = PIT_NOTHING;
    } else if (!code) {
        struct pit__gathered gathered = {
            .runs = &kept, .run_count = 1, .tree = ranks->tree, .ranks = ranks, .options = options};
        const char *program = pit_run_fact(kept, "program");
        gathered.data.title = program ? program : "";
        call.gathered = &gathered;
        call.data = &gathered.data;
        code = print_call(call);
        pit__gather_free(&gathered);
    }
    error->code = code;
    return code;
}

PIT_API int pit_report_write(FILE *out, const pit_run *const *runs, size_t run_count,
                             const pit_report_options *options, pit_error *error)
{
    static const pit_report_options defaults;
    pit_error own = {0};
    if (!options)
        options = &defaults;
    if (!error)
        error = &own;
    struct pit__view_call call = make_call(out, options->view, options, error);
    int code = check(&call, options);
    if (!code && (!out || !runs || run_count == 0))
        code = refuse(error, "report", "there is no run");
    if (!code)
        code = print_runs(call, runs, run_count);
    error->code = code;
    if (code && !error->message[0])
        snprintf(error->message, sizeof error->message, "%s", pit_strerror(code));
    return code;
}

PIT_API int pit_report_print(FILE *out, const pit_run *const *runs, size_t run_count,
                             const pit_report_options *options)
{
    return pit_report_write(out, runs, run_count, options, NULL);
}

/* markdown_export.c: the report as a document in Markdown, for a pull request, a wiki, a chat: what
 * was run and how it ended, the answer in words, the table of the call tree. */
#include "export.h"

#include "report/units.h"
#include "report_view.h"

/* "- **label**: text", the text's markup made harmless; it is given back empty. */
static int write_item(FILE *out, const char *label, struct pit__text *text)
{
    if (text->length > 0) {
        fprintf(out, "- **%s**: ", label);
        pit__print_markdown_text(out, pit__text_string(text));
        putc('\n', out);
    }
    int code = text->failed ? PIT_NO_MEMORY : 0;
    pit__text_free(text);
    return code;
}

/* Where the threads of a run that did not end were, the innermost span of each. */
static int write_open(FILE *out, const pit_run *run)
{
    int code = 0;
    for (size_t t = 0; t < run->thread_count && !code; t++) {
        const pit_thread *thread = &run->threads[t];
        const pit_open_span *innermost = NULL;
        for (size_t i = 0; i < thread->open_count; i++)
            if (!thread->open[i].object)
                innermost = &thread->open[i];
        if (!innermost || innermost->node >= thread->node_count)
            continue;
        struct pit__text text = {0};
        pit__open_path(thread, innermost->node, " > ", 0, &text);
        pit__text_puts(&text, ", ");
        pit__add_open_age(&text, run, innermost, " in", 0);
        pit__text_printf(&text, " (%s)", thread->name);
        code = write_item(out, run->state == PIT_RUN_DIED ? "where it died" : "open", &text);
    }
    return code;
}

static int write_run(FILE *out, const pit_run *run)
{
    static const char *const machine[] = {"host", "cpu", "kernel"};
    static const char *const rank[] = {"rank"}, *const git[] = {"git"};
    char when[64], duration[PIT__UNIT_BYTES];
    struct pit__text text = {0};
    pit__add_command(&text, run, 0);
    int code = write_item(out, "program", &text);
    pit__add_facts(&text, run, machine, 3, ", ", 0);
    if (!code)
        code = write_item(out, "machine", &text);
    pit__wall_time(run->start_wall_ns, 1, when, sizeof when);
    pit__text_printf(&text, "%s, %s, %s", when, pit__unit_duration(duration, run->duration_ns, 0),
                     pit__state_word(run));
    if (!code)
        code = write_item(out, "run", &text);
    pit__add_facts(&text, run, rank, 1, "", 0);
    if (!code)
        code = write_item(out, "rank", &text);
    pit__add_facts(&text, run, git, 1, "", 0);
    if (!code)
        code = write_item(out, "git", &text);
    pit__text_puts(&text, run->path);
    if (!code)
        code = write_item(out, "file", &text);
    return code ? code : write_open(out, run);
}

static int write_markdown(FILE *out, const pit_run *const *runs, size_t run_count)
{
    static const pit_report_options options = {.form = PIT_MARKDOWN};
    const char *program = pit_run_fact(runs[0], "program");
    int code = 0;
    fputs("## ", out);
    pit__print_markdown_text(out, program ? program : runs[0]->path);
    fputs("\n\n", out);
    for (size_t r = 0; r < run_count && !code; r++) {
        code = write_run(out, runs[r]);
        putc('\n', out);
    }
    return code ? code : pit__report_print(out, runs, run_count, &options);
}

const struct pit__export pit__markdown_export = {"markdown", write_markdown};

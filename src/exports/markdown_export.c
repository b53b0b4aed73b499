/* markdown_export.c: the report as a document in Markdown, for a pull request, a wiki or a chat:
 * the facts of the run, the answer in words, and the call tree as a table. */
#include "export.h"

#include "report/units.h"
#include "views/report_view.h"

/* State of the document; an out-of-memory error is kept until its end. */
struct document {
    FILE *out;
    int failed;
};

/* "- **label**: text", with markup escaped; the text is emptied. */
static void write_item(struct document *document, const char *label, struct pit__text *text)
{
    FILE *out = document->out;
    if (text->length > 0) {
        fprintf(out, "- **%s**: ", label);
        pit__print_markdown_text(out, pit__text_string(text));
        putc('\n', out);
    }
    document->failed |= text->failed;
    pit__text_free(text);
}

/* The innermost open span of each thread, for a run that did not end. */
static void write_open(struct document *document, const pit_run *run)
{
    for (size_t t = 0; t < run->thread_count; t++) {
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
        write_item(document, run->state == PIT_RUN_DIED ? "where it died" : "open", &text);
    }
}

static void write_run(struct document *document, const pit_run *run)
{
    static const char *const machine[] = {"host", "cpu", "kernel"};
    static const char *const rank[] = {"rank"}, *const git[] = {"git"};
    char when[64], duration[PIT__UNIT_BYTES];
    struct pit__text text = {0};
    pit__add_command(&text, run, 0);
    write_item(document, "program", &text);
    pit__add_facts(&text, run, machine, 3, ", ", 0);
    write_item(document, "machine", &text);
    pit__wall_time(run->start_wall_ns, 1, when, sizeof when);
    pit__text_printf(&text, "%s, %s, %s", when, pit__unit_duration(duration, run->duration_ns, 0),
                     pit__state_word(run));
    write_item(document, "run", &text);
    pit__add_facts(&text, run, rank, 1, "", 0);
    write_item(document, "rank", &text);
    pit__add_facts(&text, run, git, 1, "", 0);
    write_item(document, "git", &text);
    pit__text_puts(&text, run->path);
    write_item(document, "file", &text);
    write_open(document, run);
}

static int write_markdown(FILE *out, const pit_run *const *runs, size_t run_count)
{
    static const pit_report_options options = {.form = PIT_MARKDOWN};
    const char *program = pit_run_fact(runs[0], "program");
    struct document document = {.out = out};
    fputs("## ", out);
    pit__print_markdown_text(out, program ? program : runs[0]->path);
    fputs("\n\n", out);
    for (size_t r = 0; r < run_count; r++) {
        write_run(&document, runs[r]);
        putc('\n', out);
    }
    int code = pit_report_print(out, runs, run_count, &options);
    return code == 0 && document.failed ? PIT_NO_MEMORY : code;
}

const struct pit__export pit__markdown_export = {
    .told = {.name = "markdown",
             .help = "the report as a document",
             .endings = PIT__ENDINGS(".md", ".markdown")},
    .write = write_markdown,
};

/* html_export.c: the page of one or several runs as one self-contained file with styles, scripts
 * and data.
 *
 * The scripts are modules that import one another. In the file they are concatenated in order of
 * their imports, without the import lines. A content security policy in the head allows only
 * these scripts, by their hashes, and no network access. For two runs that are not ranks of one
 * job the page also has their comparison.
 */
#include "export.h"
#include "page_export.h"

#include "assets/assets.h"
#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>

#define MODULES_MOST 32

/* ---- the scripts as one ------------------------------------------------------------------------ */

struct bundle {
    FILE *out;
    const struct pit__asset *done[MODULES_MOST];
    size_t count;
};

static void add_module(struct bundle *bundle, const char *name);

/* import {a, b} from "./name.js"; */
static void add_import(struct bundle *bundle, const char *line, size_t bytes)
{
    char name[64];
    const char *from = memmem(line, bytes, "\"./", 3);
    const char *end = from ? memchr(from + 3, '"', bytes - (size_t)(from + 3 - line)) : NULL;
    if (!end || (size_t)(end - from) >= sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s", (int)(end - from - 3), from + 3);
    add_module(bundle, name);
}

static void add_module(struct bundle *bundle, const char *name)
{
    const struct pit__asset *asset = pit__asset_find(name);
    for (size_t i = 0; i < bundle->count; i++)
        if (bundle->done[i] == asset)
            return;
    if (!asset || bundle->count == MODULES_MOST)
        return;
    bundle->done[bundle->count++] = asset;
    const char *text = (const char *)asset->data, *end = text + asset->bytes;
    for (int pass = 0; pass < 2; pass++)
        for (const char *at = text, *next; at < end; at = next) {
            const char *line_end = memchr(at, '\n', (size_t)(end - at));
            next = line_end ? line_end + 1 : end;
            int is_import = strncmp(at, "import ", 7) == 0;
            if (pass == 0 && is_import)
                add_import(bundle, at, (size_t)(next - at));
            if (pass == 0 || is_import)
                continue;
            if (strncmp(at, "export ", 7) == 0)
                at += 7;
            fwrite(at, 1, (size_t)(next - at), bundle->out);
        }
}

static void write_asset(FILE *out, const char *name)
{
    const struct pit__asset *asset = pit__asset_find(name);
    fwrite(asset->data, 1, asset->bytes, out);
}

static void write_styles(FILE *out)
{
    write_asset(out, "style.css");
}

/* Third-party code is written with its licence. */
static void write_library(FILE *out)
{
    fputs("/*\n", out);
    write_asset(out, "uPlot.LICENSE");
    fputs("*/\n", out);
    write_asset(out, "uPlot.iife.min.js");
}

static void write_modules(FILE *out)
{
    struct bundle bundle = {.out = out};
    add_module(&bundle, "main.js");
}

/* ---- parts of the file, each with its hash ------------------------------------------------------ */

struct part {
    char *text;
    size_t bytes;
    char hash[PIT__SHA256_BASE64];
};

static int make_part(struct part *part, void (*write)(FILE *out))
{
    struct pit__sha256 hash;
    unsigned char digest[PIT__SHA256_BYTES];
    FILE *out = open_memstream(&part->text, &part->bytes);
    if (!out)
        return PIT_NO_MEMORY;
    write(out);
    if (fclose(out) != 0)
        return PIT_NO_MEMORY;
    pit__sha256_init(&hash);
    pit__sha256_add(&hash, part->text, part->bytes);
    pit__sha256_end(&hash, digest);
    pit__sha256_base64(digest, part->hash);
    return 0;
}

/* ---- the data ---------------------------------------------------------------------------------- */

/* JSON as the text of a script element: escaped so that it cannot end the element or a line of
 * the script. */
static void put_escaped(FILE *out, const char *text, size_t bytes)
{
    const char *end = text + bytes, *plain = text;
    for (const char *at = text; at < end; at++) {
        int is_line = end - at >= 3 && memcmp(at, "\xe2\x80", 2) == 0 &&
                      ((unsigned char)at[2] & 0xfe) == 0xa8;
        if (*at != '<' && !is_line)
            continue;
        fwrite(plain, 1, (size_t)(at - plain), out);
        if (*at == '<')
            fputs("\\u003c", out);
        else
            fputs(at[2] == '\xa8' ? "\\u2028" : "\\u2029", out);
        at += is_line ? 2 : 0;
        plain = at + 1;
    }
    fwrite(plain, 1, (size_t)(end - plain), out);
}

/* Two runs are compared unless they are ranks of one job. */
static int are_to_compare(const pit_run *const *runs, size_t run_count)
{
    return run_count == 2 && !(pit_run_fact(runs[0], "rank") && pit_run_fact(runs[1], "rank"));
}

static int write_data(FILE *out, const pit_run *const *runs, size_t run_count, int is_comparison)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return PIT_NO_MEMORY;
    int code = is_comparison ? pit__page_comparison(memory, runs, 1, runs + 1, 1, runs[0]->path,
                                                    runs[1]->path)
                             : pit__page_document(memory, runs, run_count, NULL);
    if (fclose(memory) != 0 && !code)
        code = PIT_NO_MEMORY;
    if (!code) {
        fprintf(out, "<script type=\"application/json\" id=\"%s\">",
                is_comparison ? "comparison" : "data");
        put_escaped(out, text, bytes);
        fputs("</script>\n", out);
    }
    free(text);
    return code;
}

/* ---- the file ---------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            putc(*text, out);
        }
}

static void write_head(FILE *out, const struct part *styles, const struct part *library,
                       const struct part *modules, const char *title)
{
    fprintf(out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "script-src 'sha256-%s' 'sha256-%s'; style-src 'sha256-%s'; img-src data:; "
            "base-uri 'none'; form-action 'none'\">\n"
            "<meta name=\"referrer\" content=\"no-referrer\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"generator\" content=\"pitwall " PITWALL_VERSION "\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n<title>",
            library->hash, modules->hash, styles->hash);
    put_text(out, title);
    fputs(" - Pitwall</title>\n<style>", out);
    fwrite(styles->text, 1, styles->bytes, out);
    fputs("</style>\n</head>\n<body>\n"
          "<noscript>This page needs JavaScript, which is disabled here. "
          "pitwall report RUN prints the same in a terminal.</noscript>\n<div id=\"app\"></div>\n",
          out);
}

static int write_file(FILE *out, const pit_run *const *runs, size_t run_count, struct part parts[3])
{
    const char *program = pit_run_fact(runs[0], "program");
    write_head(out, &parts[0], &parts[1], &parts[2], program ? program : runs[0]->path);
    int code = write_data(out, runs, run_count, 0);
    if (!code && are_to_compare(runs, run_count))
        code = write_data(out, runs, run_count, 1);
    fputs("<script>", out);
    fwrite(parts[1].text, 1, parts[1].bytes, out);
    fputs("</script>\n<script type=\"module\">", out);
    fwrite(parts[2].text, 1, parts[2].bytes, out);
    fputs("</script>\n</body>\n</html>\n", out);
    return code;
}

static int write_html(FILE *out, const pit_run *const *runs, size_t run_count)
{
    static void (*const writers[3])(FILE *) = {write_styles, write_library, write_modules};
    struct part parts[3] = {{0}};
    int code = 0;
    for (size_t i = 0; i < 3 && !code; i++)
        code = make_part(&parts[i], writers[i]);
    if (!code)
        code = write_file(out, runs, run_count, parts);
    for (size_t i = 0; i < 3; i++)
        free(parts[i].text);
    return code;
}

const struct pit__export pit__html_export = {
    .told = {.name = "html",
             .help = "the page as one file that opens offline",
             .endings = PIT__ENDINGS(".html", ".htm")},
    .write = write_html,
};

/* fuzz_request: arbitrary bytes as the path of a request, a Host, an Authorization and a query, passed to
 * the functions that check them; and as the JSON that is cut into parts. */
#include "cli/serve_guard.c"
#include "cli/serve_parts.c"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define TOKEN "0123456789abcdef0123456789abcdef"

/* The only function of the server that the parts need. */
uint64_t serve_hash(const void *data, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = hash * 31 + ((const unsigned char *)data)[i];
    return hash;
}

static void check_target(const char *path)
{
    struct serve_target target = serve_target_of(path);
    int has_id = target.route >= SERVE_RUN;
    if (has_id && strspn(target.id, "0123456789abcdef") != SERVE_ID_DIGITS)
        abort();
    if (strchr(target.name, '/') || target.name[0] == '.')
        abort();
    if (serve_is_open(target.route) && has_id)
        abort();
}

static void check_host(const char *host)
{
    static const char *const allowed[] = {"runs.example", NULL};
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]", "runs.example",
                                        "10.0.0.7"};
    int is_known = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        is_known |=
            strncasecmp(host, names[i], length) == 0 && (!host[length] || host[length] == ':');
    }
    /* an allowed host is one of these, with or without a port */
    if (serve_host_allowed(host, "10.0.0.7", allowed) && !is_known)
        abort();
    if (serve_host_allowed(host, NULL, NULL) && strstr(host, "example"))
        abort();
}

static void check_token(const char *text)
{
    int is_it = strncasecmp(text, "Bearer ", 7) == 0 && strcmp(text + 7, TOKEN) == 0;
    if (serve_token_matches(text, TOKEN) != is_it || serve_token_matches(text, ""))
        abort();
}

static void check_number(const char *text)
{
    uint64_t number;
    char again[40];
    if (!serve_number(text, &number))
        return;
    snprintf(again, sizeof again, "%llu", (unsigned long long)number);
    if (strcmp(again, text + strspn(text, "0")) != 0 && number != 0)
        abort();
}

static void check_parts(const char *text, size_t bytes)
{
    struct serve_parts parts;
    struct serve_marks marks = {0};
    serve_parts_make(&parts, text, bytes);
    for (size_t i = 0; i < parts.count; i++)
        if (parts.list[i].begin > parts.list[i].end || parts.list[i].end > bytes)
            abort();
    if (!serve_marks_make(&marks, &parts))
        abort();
    /* it must equal itself */
    if (!serve_marks_fit(&marks, &parts))
        abort();
    free(marks.list);
    serve_parts_free(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    if (!text)
        abort();
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    check_target(text);
    check_host(text);
    check_token(text);
    check_number(text);
    check_parts(text, bytes);
    free(text);
    return 0;
}

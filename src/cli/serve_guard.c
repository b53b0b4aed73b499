/* serve_guard.c: which requests are valid, and which are allowed. */
#include "serve_guard.h"

#include <string.h>
#include <strings.h>

/* ---- paths ----------------------------------------------------------------------------------- */

#define RUNS "/api/v1/runs"
#define ASSETS "/assets/"

/* Parse the id after RUNS and a slash; returns the rest, or NULL if there is no id. */
static const char *take_id(const char *path, char *id)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < SERVE_ID_DIGITS; i++) {
        const char *digit = path[i] ? memchr(digits, path[i], sizeof digits - 1) : NULL;
        if (!digit)
            return NULL;
        id[i] = *digit;
    }
    id[SERVE_ID_DIGITS] = '\0';
    return path + SERVE_ID_DIGITS;
}

/* A plain file name: letters, digits and, after the first character, '.', '-', '_'. */
static int take_name(const char *text, char *name, size_t room)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t length = strspn(text, plain);
    if (length == 0 || length >= room || text[length] || text[0] == '.')
        return 0;
    memcpy(name, text, length + 1);
    return 1;
}

static enum serve_route below_run(const char *rest, struct serve_target *target)
{
    static const char export[] = "/export/";
    if (strcmp(rest, "") == 0)
        return SERVE_RUN;
    if (strcmp(rest, "/live") == 0)
        return SERVE_LIVE;
    if (strcmp(rest, "/series") == 0)
        return SERVE_SERIES;
    if (strcmp(rest, "/report.html") == 0)
        return SERVE_REPORT;
    if (strncmp(rest, export, sizeof export - 1) == 0 &&
        take_name(rest + sizeof export - 1, target->name, sizeof target->name))
        return SERVE_EXPORT;
    return SERVE_NOTHING;
}

struct serve_target serve_target_of(const char *path)
{
    static const struct {
        const char *path;
        enum serve_route route;
    } plain[] = {
        {"/", SERVE_PAGE},  {"/healthz", SERVE_HEALTH},         {"/metrics", SERVE_METRICS},
        {RUNS, SERVE_RUNS}, {"/api/v1/compare", SERVE_COMPARE},
    };
    struct serve_target target = {.route = SERVE_NOTHING};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(path, plain[i].path) == 0)
            target.route = plain[i].route;
    if (strncmp(path, ASSETS, strlen(ASSETS)) == 0 &&
        take_name(path + strlen(ASSETS), target.name, sizeof target.name))
        target.route = SERVE_ASSET;
    if (strncmp(path, RUNS "/", strlen(RUNS) + 1) == 0) {
        const char *rest = take_id(path + strlen(RUNS) + 1, target.id);
        if (rest)
            target.route = below_run(rest, &target);
    }
    return target;
}

int serve_is_open(enum serve_route route)
{
    return route == SERVE_PAGE || route == SERVE_ASSET || route == SERVE_HEALTH;
}

/* ---- who asks -------------------------------------------------------------------------------- */

/* The length of the name in NAME, NAME:PORT or [ADDRESS]:PORT, including brackets; 0: invalid. */
static size_t name_length(const char *host)
{
    size_t length = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    if (length > strlen(host))
        return 0;
    const char *port = host + length;
    if (!*port)
        return length;
    size_t digits = *port == ':' ? strspn(port + 1, "0123456789") : 0;
    return digits > 0 && digits <= 5 && !port[1 + digits] ? length : 0;
}

static int is_name(const char *host, size_t length, const char *name)
{
    return name && strlen(name) == length && strncasecmp(host, name, length) == 0;
}

int serve_host_allowed(const char *host, const char *own, const char *const *allowed)
{
    static const char *const always[] = {"localhost", "127.0.0.1", "[::1]"};
    size_t length = host ? name_length(host) : 0;
    if (length == 0)
        return 0;
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        if (is_name(host, length, always[i]))
            return 1;
    for (; allowed && *allowed; allowed++)
        if (is_name(host, length, *allowed))
            return 1;
    return is_name(host, length, own);
}

int serve_token_matches(const char *authorization, const char *token)
{
    static const char scheme[] = "Bearer ";
    if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
        return 0;
    const char *given = authorization + sizeof scheme - 1;
    size_t given_length = strlen(given), length = strlen(token);
    unsigned char differ = given_length != length || length == 0;
    for (size_t i = 0; i < given_length;
         i++) /* takes the same time for every token of this length */
        differ |= (unsigned char)(given[i] ^ (length ? token[i % length] : 0));
    return differ == 0;
}

int serve_number(const char *text, uint64_t *number)
{
    *number = 0;
    if (!text || !*text)
        return 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || *number > (UINT64_MAX - 9) / 10)
            return 0;
        *number = *number * 10 + (uint64_t)(*text - '0');
    }
    return 1;
}

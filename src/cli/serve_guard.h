/* serve_guard.h: checks of requests (path, Host, token): pure functions on untrusted texts.
 * tests/fuzz/fuzz_request.c calls them with arbitrary input.
 */
#ifndef PIT_SERVE_GUARD_H
#define PIT_SERVE_GUARD_H

#include <stddef.h>
#include <stdint.h>

#define SERVE_ID_DIGITS 32

enum serve_route {
    SERVE_NOTHING, /* 404 */
    SERVE_PAGE,
    SERVE_ASSET,
    SERVE_HEALTH,
    SERVE_METRICS,
    SERVE_RUNS,
    SERVE_COMPARE,
    SERVE_RUN,
    SERVE_LIVE,
    SERVE_SERIES,
    SERVE_REPORT,
    SERVE_EXPORT
};

struct serve_target {
    enum serve_route route;
    char id[SERVE_ID_DIGITS + 1]; /* of the run, in lower case */
    char name[64];                /* of an asset or a format */
};

/* Parse a path. Runs are identified by their id: no part of a path is ever used as a file name. */
struct serve_target serve_target_of(const char *path);

/* Returns 1 if it contains no run data, so it needs no token. */
int serve_is_open(enum serve_route route);

/* May a request with this Host be answered? Allowed are loopback names, `own` (the address that received
 * the request, or NULL), and the names in `allowed`, ended by NULL. */
int serve_host_allowed(const char *host, const char *own, const char *const *allowed);

/* Compares the Authorization header with the token, in a time that does not depend on where they differ. */
int serve_token_matches(const char *authorization, const char *token);

/* Parse an integer that consists of digits only; returns 0 if it is invalid. */
int serve_number(const char *text, uint64_t *number);

#endif

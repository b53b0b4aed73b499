/* serve_http.c: connections, access checks, and the headers of every answer.
 *
 * One thread waits for libmicrohttpd's epoll descriptor and for signals. The library closes silent
 * connections. Connections that send or receive very slowly are closed here, by their age, so they cannot
 * block others for long.
 */
#include "serve.h"

#include "microhttpd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS 256
#define CROWDED 192 /* with more connections, CROWDED_REQUEST_S applies */
#define CONNECTION_BYTES 32768
#define SILENT_S 30
#define REQUEST_S 30.0        /* for a whole request, or the next one */
#define CROWDED_REQUEST_S 5.0 /* the same with many connections */
#define ANSWER_S 600.0        /* for taking an answer */
#define JUDGE_BUDGET_S 0.02   /* of processor time between two checks of the sockets */
#define WATCHED_S 10.0        /* after a request, assume a viewer for this long */
#define TICK_MS 1000

static volatile sig_atomic_t is_over;

struct connection {
    int fd;
    int is_answered; /* a whole request has arrived and is being answered */
    double since;    /* serve_now() when the answer, or the wait for a request, began */
    struct connection *next, **here;
};

struct server {
    const struct httpd *httpd;
    const struct serve_socket *socket;
    const char *token; /* "": no token is required */
    struct serve_runs *runs;
    struct connection *connections;
    size_t count;
};

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
}

/* ---- connections ----------------------------------------------------------------------------- */

static void connected(void *cls, struct MHD_Connection *connection, void **context, int what)
{
    struct server *server = cls;
    struct connection *own = *context;
    if (what != HTTPD_CONNECTION_NOTIFY_STARTED) {
        if (own) {
            *own->here = own->next;
            if (own->next)
                own->next->here = own->here;
            server->count--;
        }
        free(own);
        *context = NULL;
        return;
    }
    const union httpd_connection_info *info =
        server->httpd->get_connection_info(connection, HTTPD_CONNECTION_INFO_CONNECTION_FD);
    own = info ? calloc(1, sizeof *own) : NULL;
    if (!own)
        return;
    *own = (struct connection){.fd = info->connect_fd, .since = serve_now()};
    own->next = server->connections;
    own->here = &server->connections;
    if (own->next)
        own->next->here = &own->next;
    server->connections = own;
    server->count++;
    *context = own;
}

static struct connection *own_of(const struct server *server, struct MHD_Connection *connection)
{
    const union httpd_connection_info *info =
        server->httpd->get_connection_info(connection, HTTPD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void completed(void *cls, struct MHD_Connection *connection, void **request, int why)
{
    struct connection *own = own_of(cls, connection);
    (void)request;
    (void)why;
    if (own) {
        own->is_answered = 0;
        own->since = serve_now();
    }
}

static void close_the_slow(const struct server *server)
{
    double now = serve_now();
    double patience = server->count >= CROWDED ? CROWDED_REQUEST_S : REQUEST_S;
    for (const struct connection *c = server->connections; c; c = c->next)
        /* the library notices and closes it */
        if (now - c->since > (c->is_answered ? ANSWER_S : patience))
            shutdown(c->fd, SHUT_RDWR);
}

/* ---- answers --------------------------------------------------------------------------------- */

static const char *const always[][2] = {
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Frame-Options", "DENY"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
     "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
};

static void body_done(void *data)
{
    serve_bytes_drop((struct serve_bytes *)((char *)data - offsetof(struct serve_bytes, data)));
}

/* Takes ownership of the answer's body. */
static int send_answer(const struct server *server, struct MHD_Connection *connection,
                       struct serve_answer *answer)
{
    const struct httpd *httpd = server->httpd;
    const char *known =
        httpd->lookup_connection_value(connection, HTTPD_HEADER_KIND, "If-None-Match");
    struct serve_bytes *body = answer->body;
    char etag[sizeof body->etag] = "";
    if (body && answer->status == 200)
        strcpy(etag, body->etag);
    if (*etag && known && strcmp(known, etag) == 0) {
        serve_bytes_drop(body);
        body = serve_bytes_make("", 0);
        answer->status = 304;
    }
    struct MHD_Response *response = body ? httpd->create_response_from_buffer_with_free_callback(
                                               body->count, body->data, body_done)
                                         : NULL;
    if (!response) {
        serve_bytes_drop(body);
        return HTTPD_NO;
    }
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        httpd->add_response_header(response, always[i][0], always[i][1]);
    httpd->add_response_header(response, "Content-Type", answer->type);
    httpd->add_response_header(response, "Cache-Control", answer->cache);
    if (*etag)
        httpd->add_response_header(response, "ETag", etag);
    if (*answer->disposition)
        httpd->add_response_header(response, "Content-Disposition", answer->disposition);
    if (answer->status == 401)
        httpd->add_response_header(response, "WWW-Authenticate", "Bearer");
    if (answer->status == 405)
        httpd->add_response_header(response, "Allow", "GET, HEAD");
    int code = httpd->queue_response(connection, answer->status, response);
    httpd->destroy_response(response);
    return code;
}

static const char *words_of(unsigned status)
{
    switch (status) {
    case 401:
        return "missing or wrong token: open the link that pitwall serve printed\n";
    case 403:
        return "host name not allowed: pitwall serve --allow-host NAME\n";
    case 404:
        return "not found\n";
    case 405:
        return "only GET and HEAD are supported\n";
    case 410:
        return "the run was removed, or cannot be read\n";
    default:
        return "the answer could not be created\n";
    }
}

static int is_reading(const char *method)
{
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

static int count_hosts(void *cls, int kind, const char *key, const char *value)
{
    (void)kind;
    (void)value;
    *(int *)cls += strcasecmp(key, "Host") == 0;
    return HTTPD_YES;
}

static unsigned refusal(const struct server *server, struct MHD_Connection *connection,
                        const char *method, const char *path)
{
    const struct httpd *httpd = server->httpd;
    const struct connection *own = own_of(server, connection);
    char address[80] = "";
    int hosts = 0;
    if (own)
        serve_own_address(own->fd, address, sizeof address);
    httpd->get_connection_values(connection, HTTPD_HEADER_KIND, count_hosts, &hosts);
    /* Of two Hosts, a proxy before us may have checked the other one. */
    if (hosts != 1 ||
        !serve_host_allowed(httpd->lookup_connection_value(connection, HTTPD_HEADER_KIND, "Host"),
                            *address ? address : NULL, server->runs->options->allowed))
        return 403;
    if (!is_reading(method))
        return 405;
    if (*server->token && !serve_is_open(serve_target_of(path).route) &&
        !serve_token_matches(
            httpd->lookup_connection_value(connection, HTTPD_HEADER_KIND, "Authorization"),
            server->token))
        return 401;
    return 0;
}

static int handle(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                  const char *version, const char *upload, size_t *upload_bytes, void **request)
{
    struct server *server = cls;
    const struct httpd *httpd = server->httpd;
    struct connection *own = own_of(server, connection);
    struct serve_answer answer = {.type = "text/plain; charset=utf-8", .cache = "no-store"};
    (void)version;
    (void)upload;
    if (is_reading(method) &&
        (!*request || *upload_bytes > 0)) { /* the header arrives first, and a body is
                                                                     not needed */
        *request = server;
        *upload_bytes = 0;
        return HTTPD_YES;
    }
    if (own) {
        own->is_answered = 1;
        own->since = serve_now();
    }
    answer.status = refusal(server, connection, method, url);
    if (!answer.status) {
        struct serve_question question = {
            .path = url,
            .since = httpd->lookup_connection_value(connection, HTTPD_GET_ARGUMENT_KIND, "since"),
            .node = httpd->lookup_connection_value(connection, HTTPD_GET_ARGUMENT_KIND, "node"),
            .version = httpd->lookup_connection_value(connection, HTTPD_GET_ARGUMENT_KIND, "v"),
            .a = httpd->lookup_connection_value(connection, HTTPD_GET_ARGUMENT_KIND, "a"),
            .b = httpd->lookup_connection_value(connection, HTTPD_GET_ARGUMENT_KIND, "b"),
            .ranks = httpd->lookup_connection_value(connection, HTTPD_GET_ARGUMENT_KIND, "ranks"),
        };
        serve_answer_to(server->runs, &question, &answer);
    }
    if (!answer.body) {
        const char *words = words_of(answer.status);
        answer.type = "text/plain; charset=utf-8";
        answer.cache = "no-store";
        answer.body = serve_bytes_make(words, strlen(words));
    }
    return send_answer(server, connection, &answer);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static struct MHD_Daemon *start(struct server *server)
{
    int fd = dup(server->socket->fd); /* the library closes its own descriptor */
    if (fd < 0)
        return NULL;
    return server->httpd->start_daemon(
        HTTPD_USE_EPOLL, 0, NULL, NULL, handle, server, HTTPD_OPTION_LISTEN_SOCKET, fd,
        HTTPD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, HTTPD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_BYTES, HTTPD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENT_S,
        HTTPD_OPTION_NOTIFY_CONNECTION, connected, server, HTTPD_OPTION_NOTIFY_COMPLETED, completed,
        server, HTTPD_OPTION_END);
}

static void wait_for_requests(struct server *server, struct MHD_Daemon *daemon, int epoll_fd,
                              int is_busy, const sigset_t *mask)
{
    unsigned long long ms = TICK_MS;
    if (server->httpd->get_timeout(daemon, &ms) != HTTPD_YES || ms > TICK_MS)
        ms = TICK_MS;
    struct pollfd waiting = {.fd = epoll_fd, .events = POLLIN};
    struct timespec most = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    if (is_busy)
        most = (struct timespec){0, 0};
    ppoll(&waiting, 1, &most, mask);
    server->httpd->run(daemon);
}

/* 1: an answer may be ready that is not sent yet. */
static int has_work(const struct server *server, struct MHD_Daemon *daemon)
{
    unsigned long long ms = 1;
    return server->httpd->get_timeout(daemon, &ms) == HTTPD_YES && ms == 0;
}

static void loop(struct server *server, struct MHD_Daemon *daemon, const sigset_t *mask)
{
    int epoll_fd = server->httpd->get_daemon_info(daemon, HTTPD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    double swept_at = serve_now();
    int is_busy = 0;
    while (!is_over) {
        wait_for_requests(server, daemon, epoll_fd, is_busy, mask);
        double now = serve_now();
        if (now - swept_at >= 1) {
            close_the_slow(server);
            swept_at = now;
        }
        is_busy = 0;
        if (has_work(server, daemon)) /* headlines and advice take long: answers go first */
            continue;
        is_busy = server->runs->asked_at > 0 && now - server->runs->asked_at < WATCHED_S &&
                  serve_judge(server->runs, JUDGE_BUDGET_S);
        serve_watches_advise(server->runs);
    }
}

void serve_catch_signals(sigset_t *before)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, before); /* delivered only while we wait */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int serve_http(const struct httpd *httpd, const struct serve_socket *socket, const char *token,
               struct serve_runs *runs, const sigset_t *before)
{
    struct server server = {.httpd = httpd, .socket = socket, .token = token, .runs = runs};
    struct MHD_Daemon *daemon = start(&server);
    if (!daemon)
        return fail(EXIT_COMMAND_FAILED, "cannot serve", socket->link, strerror(errno));
    loop(&server, daemon, before);
    httpd->stop_daemon(daemon);
    return EXIT_GOOD;
}

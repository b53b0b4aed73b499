/* cmd_serve.c: pitwall serve: show the runs of folders in a browser, and as metrics. */
#include "serve.h"

#include "microhttpd.h"

#include "report/json_writer.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: pitwall serve [DIR...] [options]\n"
    "\n"
    "Show the runs of folders in a browser, live, and as metrics for Prometheus.\n"
    "Prints the link to open, and serves until Ctrl-C. Without DIR: ./pitwall-runs\n"
    "and the folder itself. It only reads files; recorded programs do not notice it.\n"
    "\n"
    "  --listen WHERE      127.0.0.1:7481 (default), [::1]:7481, unix:PATH, or\n"
    "                      127.0.0.1:0 (any free port)\n"
    "  --open              open the page in a browser\n"
    "  --allow-host NAME   also answer requests for this host name; may be repeated\n"
    "  --token-file FILE   keep the token in FILE, which is created if missing\n"
    "  --no-token          require no token: everybody on this machine can read\n"
    "  --metrics-spans N   spans of each run in /metrics, by total time (100)\n"
    "  --metrics-keep T    keep ended runs in /metrics for 90s, 15m, 24h (15m)\n"
    "  --refresh T         maximum age of an answer (900ms; longer for slow folders)\n"
    "  --json              print the link as a line of JSON\n"
    "  --help              print this help\n"
    "\n"
    "Examples:\n"
    "  pitwall serve\n"
    "  pitwall serve runs/ /scratch/me/runs --open\n"
    "  pitwall serve --listen unix:$XDG_RUNTIME_DIR/pitwall.sock --no-token\n"
    "  pitwall serve --token-file ~/.pitwall-token --metrics-keep 1h\n"
    "\n"
    "Exit status: 0, 64 wrong usage, 66 a folder or the token cannot be read, 69 the\n"
    "address cannot be used, or libmicrohttpd is missing.\n";

enum { LISTEN = 256, OPEN, ALLOW, TOKEN_FILE, NO_TOKEN, SPANS, KEEP, REFRESH };

static const struct option long_options[] = {
    {"listen", required_argument, NULL, LISTEN},
    {"open", no_argument, NULL, OPEN},
    {"allow-host", required_argument, NULL, ALLOW},
    {"token-file", required_argument, NULL, TOKEN_FILE},
    {"no-token", no_argument, NULL, NO_TOKEN},
    {"metrics-spans", required_argument, NULL, SPANS},
    {"metrics-keep", required_argument, NULL, KEEP},
    {"refresh", required_argument, NULL, REFRESH},
    {"json", no_argument, NULL, FORM_JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* "500ms", "90s", "15m", "24h" or plain seconds; 0: not a time. */
static int parse_time(const char *text, double *seconds)
{
    char *end = NULL;
    errno = 0;
    double number = strtod(text, &end);
    double unit = strcmp(end, "") == 0 || strcmp(end, "s") == 0 ? 1
                  : strcmp(end, "ms") == 0                      ? 0.001
                  : strcmp(end, "m") == 0                       ? 60
                  : strcmp(end, "h") == 0                       ? 3600
                  : strcmp(end, "d") == 0                       ? 86400
                                                                : 0;
    if (errno || end == text || unit == 0 || !(number >= 0 && number < 1e9))
        return 0;
    *seconds = number * unit;
    return 1;
}

static int take_option(int option, char *const *argv, struct serve_options *options)
{
    uint64_t number;
    switch (option) {
    case LISTEN:
        options->listen = optarg;
        return 0;
    case OPEN:
        options->open = 1;
        return 0;
    case ALLOW:
        options->allowed[options->allowed_count++] = optarg; /* room for every argument */
        return 0;
    case TOKEN_FILE:
        options->token_file = optarg;
        return 0;
    case NO_TOKEN:
        options->no_token = 1;
        return 0;
    case FORM_JSON:
        options->json = 1;
        return 0;
    case SPANS:
        if (!serve_number(optarg, &number) || number > 1000000)
            return fail_usage("serve", "--metrics-spans", optarg, "must be 0 to 1000000");
        options->metrics_spans = (size_t)number;
        return 0;
    case KEEP:
        if (!parse_time(optarg, &options->metrics_keep_s))
            return fail_usage("serve", "--metrics-keep", optarg,
                              "must be a time such as 90s, 15m, 24h");
        return 0;
    case REFRESH:
        if (!parse_time(optarg, &options->refresh_s))
            return fail_usage("serve", "--refresh", optarg, "must be a time such as 500ms, 2s");
        return 0;
    default:
        return fail_option("serve", option, argv);
    }
}

/* 0; an exit status; or -1 after the help was printed. */
static int parse_options(int argc, char **argv, struct serve_options *options)
{
    int option, status = 0;
    while (!status && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        if (option == 'h') {
            fputs(help, stdout);
            return -1;
        }
        status = take_option(option, argv, options);
    }
    if (!status && options->no_token && options->token_file)
        status = fail_usage("serve", "--no-token", NULL, "cannot be combined with --token-file");
    return status;
}

/* 0, or an exit status after the message. */
static int find_folders(int argc, char **argv, struct serve_options *options)
{
    static char usual[] = "pitwall-runs", here[] = ".";
    static char *const without[] = {usual, here};
    struct stat facts;
    options->folders = optind < argc ? argv + optind : without;
    options->folder_count = optind < argc ? (size_t)(argc - optind) : 2;
    for (int i = optind; i < argc; i++) {
        int is_there = stat(argv[i], &facts) == 0;
        if (is_there && !S_ISDIR(facts.st_mode))
            return fail(EXIT_CANNOT_READ, "cannot read the folder", argv[i],
                        "not a folder; `pitwall report --html` shows a single run");
        if (!is_there || access(argv[i], R_OK | X_OK) != 0)
            return fail(EXIT_CANNOT_READ, "cannot read the folder", argv[i], strerror(errno));
    }
    return 0;
}

static void print_link(const struct serve_options *options, const struct serve_socket *socket,
                       const char *link, const char *token)
{
    if (options->json) {
        struct pit__json json;
        pit__json_init_brief(&json, stdout);
        pit__json_object(&json, NULL);
        pit__json_string(&json, "link", link);
        pit__json_string(&json, "url", socket->path ? NULL : socket->link);
        pit__json_string(&json, "socket", socket->path);
        pit__json_string(&json, "token", *token ? token : NULL);
        pit__json_uint(&json, "pid", (uint64_t)getpid());
        pit__json_object_end(&json);
        pit__json_finish(&json);
    } else {
        puts(link);
    }
    fflush(stdout);
}

static void say(const struct serve_options *options, const struct serve_socket *socket)
{
    if (!socket->is_loopback)
        fail(EXIT_GOOD, "note", socket->link,
             "other machines can reach this address, and HTTP is not encrypted; "
             "docs/serve.md describes ssh -L, a socket and a proxy");
    if (options->no_token && !socket->path)
        fail(EXIT_GOOD, "note", "--no-token",
             socket->is_loopback ? "every user of this machine can read these runs"
                                 : "everybody who can reach this can read these runs");
    if (isatty(STDERR_FILENO))
        fail(EXIT_GOOD, "serving", NULL, "Ctrl-C stops it");
}

static int serve(const struct serve_options *options)
{
    struct httpd httpd;
    struct serve_socket socket;
    struct serve_runs runs = {.options = options};
    char token[SERVE_TOKEN_ROOM], link[sizeof socket.link + SERVE_TOKEN_ROOM + 20];
    sigset_t before;
    int status = httpd_load(&httpd);
    if (!status)
        status = serve_token(options, token);
    serve_catch_signals(&before);
    if (!status)
        status = serve_listen(options->listen, &socket);
    if (status)
        return status;
    snprintf(link, sizeof link, "%s%s%s%s", socket.path ? "unix:" : "", socket.link,
             *token ? "#token=" : "", token);
    snprintf(runs.epoch, sizeof runs.epoch, "%" PRIx64, (uint64_t)serve_wall_ns());
    print_link(options, &socket, link, token);
    say(options, &socket);
    if (options->open && !socket.path)
        serve_open_browser(link, &before);
    status = serve_http(&httpd, &socket, token, &runs, &before);
    serve_open_done();
    serve_runs_free(&runs);
    serve_socket_close(&socket);
    return status;
}

int cmd_serve(int argc, char **argv)
{
    struct serve_options options = {.listen = "127.0.0.1:7481",
                                    .metrics_spans = PIT__METRICS_SPANS,
                                    .metrics_keep_s = 15 * 60,
                                    .refresh_s = 0.9,
                                    .allowed = calloc((size_t)argc + 1, sizeof(const char *))};
    if (!options.allowed)
        return fail(EXIT_COMMAND_FAILED, "cannot serve", NULL, strerror(ENOMEM));
    int status = parse_options(argc, argv, &options);
    if (!status)
        status = find_folders(argc, argv, &options);
    if (!status)
        status = serve(&options);
    free(options.allowed);
    return status < 0 ? EXIT_GOOD : status;
}

/* serve_listen.c: the socket that the server listens on: an address and port, or a path. */
#include "serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 128
#define UNIX "unix:"

static int cannot(const char *where, const char *why)
{
    return fail(EXIT_COMMAND_FAILED, "cannot listen", where, why);
}

/* ---- a path ---------------------------------------------------------------------------------- */

/* Is it a socket of ours, left by a server that has ended? */
static int is_stale(const struct sockaddr_un *address)
{
    struct stat facts;
    if (lstat(address->sun_path, &facts) != 0 || !S_ISSOCK(facts.st_mode) ||
        facts.st_uid != geteuid())
        return 0;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int is_refused = fd >= 0 &&
                     connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                     errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return is_refused;
}

static int bind_path(int fd, const struct sockaddr_un *address)
{
    mode_t mask = umask(S_IRWXG | S_IRWXO); /* only the owner may use the socket */
    int result = bind(fd, (const struct sockaddr *)address, sizeof *address);
    if (result != 0 && errno == EADDRINUSE && is_stale(address) && unlink(address->sun_path) == 0)
        result = bind(fd, (const struct sockaddr *)address, sizeof *address);
    umask(mask);
    return result;
}

static int listen_at_path(const char *path, struct serve_socket *made)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof address.sun_path)
        return cannot(path, "the path of a socket must have 1 to 107 bytes");
    strcpy(address.sun_path, path);
    made->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made->fd < 0 || bind_path(made->fd, &address) != 0)
        return cannot(path, strerror(errno));
    made->path = strdup(path);
    made->is_loopback = 1;
    snprintf(made->link, sizeof made->link, "%s", path);
    return made->path && listen(made->fd, BACKLOG) == 0 ? 0 : cannot(path, strerror(errno));
}

/* ---- an address and port ---------------------------------------------------------------------- */

/* The address in both forms, of which its family selects one. */
struct forms {
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static struct forms forms_of(const struct sockaddr_storage *address)
{
    struct forms form;
    memcpy(&form.four, address, sizeof form.four);
    memcpy(&form.six, address, sizeof form.six);
    return form;
}

static int is_loopback(const struct sockaddr_storage *address)
{
    struct forms form = forms_of(address);
    return address->ss_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&form.six.sin6_addr)
                                          : ntohl(form.four.sin_addr.s_addr) >> 24 == 127;
}

static int is_wildcard(const struct sockaddr_storage *address)
{
    struct forms form = forms_of(address);
    return address->ss_family == AF_INET6 ? IN6_IS_ADDR_UNSPECIFIED(&form.six.sin6_addr)
                                          : form.four.sin_addr.s_addr == htonl(INADDR_ANY);
}

static unsigned port_of(const struct sockaddr_storage *address)
{
    struct forms form = forms_of(address);
    return ntohs(address->ss_family == AF_INET6 ? form.six.sin6_port : form.four.sin_port);
}

/* "127.0.0.1", "[::1]". An IPv4-mapped IPv6 address is written as IPv4. */
static void write_address(const struct sockaddr_storage *address, char *text, size_t room)
{
    char plain[INET6_ADDRSTRLEN] = "";
    *text = '\0';
    if (address->ss_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, plain, sizeof plain);
    else if (address->ss_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, plain,
                  sizeof plain);
    else
        return;
    if (strncmp(plain, "::ffff:", 7) == 0 && strchr(plain, '.'))
        snprintf(text, room, "%s", plain + 7);
    else
        snprintf(text, room, address->ss_family == AF_INET6 ? "[%s]" : "%s", plain);
}

void serve_own_address(int fd, char *text, size_t room)
{
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
    socklen_t length = sizeof address;
    *text = '\0';
    if (getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        write_address(&address, text, room);
}

/* Split HOST:PORT, [ADDRESS]:PORT, HOST or :PORT. Returns 0 if it has another form. */
static int split(const char *where, char *host, size_t room, const char **port)
{
    const char *end = where[0] == '[' ? strchr(where, ']') : strchr(where, ':');
    size_t length = !end ? strlen(where) : (size_t)(end - where);
    const char *begin = where;
    if (where[0] == '[') {
        if (!end || (end[1] && end[1] != ':'))
            return 0;
        begin++;
        length--;
        end = end[1] ? end + 1 : NULL;
    }
    if (length >= room)
        return 0;
    memcpy(host, begin, length);
    host[length] = '\0';
    *port = end ? end + 1 : "7481";
    if (!*host)
        snprintf(host, room, "127.0.0.1");
    uint64_t number;
    return serve_number(*port, &number) && number < 65536;
}

static int bind_address(const char *where, const struct addrinfo *found, struct serve_socket *made)
{
    int one = 1;
    made->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made->fd < 0)
        return cannot(where, strerror(errno));
    setsockopt(made->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(made->fd, found->ai_addr, found->ai_addrlen) == 0 && listen(made->fd, BACKLOG) == 0)
        return 0;
    int is_taken = errno == EADDRINUSE;
    return cannot(where, is_taken ? "the port is in use, perhaps by another pitwall serve; "
                                    "--listen 127.0.0.1:0 uses a free one"
                                  : strerror(errno));
}

static int listen_at_address(const char *where, struct serve_socket *made)
{
    char host[256], address_text[80];
    const char *port;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    if (!split(where, host, sizeof host, &port))
        return fail_usage("serve", "--listen", where,
                          "must be ADDRESS:PORT, [ADDRESS]:PORT or unix:PATH");
    int code = getaddrinfo(host, port, &hints, &found);
    if (code != 0)
        return cannot(where, gai_strerror(code));
    int status = bind_address(where, found, made);
    freeaddrinfo(found);
    if (status)
        return status;
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
    socklen_t length = sizeof address;
    if (getsockname(made->fd, (struct sockaddr *)&address, &length) != 0)
        return cannot(where, strerror(errno));
    write_address(&address, address_text, sizeof address_text);
    made->is_loopback = is_loopback(&address);
    if (!is_wildcard(&address))
        snprintf(made->bound, sizeof made->bound, "%s", address_text);
    snprintf(made->link, sizeof made->link, "http://%s:%u/",
             *made->bound ? made->bound : "localhost", port_of(&address));
    return 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

int serve_listen(const char *where, struct serve_socket *made)
{
    *made = (struct serve_socket){.fd = -1};
    int status = strncmp(where, UNIX, strlen(UNIX)) == 0
                     ? listen_at_path(where + strlen(UNIX), made)
                     : listen_at_address(where, made);
    if (status)
        serve_socket_close(made);
    return status;
}

void serve_socket_close(struct serve_socket *made)
{
    if (made->fd >= 0)
        close(made->fd);
    if (made->path)
        unlink(made->path);
    free(made->path);
    *made = (struct serve_socket){.fd = -1};
}

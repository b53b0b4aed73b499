/* microhttpd.h: the part of libmicrohttpd that we use, declared here and loaded when the server starts:
 * other commands do not load it, and the build does not need its header. The names are those of the
 * library without MHD_; tests/system/test_serve.py compares the constants with the library's header. */
#ifndef PIT_MICROHTTPD_H
#define PIT_MICROHTTPD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
    HTTPD_USE_EPOLL = 512,
    HTTPD_OPTION_END = 0,
    HTTPD_OPTION_CONNECTION_MEMORY_LIMIT = 1,
    HTTPD_OPTION_CONNECTION_LIMIT = 2,
    HTTPD_OPTION_CONNECTION_TIMEOUT = 3,
    HTTPD_OPTION_NOTIFY_COMPLETED = 4,
    HTTPD_OPTION_LISTEN_SOCKET = 12,
    HTTPD_OPTION_NOTIFY_CONNECTION = 27,
    HTTPD_HEADER_KIND = 1,
    HTTPD_GET_ARGUMENT_KIND = 8,
    HTTPD_CONNECTION_NOTIFY_STARTED = 0,
    HTTPD_CONNECTION_INFO_CONNECTION_FD = 6,
    HTTPD_CONNECTION_INFO_SOCKET_CONTEXT = 7,
    HTTPD_DAEMON_INFO_EPOLL_FD = 3,
    HTTPD_YES = 1,
    HTTPD_NO = 0
};

struct MHD_Daemon;
struct MHD_Connection;
struct MHD_Response;

union httpd_connection_info { /* the two members we ask for */
    int connect_fd;
    void *socket_context;
};
union httpd_daemon_info {
    int epoll_fd;
};

typedef int httpd_handler(void *cls, struct MHD_Connection *connection, const char *url,
                          const char *method, const char *version, const char *upload_data,
                          size_t *upload_bytes, void **request);
typedef void httpd_completed(void *cls, struct MHD_Connection *connection, void **request, int why);
typedef void httpd_connected(void *cls, struct MHD_Connection *connection, void **socket_context,
                             int what);

typedef int httpd_each(void *cls, int kind, const char *key, const char *value);

/* clang-format off */
#define HTTPD_FUNCTIONS(X)                                                                         \
    X(struct MHD_Daemon *, start_daemon, (unsigned flags, uint16_t port, void *accept,             \
                                          void *accept_cls, httpd_handler *handler, void *cls, ...)) \
    X(void, stop_daemon, (struct MHD_Daemon * daemon))                                             \
    X(int, run, (struct MHD_Daemon * daemon))                                                      \
    X(int, get_timeout, (struct MHD_Daemon * daemon, unsigned long long *ms))                      \
    X(const union httpd_daemon_info *, get_daemon_info, (struct MHD_Daemon * daemon, int what, ...)) \
    X(const union httpd_connection_info *, get_connection_info,                                    \
      (struct MHD_Connection * connection, int what, ...))                                         \
    X(const char *, lookup_connection_value,                                                       \
      (struct MHD_Connection * connection, int kind, const char *key))                             \
    X(int, get_connection_values,                                                                  \
      (struct MHD_Connection * connection, int kind, httpd_each *each, void *cls))                 \
    X(struct MHD_Response *, create_response_from_buffer_with_free_callback,                       \
      (size_t bytes, void *buffer, void (*done)(void *buffer)))                                    \
    X(int, add_response_header,                                                                    \
      (struct MHD_Response * response, const char *name, const char *value))                       \
    X(int, queue_response,                                                                         \
      (struct MHD_Connection * connection, unsigned status, struct MHD_Response *response))        \
    X(void, destroy_response, (struct MHD_Response * response))
/* clang-format on */

struct httpd {
    void *library;
#define HTTPD_MEMBER(type_, name_, arguments_) type_(*name_) arguments_;
    HTTPD_FUNCTIONS(HTTPD_MEMBER)
#undef HTTPD_MEMBER
};

/* 0, or an exit status after a message that names the package. */
int httpd_load(struct httpd *httpd);

#endif

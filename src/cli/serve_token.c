/* serve_token.c: the token that requests must contain: newly made, or kept in a private file. */
#include "serve.h"

#include "base/hex.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define TOKEN_BYTES 24
#define TOKEN_SHORTEST 16

static int make_token(char token[SERVE_TOKEN_ROOM])
{
    unsigned char random[TOKEN_BYTES];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return fail(EXIT_COMMAND_FAILED, "cannot make a token", NULL, strerror(errno));
    pit__hex(random, sizeof random, token);
    return 0;
}

static int write_token(const char *path, int fd, char token[SERVE_TOKEN_ROOM])
{
    char line[SERVE_TOKEN_ROOM + 1];
    int status = make_token(token);
    if (status)
        return status;
    int length = snprintf(line, sizeof line, "%s\n", token);
    if (write(fd, line, (size_t)length) != length)
        return fail(EXIT_CANNOT_WRITE, "cannot write the token", path, strerror(errno));
    return 0;
}

/* Characters that need no escaping in a header or a link. */
static int is_good(const char *token)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";
    size_t length = strlen(token);
    return length >= TOKEN_SHORTEST && strspn(token, good) == length;
}

static int read_token(const char *path, int fd, char token[SERVE_TOKEN_ROOM])
{
    struct stat facts;
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))
        return fail(EXIT_CANNOT_READ, "cannot read the token", path, "not a regular file");
    if (facts.st_uid != geteuid())
        return fail(EXIT_CANNOT_READ, "will not use the token", path, "it belongs to another user");
    if (facts.st_mode & (S_IRWXG | S_IRWXO))
        return fail(EXIT_CANNOT_READ, "will not use the token", path,
                    "other users can read or change it; run chmod 600 on it");
    ssize_t got = read(fd, token, SERVE_TOKEN_ROOM - 1);
    if (got < 0)
        return fail(EXIT_CANNOT_READ, "cannot read the token", path, strerror(errno));
    token[got] = '\0';
    token[strcspn(token, "\r\n")] = '\0';
    return is_good(token) ? 0
                          : fail(EXIT_CANNOT_READ, "will not use the token", path,
                                 "its first line must be 16 to 128 of the characters "
                                 "A-Z a-z 0-9 - _ . ~");
}

int serve_token(const struct serve_options *options, char token[SERVE_TOKEN_ROOM])
{
    const char *path = options->token_file;
    token[0] = '\0';
    if (options->no_token)
        return 0;
    if (!path)
        return make_token(token);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    int is_new = fd >= 0;
    if (!is_new && errno == EEXIST)
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return fail(EXIT_CANNOT_READ, "cannot open the token", path, strerror(errno));
    int status = is_new ? write_token(path, fd, token) : read_token(path, fd, token);
    close(fd);
    return status;
}

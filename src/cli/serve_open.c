/* serve_open.c: opens the page in the user's browser.
 *
 * All users can read the arguments of a program, and the link contains the token. So the browser gets a
 * small private file that redirects to the link. */
#include "serve.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char leading[PATH_MAX]; /* path of the file, "" if there is none */

/* The link contains no characters that need to be escaped. */
static int write_leading(const char *link)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    if (!folder || access(folder, W_OK) != 0)
        folder = "/tmp";
    snprintf(leading, sizeof leading, "%s/pitwall-XXXXXX.html", folder);
    int fd = mkstemps(leading, 5); /* mode 0600 */
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out)
        return 0;
    fprintf(out,
            "<!doctype html><meta charset=\"utf-8\"><title>Pitwall</title>"
            "<meta http-equiv=\"refresh\" content=\"0; url=%s\"><a href=\"%s\">Pitwall</a>\n",
            link, link);
    return fclose(out) == 0;
}

void serve_open_browser(const char *link, const sigset_t *before)
{
    const char *opener = getenv("BROWSER");
    if (!opener || !*opener || strpbrk(opener, ": %"))
        opener = "xdg-open";
    if (!write_leading(link)) {
        fail(EXIT_GOOD, "cannot open a browser", leading, strerror(errno));
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, pipe_signal);
        sigprocmask(SIG_SETMASK, before, NULL);
        if (fork() == 0) { /* the browser may run as long as it likes; we do not wait for it */
            dup2(STDERR_FILENO, STDOUT_FILENO);
            execlp(opener, opener, leading, (char *)NULL);
            fail(EXIT_GOOD, "cannot open a browser", opener, strerror(errno));
            _exit(127);
        }
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

void serve_open_done(void)
{
    if (*leading)
        unlink(leading);
}

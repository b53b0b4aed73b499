/* microhttpd_load.c: loads libmicrohttpd when it is needed. */
#include "microhttpd.h"

#include "cli.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libmicrohttpd.so.12"

/* Stores a symbol as a function pointer, which POSIX allows. */
static int find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* In a wheel the library is linked into the tool, so it is looked up in the program itself. */
static void *load_library(void)
{
#ifdef PITWALL_OWN_HTTPD
    return dlopen(NULL, RTLD_NOW | RTLD_LOCAL);
#else
    return dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
#endif
}

int httpd_load(struct httpd *httpd)
{
    int is_whole = 1;
    httpd->library = load_library();
    if (!httpd->library)
        return fail(EXIT_COMMAND_FAILED, "cannot serve", LIBRARY,
                    "it is not installed, or cannot be loaded; apt-get install libmicrohttpd12 "
                    "(libmicrohttpd12t64 on newer systems), on others the package libmicrohttpd");
#define FIND(type_, name_, arguments_)                                                             \
    is_whole &= find(httpd->library, "MHD_" #name_, &httpd->name_);
    HTTPD_FUNCTIONS(FIND)
#undef FIND
    return is_whole ? 0
                    : fail(EXIT_COMMAND_FAILED, "cannot serve", LIBRARY,
                           "too old: version 0.9.62 or later is required");
}

/* check.h: the unit tests' harness.
 *
 * TEST(a_sentence_about_what_holds) { CHECK(…); } registers a case. Each case runs in a separate
 * process, because the default recorder belongs to the whole process, and so that a crash is one failed
 * case. Include it in exactly one file of a test program; it defines main().
 * Usage: test_x [part of a case's name]
 */
#ifndef PIT_CHECK_H
#define PIT_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct check_case {
    const char *name;
    void (*run)(void);
};

static struct check_case check_cases[256];
static int check_case_count;
static int check_failures;

extern char **environ;

/* The settings of the caller, for example a batch job, do not apply; before the library reads them. */
__attribute__((constructor(101))) static void check_surroundings(void)
{
    static const char *const kept[] = {
        "PITWALL_TEST_ALL=", "PITWALL_SANITIZER=", "PITWALL_EMULATED=", "PITWALL_FEW_RACES="};
    static const char *const removed[] = {
        "PITWALL",           "SLURM",     "PMI",         "OMPI_COMM",   "TORCHELASTIC",
        "MPI_LOCAL",         "RANK=",     "WORLD_SIZE=", "LOCAL_RANK=", "GROUP_RANK=",
        "GROUP_WORLD_SIZE=", "NO_COLOR=", "COLUMNS="};
    umask(022);
    for (char **at = environ; at && *at;) {
        char name[64] = "";
        int is_removed = 0;
        for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++)
            is_removed |= strncmp(*at, removed[i], strlen(removed[i])) == 0;
        for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
            is_removed &= strncmp(*at, kept[i], strlen(kept[i])) != 0;
        size_t length = strcspn(*at, "=");
        if (is_removed && length < sizeof name) {
            memcpy(name, *at, length);
            unsetenv(name);
            at = environ; /* the list has moved */
        } else {
            at++;
        }
    }
}

static inline void check_register(const char *name, void (*run)(void))
{
    if (check_case_count == (int)(sizeof check_cases / sizeof check_cases[0]))
        abort();
    check_cases[check_case_count++] = (struct check_case){name, run};
}

/* How many rounds a statistical test makes: a sample, or all with PITWALL_TEST_ALL=1. */
static inline int check_rounds(int sample, int all)
{
    const char *wish = getenv("PITWALL_TEST_ALL");
    return wish && strcmp(wish, "1") == 0 ? all : sample;
}

/* Does this build repeat what the first one tested: that of a sanitizer, another compiler, an emulator?
 * tests/run.py says so. */
static inline int check_is_repeated(void)
{
    return getenv("PITWALL_SANITIZER") || getenv("PITWALL_EMULATED") || getenv("PITWALL_FEW_RACES");
}

/* The same where the number itself costs time: a build that repeats the first one makes `again` rounds, and
 * with PITWALL_TEST_ALL=1 as many as the first one usually makes. */
static inline int check_repeat(int again, int sample, int all)
{
    return check_is_repeated() ? check_rounds(again, sample) : check_rounds(sample, all);
}

#define TEST(name_)                                                                                \
    static void name_(void);                                                                       \
    __attribute__((constructor)) static void register_##name_(void)                                \
    {                                                                                              \
        check_register(#name_, name_);                                                             \
    }                                                                                              \
    static void name_(void)

#define CHECK(cond_)                                                                               \
    do {                                                                                           \
        if (!(cond_)) {                                                                            \
            printf("  %s:%d: %s\n", __FILE__, __LINE__, #cond_);                                   \
            check_failures++;                                                                      \
        }                                                                                          \
    } while (0)

#define CHECK_INT(got_, want_)                                                                     \
    do {                                                                                           \
        long long check_got = (long long)(got_), check_want = (long long)(want_);                  \
        if (check_got != check_want) {                                                             \
            printf("  %s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #got_, check_got,        \
                   check_want);                                                                    \
            check_failures++;                                                                      \
        }                                                                                          \
    } while (0)

#define CHECK_STR(got_, want_)                                                                     \
    do {                                                                                           \
        const char *check_got = (got_), *check_want = (want_);                                     \
        if (!check_got || strcmp(check_got, check_want) != 0) {                                    \
            printf("  %s:%d: %s is\n%s\n  not\n%s\n", __FILE__, __LINE__, #got_,                   \
                   check_got ? check_got : "(null)", check_want);                                  \
            check_failures++;                                                                      \
        }                                                                                          \
    } while (0)

/* Check that a text contains a part. */
#define CHECK_HAS(text_, part_)                                                                    \
    do {                                                                                           \
        const char *check_text = (text_), *check_part = (part_);                                   \
        if (!strstr(check_text, check_part)) {                                                     \
            printf("  %s:%d: there is no\n%s\n  in\n%s\n", __FILE__, __LINE__, check_part,         \
                   check_text);                                                                    \
            check_failures++;                                                                      \
        }                                                                                          \
    } while (0)

#define CHECK_NEAR(got_, want_, tolerance_)                                                        \
    do {                                                                                           \
        double check_got = (got_), check_want = (want_), check_off = check_got - check_want;       \
        if (!(check_off <= (tolerance_) && -check_off <= (tolerance_))) {                          \
            printf("  %s:%d: %s is %.17g, not %.17g\n", __FILE__, __LINE__, #got_, check_got,      \
                   check_want);                                                                    \
            check_failures++;                                                                      \
        }                                                                                          \
    } while (0)

/* Like CHECK, but ends the case. */
#define REQUIRE(cond_)                                                                             \
    do {                                                                                           \
        if (!(cond_)) {                                                                            \
            printf("  %s:%d: required: %s\n", __FILE__, __LINE__, #cond_);                         \
            fflush(stdout);                                                                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static int check_run(const struct check_case *c)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0)
        abort();
    if (pid == 0) {
        c->run();
        exit(check_failures ? 1 : 0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    int good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFSIGNALED(status))
        printf("  killed by signal %d\n", WTERMSIG(status));
    if (!good)
        printf("FAIL %s\n", c->name);
    return good;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0;
    for (int i = 0; i < check_case_count; i++) {
        if (argc > 1 && !strstr(check_cases[i].name, argv[1]))
            continue;
        if (check_run(&check_cases[i]))
            passed++;
        else
            failed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

#endif

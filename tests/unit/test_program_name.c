/* The name of a program: from its file, or from the script that Python runs. */
#include "check.h"
#include "recorder/place.h"
#include "recorder/recorder.h"

/* "name" or "name by interpreter" */
static const char *called(const char *const *argv)
{
    static char text[400];
    struct pit__program program;
    pit__program_of(&program, argv);
    snprintf(text, sizeof text, "%s%s%s", program.name, program.interpreter[0] ? " by " : "",
             program.interpreter);
    return text;
}

#define CALLED(...) called((const char *const[]){__VA_ARGS__, NULL})

TEST(a_program_is_called_by_its_file)
{
    CHECK_STR(CALLED("/opt/bin/train", "data.py"), "train");
    CHECK_STR(CALLED("python-config", "x.py"), "python-config");
    CHECK_STR(CALLED("pythonic", "x.py"), "pythonic");
}

TEST(a_script_of_python_is_called_by_its_own_name)
{
    CHECK_STR(CALLED("/usr/bin/python3", "models/train.py", "--lr", "0.1"), "train.py by python3");
    CHECK_STR(CALLED("python3.13t", "./train.py", "-m", "other"), "train.py by python3.13t");
    CHECK_STR(CALLED("pypy3.10", "train"), "train by pypy3.10");
    CHECK_STR(CALLED("python3-dbg", "--", "-odd.py"), "-odd.py by python3-dbg");
}

TEST(options_of_python_are_not_the_script)
{
    CHECK_STR(CALLED("python", "-u", "-X", "dev", "train.py"), "train.py by python");
    CHECK_STR(CALLED("python", "-uXdev", "-W", "ignore", "train.py"), "train.py by python");
    CHECK_STR(CALLED("python", "-OuW", "ignore", "train.py"), "train.py by python");
    CHECK_STR(CALLED("python", "--check-hash-based-pycs", "never", "train.py"),
              "train.py by python");
}

TEST(a_module_is_called_by_its_name)
{
    CHECK_STR(CALLED("python3", "-m", "shop.train", "x.py"), "shop.train by python3");
    CHECK_STR(CALLED("python3", "-um", "shop.train"), "shop.train by python3");
    CHECK_STR(CALLED("python3", "-mtrain"), "train by python3");
}

TEST(python_without_a_script_is_the_program)
{
    CHECK_STR(CALLED("python3"), "python3");
    CHECK_STR(CALLED("python3", "-c", "import train", "train.py"), "python3");
    CHECK_STR(CALLED("python3", "-ucimport train", "train.py"), "python3");
    CHECK_STR(CALLED("python3", "-", "train.py"), "python3");
    CHECK_STR(CALLED("python3", "-X"), "python3");
    CHECK_STR(CALLED("python3", "-m"), "python3");
    CHECK_STR(CALLED("python3", ".."), "python3");
    CHECK_STR(CALLED("python3", "models/"), "python3");
}

TEST(this_process_is_called_by_its_file)
{
    struct pit__program program;
    pit__program_own(&program);
    CHECK_STR(program.name, "test_program_name");
    CHECK_STR(program.interpreter, "");
}

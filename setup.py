"""Builds the package for `pip install`: the Python package with the tool, the libraries and the headers
inside. CMake builds everything (CMakeLists.txt); this file passes it the folders of a wheel.

    pitwall/            the package, its extension, the hooks
    pitwall/bin         the tool
    pitwall/lib         libpitwall, the libraries to preload, pkg-config and CMake files
    pitwall/include     the headers
    scripts: pitwall    starts the tool

PITWALL_CMAKE_FOLDER names a folder to build in, which wheels for several Pythons can share;
PITWALL_CMAKE_ARGS are more arguments for CMake.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

try:
    from setuptools.command.build_scripts import build_scripts
except ImportError:  # before setuptools 65
    from distutils.command.build_scripts import build_scripts

LAUNCHER = "pitwall_launcher"
FOLDERS = {
    "CMAKE_INSTALL_BINDIR": "pitwall/bin",
    "CMAKE_INSTALL_LIBDIR": "pitwall/lib",
    "CMAKE_INSTALL_INCLUDEDIR": "pitwall/include",
    "CMAKE_INSTALL_DATAROOTDIR": "pitwall/share",
    "PITWALL_PYTHON_DIR": ".",
    "PITWALL_PYTHON_RPATH": "$ORIGIN/lib",
}
OPTIONS = {
    "PITWALL_PROGRAMS": "OFF",
    "PITWALL_NO_SYMLINKS": "ON",
    "PITWALL_LAUNCHER": "ON",
    "PITWALL_PYTHON_REQUIRED": "ON",
    "PITWALL_TOOL_REQUIRED": "OFF",  # without its libraries there is still the package
    "PITWALL_STATIC_TOOL": "ON",
    "CMAKE_BUILD_TYPE": "Release",
    "CMAKE_C_FLAGS_RELEASE": "-O2 -DNDEBUG",
}


def version():
    with open(os.path.join("include", "pitwall.h"), encoding="utf-8") as header:
        return re.search(r'^#define PITWALL_VERSION "(.+)"', header.read(), re.M).group(1)


def commit():
    """The commit, as in cmake/commit.cmake; None if it is not known."""
    if os.path.exists("COMMIT"):
        with open("COMMIT", encoding="utf-8") as file:
            return file.read().strip()
    if not os.path.exists(".git"):
        with open(os.path.join("cmake", "archive_commit.txt"), encoding="utf-8") as file:
            archived = re.match(r"[0-9a-f]{12}", file.read())
        return archived.group() if archived else None
    asked = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude", "*",
                            "--abbrev=12"], stdout=subprocess.PIPE, text=True, check=False)
    return asked.stdout.strip() or None


def needed():
    """Build tools: CMake, and make or ninja; from PyPI if the system has none."""
    tools = [] if shutil.which("cmake") else ["cmake>=3.18"]
    return tools + ([] if shutil.which("make") or shutil.which("ninja") else ["ninja"])


class Build(build_ext):
    """CMake builds everything and installs it into the folder that the wheel is made of."""

    def build_extension(self, ext):
        extension = os.path.abspath(self.get_ext_fullpath(ext.name))
        prefix = os.path.dirname(os.path.dirname(extension))
        folder = os.path.abspath(os.environ.get("PITWALL_CMAKE_FOLDER")
                                 or os.path.join(self.build_temp, "cmake"))
        settings = dict(FOLDERS, PITWALL_PYTHON=sys.executable, **OPTIONS)
        settings["CMAKE_INSTALL_PREFIX"] = "/usr"  # of no use here, and some folders depend on it
        self.spawn(["cmake", "-S", ".", "-B", folder, "-Wno-dev", "--log-level=WARNING",
                    *("-D%s=%s" % pair for pair in settings.items()),
                    *shlex.split(os.environ.get("PITWALL_CMAKE_ARGS", ""))])
        self.spawn(["cmake", "--build", folder, "--target", "installed",
                    "-j", str(len(os.sched_getaffinity(0)))])
        self.spawn(["cmake", "--install", folder, "--prefix", prefix, "--strip"])
        launcher = os.path.join(prefix, "pitwall", "bin", LAUNCHER)
        os.makedirs(self.build_temp, exist_ok=True)
        shutil.move(launcher, os.path.join(self.build_temp, LAUNCHER))


class Scripts(build_scripts):
    """The command is a binary; setuptools expects a text file."""

    def run(self):
        built = self.get_finalized_command("build_ext")
        os.makedirs(self.build_dir, exist_ok=True)
        shutil.copy2(os.path.join(built.build_temp, LAUNCHER),
                     os.path.join(self.build_dir, "pitwall"))


class Sources(sdist):
    """Adds the file COMMIT, because the sdist has no git."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        known = commit()
        if known:
            with open(os.path.join(base_dir, "COMMIT"), "w", encoding="utf-8") as file:
                file.write(known + "\n")


setup(
    version=version(),
    ext_modules=[Extension("pitwall._pitwall", sources=[])],
    scripts=["pitwall"],
    setup_requires=needed(),
    cmdclass={"build_ext": Build, "build_scripts": Scripts, "sdist": Sources},
)

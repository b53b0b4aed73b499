"""Builds the package's two shared objects: libpitwall.so.0, the same sources as the C library's, and
the extension beside it, which finds it by its own place. A process has one recorder, so the library
is never linked into the extension."""

import glob
import os
import re
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripts"))
import page_assets  # noqa: E402

APART = ("alloc", "preload", "functions", "mpi", "openmp", "opencl", "cli")  # folders of src/ that are no part of the library
LIBRARY = "libpitwall.so.0"
FLAGS = ["-std=c11", "-O2", "-fvisibility=hidden", "-pthread"]


def version():
    with open(os.path.join("include", "pitwall.h"), encoding="utf-8") as header:
        return re.search(r'^#define PITWALL_VERSION "(.+)"', header.read(), re.M).group(1)


def source_list(folder):
    """The list of the sampler's sources, as cmake/library.cmake makes it."""
    names = [os.path.basename(f)[:-2] for f in sorted(glob.glob("src/recorder/sources/*.c"))]
    path = os.path.join(folder, "pitwall_source_list.c")
    os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write('#include "recorder/sample_source.h"\n')
        for name in names:
            file.write("extern const struct pit__sample_source pit__source_%s;\n" % name)
        file.write("const struct pit__sample_source *const pit__source_list[] = {%s, NULL};\n"
                   % ", ".join("&pit__source_" + name for name in names))
    return path


class Build(build_ext):
    """The library first, into the folder the extension goes to."""

    def build_extension(self, ext):
        folder = os.path.dirname(self.get_ext_fullpath(ext.name))
        os.makedirs(folder, exist_ok=True)
        sources = sorted(f for f in glob.glob("src/**/*.c", recursive=True)
                         if f.split(os.sep)[1] not in APART)
        sources += [source_list(self.build_temp), page_assets.make(".", self.build_temp)]
        objects = self.compiler.compile(
            sources,
            output_dir=os.path.join(self.build_temp, "library"),
            macros=[("_GNU_SOURCE", "")],
            include_dirs=["include", "src"],
            extra_postargs=FLAGS + ["-fPIC"],
        )
        library = os.path.join(folder, LIBRARY)
        options = ["-Wl,-soname," + LIBRARY, "-Wl,-z,nodelete", "-Wl,--no-undefined", "-pthread"]
        self.compiler.link_shared_object(objects, library, libraries=["m"], extra_postargs=options)
        ext.extra_objects = [library]
        super().build_extension(ext)


setup(
    version=version(),
    ext_modules=[
        Extension(
            "pitwall._pitwall",
            sources=sorted(glob.glob("python/*.c")),
            depends=sorted(glob.glob("python/*.h") + glob.glob("include/*.h")),
            include_dirs=["include"],
            define_macros=[("_GNU_SOURCE", "")],
            extra_compile_args=FLAGS + ["-fno-plt"],
            extra_link_args=["-Wl,-rpath,$ORIGIN", "-Wl,-z,now"],
            libraries=["m"],
        )
    ],
    cmdclass={"build_ext": Build},
)

"""PyOpenCL has no hooks: a preload library records its work. The Python executable does not mention OpenCL,
so `pitwall run` cannot know in advance, and the report says how to enable it."""

import os

from . import _auto


def install(pyopencl):
    if "libpitwall-opencl" not in os.environ.get("LD_PRELOAD", ""):
        _auto.fact("device_events", "PyOpenCL's work is not recorded without pitwall run --opencl")
        _auto._tell_facts()

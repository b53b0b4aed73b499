"""PyOpenCL has no hooks: its work is recorded by a preload library. Python's own file does not name OpenCL, so
`pitwall run` cannot know beforehand, and the report says how to get it."""

import os

from . import _auto


def install(pyopencl):
    if "libpitwall-opencl" not in os.environ.get("LD_PRELOAD", ""):
        _auto.fact("device_events", "PyOpenCL's work is not recorded without pitwall run --opencl")
        _auto._tell_facts()

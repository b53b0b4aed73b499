"""A control group that limits processor time or memory, for one program of the planted suite."""

import contextlib
import os

ROOT = "/sys/fs/cgroup"
PERIOD_US = 100000


class NotHere(Exception):
    """The limit cannot be set on this machine."""


def _write(group, name, value):
    with open(os.path.join(group, name), "w", encoding="ascii") as file:
        file.write(str(value))


def _own_group(controller):
    """This process's group in the hierarchy of a controller (version 1), or None."""
    base = os.path.join(ROOT, controller)
    if not os.path.isdir(base):
        return None
    with open("/proc/self/cgroup", encoding="ascii") as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            if controller in controllers.split(","):
                inside = base + path
                return inside if os.path.isdir(inside) else base
    return None


def _settings(wanted):
    """The settings: (controller, file of version 1, value, file of version 2, value)."""
    if "processors" in wanted:
        quota = int(wanted["processors"] * PERIOD_US)
        yield ("cpu", "cpu.cfs_quota_us", quota, "cpu.max", "%d %d" % (quota, PERIOD_US))
    if "memory_mb" in wanted:
        bytes_ = wanted["memory_mb"] * 1048576
        yield ("memory", "memory.limit_in_bytes", bytes_, "memory.max", bytes_)


@contextlib.contextmanager
def limits(wanted):
    """The words to put before a command so that it runs with these limits: {"processors": 0.4, "memory_mb":
    64}. Raises NotHere."""
    made = []
    try:
        for controller, file_1, value_1, file_2, value_2 in _settings(wanted):
            parent = _own_group(controller)
            group = os.path.join(parent or ROOT, "pitwall-planted-%d" % os.getpid())
            try:
                os.mkdir(group)
                made.append(group)
                _write(group, *((file_1, value_1) if parent else (file_2, value_2)))
            except OSError as error:
                raise NotHere("no control group for %s: %s" % (controller, error)) from None
        script = "".join("echo $$ >'%s/cgroup.procs' && " % group for group in made)
        yield ["sh", "-c", script + 'exec "$@"', "sh"] if made else []
    finally:
        for group in made:
            with contextlib.suppress(OSError):
                os.rmdir(group)

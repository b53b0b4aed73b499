"""Started by every Python below `pitwall run`: watches for the libraries that Pitwall has hooks for,
and hands over to the sitecustomize that would have been found without it. The program that was started
itself, not those that it starts, is also sampled from its beginning: where in its code it is.

Nothing else is imported that the program does not import itself, and in programs that it starts the
package pitwall only once there is something to hook. Whatever fails here is told in one line and leaves
the program as it was.
"""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGES = os.path.dirname(os.path.dirname(_HERE))  # the folder that has the package pitwall


class _OtherPython(ImportError):
    """Our package is for another Python than the program's."""


def _check_python():
    """A package is for one version of Python: the one that it was installed with."""
    package = os.path.dirname(_HERE)
    built = [name for name in os.listdir(package) if name.startswith("_pitwall.") and name.endswith(".so")]
    if not any("_pitwall" + suffix in built for suffix in importlib.machinery.EXTENSION_SUFFIXES):
        raise _OtherPython("this is Python %d.%d, and the package of this pitwall is for another one (%s); "
                           "install it there too: %s -m pip install pitwall"
                           % (*sys.version_info[:2], ", ".join(built), sys.executable))


def _tell(what, why):
    try:
        sys.stderr.write("pitwall: %s: %s: %s\n" % (what, sys.executable, why))
    except Exception:
        pass  # nobody to tell


def _load(name):
    """The program's own pitwall, if it has one; else ours, without its folder staying in the path."""
    is_ours = importlib.util.find_spec("pitwall") is None
    if is_ours:
        _check_python()
        sys.path.append(_PACKAGES)
    try:
        return importlib.import_module(name)
    finally:
        if is_ours:
            sys.path.remove(_PACKAGES)


def _hook(module):
    """After the program has imported it."""
    try:
        _load("pitwall._auto").install(module)
    except Exception as error:
        os.environ["PITWALL_AUTO"] = "0"  # once is enough, for this program and those it starts
        _tell("no hooks for " + module.__name__, error)


def _watch():
    """Its file alone: the package is imported once there is something to hook."""
    path = os.path.join(os.path.dirname(_HERE), "_auto_watch.py")
    spec = importlib.util.spec_from_file_location("_pitwall_auto_watch", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.meta_path.insert(0, module.Finder(module.LIBRARIES, _hook))


def _is_sampled():
    """Is this the program that was started, and is it wanted?"""
    try:
        rate = float(os.environ.get("PITWALL_SAMPLE_STACKS") or 10)
    except ValueError:
        rate = 10
    return rate > 0 and os.environ.get("PITWALL_RUN_PID") == str(os.getpid())


def _sample():
    """Without it the report says that there are no samples; nobody asked for more."""
    try:
        _load("pitwall._pitwall")._stack_begin()
    except _OtherPython as error:
        os.environ["PITWALL_AUTO"] = "0"  # as above
        _tell("no hooks for Python", error)
    except Exception:
        pass


def _next_sitecustomize():
    """Run the one that would have been found, under its name."""
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize")
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get("sitecustomize")
    sys.modules["sitecustomize"] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules["sitecustomize"] = before
        raise


def _start():
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HERE]
    if os.environ.get("PITWALL_AUTO") == "1" and os.environ.get("PITWALL", "1") not in ("0", "off"):
        if _is_sampled():
            _sample()
        if os.environ["PITWALL_AUTO"] == "1":  # our package is for this Python
            _watch()
    _next_sitecustomize()


_start()

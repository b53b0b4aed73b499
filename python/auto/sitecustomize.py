"""Run by every Python process under `pitwall run`: watches for imports of the libraries that Pitwall can
hook, and then runs the sitecustomize that Python would have found without this one. It also starts
sampling the code position of the program itself, but not of the programs that it starts.

This file imports nothing that the program does not import itself. In programs started by the program, the
package pitwall is imported only when there is something to hook. A failure here prints one line and leaves
the program unchanged.
"""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGES = os.path.dirname(os.path.dirname(_HERE))  # the folder that has the package pitwall


class _OtherPython(ImportError):
    """Our package was built for another version of Python than the program's."""


def _check_python():
    """Raise _OtherPython if the package was not built for this version of Python."""
    package = os.path.dirname(_HERE)
    built = [name for name in os.listdir(package) if name.startswith("_pitwall.") and name.endswith(".so")]
    if not any("_pitwall" + suffix in built for suffix in importlib.machinery.EXTENSION_SUFFIXES):
        raise _OtherPython("this is Python %d.%d, but this package of pitwall was built for another one (%s); "
                           "to install it here: %s -m pip install pitwall"
                           % (*sys.version_info[:2], ", ".join(built), sys.executable))


def _tell(what, why):
    try:
        sys.stderr.write("pitwall: %s: %s: %s\n" % (what, sys.executable, why))
    except Exception:
        pass  # stderr is closed


def _load(name):
    """Import the program's own pitwall if it has one, otherwise ours; our folder does not stay in sys.path."""
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
    """Hook a library after the program has imported it."""
    try:
        _load("pitwall._auto").install(module)
    except Exception as error:
        os.environ["PITWALL_AUTO"] = "0"  # report it once, for this program and those it starts
        _tell("no hooks for " + module.__name__, error)


def _watch():
    """Load only the file of the watcher: the package is imported when there is something to hook."""
    path = os.path.join(os.path.dirname(_HERE), "_auto_watch.py")
    spec = importlib.util.spec_from_file_location("_pitwall_auto_watch", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.meta_path.insert(0, module.Finder(module.LIBRARIES, _hook))


def _is_sampled():
    """True if this process is the program itself and sampling is not turned off."""
    try:
        rate = float(os.environ.get("PITWALL_SAMPLE_STACKS") or 10)
    except ValueError:
        rate = 10
    return rate > 0 and os.environ.get("PITWALL_RUN_PID") == str(os.getpid())


def _sample():
    """Start sampling. A failure is silent here: the report says that there are no samples."""
    try:
        _load("pitwall._pitwall")._stack_begin()
    except _OtherPython as error:
        os.environ["PITWALL_AUTO"] = "0"  # report it once
        _tell("no hooks for Python", error)
    except Exception:
        pass


def _next_sitecustomize():
    """Run the sitecustomize that Python would have found, under its own name."""
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

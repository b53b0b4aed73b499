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


def _load(name):
    """The program's own pitwall, if it has one; else ours, without its folder staying in the path."""
    is_ours = importlib.util.find_spec("pitwall") is None
    if is_ours:
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
        text = "pitwall: no hooks for %s: %s: %s\n" % (module.__name__, sys.executable, error)
        try:
            sys.stderr.write(text)
        except Exception:
            pass  # nobody to tell


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
    is_on = os.environ.get("PITWALL_AUTO") == "1"
    if is_on and os.environ.get("PITWALL", "1") not in ("0", "off"):
        _watch()
        if _is_sampled():
            _sample()
    _next_sitecustomize()


_start()

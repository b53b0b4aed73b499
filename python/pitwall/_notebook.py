"""Notebooks: %load_ext pitwall, then %%pitwall at the top of a cell.

The cell runs as a span, in its own recorder in memory, and its report appears below the cell. If the program has
opened a recorder (pitwall.open), the cell is a span in that run, and the report covers the run so far. Otherwise
the recording of an earlier cell is discarded."""

import argparse
import ast
import os
import shlex

from . import _auto, _pitwall, _recorders

def _parse(line):
    parser = argparse.ArgumentParser(
        prog="%%pitwall", description="Time a cell and print a report.", exit_on_error=False
    )
    parser.add_argument("name", nargs="?", default="cell", help="name of the cell's span")
    parser.add_argument("--memory", action="store_true", help="record the peak memory of every span")
    parser.add_argument("--no-auto", action="store_true", help="do not hook frameworks")
    parser.add_argument("--view", choices=_pitwall.views(), metavar="NAME",
                        help="print this view instead of the report; pitwall.views() lists them")
    parser.add_argument("--quiet", action="store_true", help="print no report below the cell")
    return parser.parse_args(shlex.split(line))


def _begin(memory):
    """Open a recorder for the cell, unless the program has one or the environment requests one."""
    state = _recorders.status()
    is_asked = os.environ.get("PITWALL_FILE") or os.environ.get("PITWALL", "0") != "0"
    if is_asked or (state["recording"] and not state["automatic"]):
        return
    _recorders.open(in_memory=True, memory=memory)
    _pitwall._make_way()


def _compile(ipython, cell):
    """(code of all but the last expression, code of the last expression or None)."""
    text = ipython.transform_cell(cell)
    name = ipython.compile.cache(text)
    tree = ast.parse(text, name)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not text.rstrip().endswith(";"):
        last = compile(ast.Expression(tree.body.pop().value), name, "eval")
    return compile(tree, name, "exec"), last


def run_cell(ipython, line, cell):
    """The cell magic %%pitwall. Returns the value of the cell's last expression."""
    from IPython.display import display  # type: ignore

    __tracebackhide__ = True  # the error belongs to the cell
    try:
        options = _parse(line)
    except SystemExit:
        return None  # --help or a wrong option: argparse has printed it
    except argparse.ArgumentError as error:
        raise ValueError("%%%%pitwall: %s" % error) from None
    body, last = _compile(ipython, cell)
    if not options.no_auto:
        _auto.auto()
    _begin(options.memory)
    try:
        with _pitwall.span(options.name):
            _pitwall._hook_base(1)
            exec(body, ipython.user_ns)
            return eval(last, ipython.user_ns) if last else None
    finally:
        _pitwall._hook_base(0)
        if not options.quiet:
            display(_recorders.report(view=options.view))


def load(ipython):
    def pitwall(line, cell):
        __tracebackhide__ = True
        return run_cell(ipython, line, cell)

    pitwall.__doc__ = __doc__
    ipython.register_magic_function(pitwall, "cell", "pitwall")

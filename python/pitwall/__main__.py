"""python -m pitwall COMMAND …: runs the tool `pitwall` that the package ships. A package built without the
tool supports the commands report and export only."""

import argparse
import inspect
import os
import shutil
import sys

import pitwall
from pitwall._output import is_ascii


COMMANDS = ("report", "export")  # available without the tool


def find_tool():
    """Path of the tool: inside the package, in the build tree around it, or in PATH; None if not found.
    PITWALL_LAUNCHER is set when a wheel's own command `pitwall` found no tool and started us: PATH is
    skipped then, because it would find that command again."""
    asked_by_command = os.environ.pop("PITWALL_LAUNCHER", None)
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (here, os.path.dirname(os.path.dirname(here))):
        tool = os.path.join(folder, "bin", "pitwall")
        if os.path.isfile(tool) and os.access(tool, os.X_OK):
            return tool
    return None if asked_by_command else shutil.which("pitwall")


def _percent(text):
    return float(text.rstrip("%")) / 100


_KINDS = {
    "text": (str, "TEXT"), "one-of": (str, "KEY"), "count": (int, "N"), "number": (float, "X"),
    "percent": (_percent, "PCT"),
}


def _add_options(report):
    """Add the options of the report and of all views, each once, spelled as in the tool. A view rejects
    options that it does not have."""
    added = set()
    for view in [None] + pitwall.views():
        for option in pitwall.view_options(view):
            if option["name"] in added:
                continue
            added.add(option["name"])
            name = "--" + option["name"].replace("_", "-")
            if option["kind"] == "flag":
                report.add_argument(name, action="store_const", const=True, help=option["help"])
            else:
                kind, shown = _KINDS[option["kind"]]
                report.add_argument(name, type=kind, metavar=shown, help=option["help"])


def parser():
    top = argparse.ArgumentParser(prog="python -m pitwall", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    report = commands.add_parser(
        "report", help="print a report of one or several runs",
        description=inspect.getdoc(pitwall.report), epilog="Views: " + ", ".join(pitwall.views()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    report.add_argument("runs", nargs="+", metavar="RUN")
    for form in ("json", "csv", "markdown"):
        report.add_argument("--" + form, dest="form", action="store_const", const=form)
    report.set_defaults(form="text")
    report.add_argument("--view", metavar="NAME", help="print this view instead of the report")
    report.add_argument("--alone", action="store_true", help="leave out the processes that the run started")
    report.add_argument("--width", type=int, default=0, metavar="N", help="columns of the output")
    _add_options(report)
    report.add_argument("--no-colour", action="store_true", help="accepted and ignored: this output has no colour")
    export = commands.add_parser("export", help="convert runs into another format")
    export.add_argument("format", choices=pitwall._pitwall._exports())
    export.add_argument("runs", nargs="+", metavar="RUN")
    return top


def _text_of(options):
    options = vars(options)
    runs, command = options.pop("runs"), options.pop("command")
    options.pop("no_colour", None)
    if command == "export":
        return pitwall.export(*runs, **options)
    return pitwall.report(*runs, ascii=is_ascii(), **options)


def main(arguments):
    tool = find_tool()
    if tool and os.environ.get("PITWALL_TOOL") != "0":
        sys.stdout.flush()
        os.execv(tool, [tool] + arguments)
    if arguments and arguments[0][:1] not in ("", "-") and arguments[0] not in COMMANDS:
        print("pitwall: %s: not available: this package was built without the tool and supports only %s; "
              "see docs/install.md" % (arguments[0], " and ".join(COMMANDS)),
              file=sys.stderr)
        return 69
    options = parser().parse_args(arguments)
    try:
        text = _text_of(options)
    except pitwall.Error as error:
        print("pitwall: %s" % error, file=sys.stderr)
        return 66
    except (ValueError, TypeError) as error:
        print("pitwall: %s" % error, file=sys.stderr)
        return 64
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed the pipe; keep the flush at exit from failing again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

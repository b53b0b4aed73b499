"""python -m pitwall COMMAND …: the tool, if it is on this machine; else its report and export, done
by the library that the package ships."""

import argparse
import inspect
import os
import shutil
import sys

import pitwall
from pitwall._output import is_ascii


def find_tool():
    """The tool of the build tree that the package lies in, or the one in PATH; None if neither."""
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(os.path.dirname(os.path.dirname(here)), "bin", "pitwall")
    if os.path.isfile(built) and os.access(built, os.X_OK):
        return built
    return shutil.which("pitwall")


_OF_THE_TERMINAL = ("form", "colour", "ascii")  # said in other words, or seen by itself


def _percent(text):
    return float(text.rstrip("%")) / 100


def _add_options(report):
    """Those of pitwall.report, as the tool writes them."""
    for name, parameter in inspect.signature(pitwall.report).parameters.items():
        if parameter.kind is not parameter.KEYWORD_ONLY or name in _OF_THE_TERMINAL:
            continue
        option, default = "--" + name.replace("_", "-"), parameter.default
        if isinstance(default, bool):
            report.add_argument(option, action="store_true")
        else:
            kind = _percent if name == "min_share" else str if default is None else type(default)
            shown = {_percent: "PCT", int: "N", float: "X", str: "TEXT"}[kind]
            report.add_argument(option, type=kind, default=default, metavar=shown)


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
    _add_options(report)
    report.add_argument("--no-colour", action="store_true", help="there is none here")
    export = commands.add_parser("export", help="write a whole document of runs")
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
    options = parser().parse_args(arguments)
    try:
        text = _text_of(options)
    except pitwall.Error as error:
        print("pitwall: %s" % error, file=sys.stderr)
        return 66
    except ValueError as error:
        print("pitwall: %s" % error, file=sys.stderr)
        return 64
    sys.stdout.write(text)
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

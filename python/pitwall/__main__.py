"""python -m pitwall COMMAND …: the tool, if it is on this machine; else its report and export, done
by the library that the package ships."""

import argparse
import os
import shutil
import sys

import pitwall


def find_tool():
    """The tool of the build tree that the package lies in, or the one in PATH; None if neither."""
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(os.path.dirname(os.path.dirname(here)), "bin", "pitwall")
    if os.path.isfile(built) and os.access(built, os.X_OK):
        return built
    return shutil.which("pitwall")


def parser():
    top = argparse.ArgumentParser(prog="python -m pitwall", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    report = commands.add_parser("report", help="print a report of one or several runs")
    report.add_argument("runs", nargs="+", metavar="RUN")
    report.add_argument("--view", metavar="NAME", help=", ".join(pitwall.views()))
    report.add_argument("--json", dest="form", action="store_const", const="json", default="text")
    report.add_argument("--csv", dest="form", action="store_const", const="csv")
    report.add_argument("--markdown", dest="form", action="store_const", const="markdown")
    report.add_argument("--flat", action="store_true")
    report.add_argument("--sort", metavar="COLUMN")
    report.add_argument("--depth", type=int, default=0)
    export = commands.add_parser("export", help="write a whole document of runs")
    export.add_argument("format", choices=pitwall._pitwall._exports())
    export.add_argument("runs", nargs="+", metavar="RUN")
    return top


def main(arguments):
    tool = find_tool()
    if tool and os.environ.get("PITWALL_TOOL") != "0":
        sys.stdout.flush()
        os.execv(tool, [tool] + arguments)
    options = parser().parse_args(arguments)
    try:
        if options.command == "export":
            text = pitwall.export(*options.runs, format=options.format)
        else:
            text = pitwall.report(*options.runs, view=options.view, form=options.form,
                                  flat=options.flat, sort=options.sort, depth=options.depth)
    except pitwall.Error as error:
        print("pitwall: %s" % error, file=sys.stderr)
        return 66
    sys.stdout.write(text)
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

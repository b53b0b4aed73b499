"""Shared by the examples: the command line, the run file, and the check that something was learnt.

    def work(args):
        ...
        yield "held-out loss", loss, 0.05

    if __name__ == "__main__":
        example_kit.main(work, __doc__)

`work` yields its claims: a name, a figure, and its upper bound. Exit status: 0, 1 if a claim is false,
64 wrong usage, 74 a file cannot be written.
"""

import argparse
import os
import sys

import pitwall


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, "%s: %s\n" % (self.prog, message))


def parser(doc):
    """The options of every example; an example may add its own. doc: its docstring."""
    first, _, rest = doc.partition("\n\n")
    found = _Parser(description=first, epilog=rest,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("-o", metavar="FILE", dest="run",
                       help="where the run file goes (default: below pitwall-runs/)")
    found.add_argument("--quick", action="store_true", help="less of everything, for tests")
    found.add_argument("--seed", type=int, default=1, metavar="N", help="of all chance (default: 1)")
    return found


def add_out(options, default=None):
    """The option for the folder of an example's other files."""
    text = "where its other files go (default: %s)" % (default or "they are not written")
    options.add_argument("--out", metavar="FOLDER", default=default, help=text)


def repeat_torch(seed):
    """Make PyTorch's results reproducible: one thread, a fixed seed."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(seed)


def _run_under(recorder, work, args):
    held = True
    with recorder:
        for what, figure, bar in work(args):
            good = figure < bar
            held = held and good
            print("%s: %.4f, %s the %.4g that was asked for"
                  % (what, figure, "below" if good else "NOT below", bar))
        return held, recorder.path


def main(work, doc, options=None):
    """Run an example and exit. options: its parser, if it has options of its own."""
    options = options or parser(doc)
    args = options.parse_args()
    try:
        if getattr(args, "out", None):
            os.makedirs(args.out, exist_ok=True)
        held, path = _run_under(pitwall.open(args.run), work, args)
    except (pitwall.Error, OSError) as error:
        options.exit(74, "%s: %s\n" % (options.prog, error))
    if path:
        print("the run is in %s: pitwall report %s" % (path, path), file=sys.stderr)
    sys.exit(0 if held else 1)

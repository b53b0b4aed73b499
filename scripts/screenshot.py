#!/usr/bin/env python3
"""Draws the terminal output of a command as SVG.

    screenshot.py -o docs/demo.svg [--columns N] [--cut FROM TO]... -- COMMAND...

The command runs on a pseudo-terminal, so that it shows colour and progress. Only the final screen is drawn, not
text that was overwritten. --cut leaves out the lines from the first one that matches FROM to the one before TO
(regular expressions). Exits with the command's status.
"""

import argparse
import fcntl
import os
import pty
import re
import struct
import sys
import termios
import unicodedata
from html import escape

ROWS = 50
CELL, LINE, SIZE, MARGIN, BAR = 8.0, 18, 13.3, 18, 34  # in pixels
PAPER, INK, FRAME = "#0f1420", "#d6deeb", "#2a3246"
COLOURS = ["#575f77", "#ff6b81", "#9fe08d", "#ffd580", "#7fb4ff", "#d5a6ff", "#6fe3e1", "#d6deeb"]
CONTROL = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b[()][A-Z0-9]|\x1b[=>]")


def run(command, columns):
    """What the command wrote to its terminal, and its exit status."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(columns), LC_ALL="C.UTF-8")
        for name in ("NO_COLOR", "CI"):
            os.environ.pop(name, None)
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    written = b""
    while True:
        try:
            got = os.read(terminal, 65536)
        except OSError:  # the last one to hold it has ended
            break
        if not got:
            break
        written += got
    _, status = os.waitpid(child, 0)
    return written.decode("utf-8", "replace"), os.waitstatus_to_exitcode(status)


def restyle(style, codes):
    """A style is (colour, bold, dim)."""
    colour, bold, dim = style
    for code in [int(c or 0) for c in codes.split(";")]:
        if code == 0:
            colour, bold, dim = None, False, False
        elif code == 1:
            bold = True
        elif code == 2:
            dim = True
        elif code == 22:
            bold = dim = False
        elif 30 <= code <= 37 or 90 <= code <= 97:
            colour = code % 10
        elif code == 39:
            colour = None
    return colour, bold, dim


def cells_of(character):
    if unicodedata.combining(character) or character == "\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def screen(text):
    """The lines that are left: each a dict from column to (character, style)."""
    lines, row, at, style = [{}], 0, 0, (None, False, False)
    place = 0
    while place < len(text):
        found = CONTROL.match(text, place)
        if found:
            place = found.end()
            if found.group(2) == "m":
                style = restyle(style, found.group(1))
            elif found.group(2) == "K":
                lines[row] = {c: cell for c, cell in lines[row].items() if c < at}
            continue
        character, place = text[place], place + 1
        if character == "\n":
            row += 1
            if row == len(lines):
                lines.append({})
        elif character == "\r":
            at = 0
        elif cells_of(character) == 0 and at > 0:
            before = max((c for c in lines[row] if c < at), default=None)
            if before is not None:
                lines[row][before] = (lines[row][before][0] + character, lines[row][before][1])
        elif character >= " ":
            lines[row][at] = (character, style)
            at += cells_of(character)
    return lines


def plain(line):
    return "".join(line.get(c, (" ",))[0] for c in range(max(line, default=-1) + 1))


def without(lines, cuts):
    for first, last in cuts:
        begin = next((i for i, line in enumerate(lines) if re.search(first, plain(line))), None)
        end = None if begin is None else next(
            (i for i in range(begin + 1, len(lines)) if re.search(last, plain(lines[i]))), None)
        if begin is None or end is None:
            sys.exit("screenshot: nothing to cut between %s and %s" % (first, last))
        del lines[begin:end]
    while lines and not plain(lines[-1]).strip():
        lines.pop()
    while lines and not plain(lines[0]).strip():
        lines.pop(0)
    return lines


def pieces(line):
    """(column, cells, text, style) of what stands together in one style; blanks end a piece."""
    found = []
    for column in sorted(line):
        character, style = line[column]
        if character == " ":
            continue
        width = cells_of(character[0])
        if found and found[-1][0] + found[-1][1] == column and found[-1][3] == style:
            before = found.pop()
            found.append((before[0], before[1] + width, before[2] + character, style))
        else:
            found.append((column, width, character, style))
    return found


def svg(lines, columns, title):
    width, height = MARGIN * 2 + columns * CELL, BAR + MARGIN + len(lines) * LINE
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
           'role="img" aria-label="%s">' % (width, height, width, height, escape(title)),
           '<rect width="%d" height="%d" rx="10" fill="%s" stroke="%s"/>' % (width, height, PAPER,
                                                                             FRAME)]
    for i, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        out.append('<circle cx="%d" cy="17" r="5.5" fill="%s"/>' % (MARGIN + 4 + 18 * i, colour))
    out.append('<text x="%d" y="21" fill="%s" font-family="sans-serif" font-size="12" '
               'text-anchor="middle">%s</text>' % (width / 2, COLOURS[0], escape(title)))
    out.append('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="%.1f">'
               % SIZE)
    for row, line in enumerate(lines):
        for column, cells, text, (colour, bold, dim) in pieces(line):
            out.append('<text x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs" '
                       'fill="%s"%s%s>%s</text>' % (
                           MARGIN + column * CELL, BAR + 14 + row * LINE, cells * CELL,
                           INK if colour is None else COLOURS[colour],
                           ' font-weight="bold"' if bold else "", ' opacity="0.6"' if dim else "",
                           escape(text)))
    return "\n".join(out + ["</g>", "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description="A picture of what a command shows on a terminal.")
    parser.add_argument("-o", dest="output", required=True, metavar="FILE.svg")
    parser.add_argument("--columns", type=int, default=96)
    parser.add_argument("--cut", nargs=2, action="append", default=[], metavar=("FROM", "TO"))
    parser.add_argument("--title", help="above the picture; else the command")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    text, status = run(options.command, options.columns)
    lines = without(screen(text), options.cut)
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(svg(lines, options.columns, options.title or " ".join(options.command)))
    sys.exit(status)


if __name__ == "__main__":
    main()

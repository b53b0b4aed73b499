"""Parses the pages of the documents: blocks, links, headings, names in code.

The language of a block decides how it is checked (CONTRIBUTING.md has the table for writers):

    c, python, sh    whole programs: compiled, run, in the order of the page, in one folder per page
    console          lines with `$ ` are run, the others are their output
    text             the output of the program before it
    usage            the syntax of a command: its options must be in --help
    yaml, json       taken by `pitwall run --config`; parsed
    diagram          a drawing
    h                declarations of a header, made by scripts/api_reference.py

A comment in the line before a block sets an option:

    <!-- file: train.c -->          the block is also kept under this name
    <!-- before: COMMAND -->        run first, not shown
    <!-- until: COMMAND -->         `sleep` in the block lasts until this succeeds, on a busy machine longer
    <!-- from: tests/golden/x -->   (text) the file has these lines
    <!-- exact: REASON -->          figures are compared too, and why they do not vary
    <!-- order: REASON -->          lines may come in another order, and why
    <!-- verdict: REASON -->        no verdict is accepted too, and why
    <!-- not run: REASON -->        no test can run it, and why
"""

import os
import re

import pit_case

ROOT = pit_case.source_dir()
LANGUAGES = {"c", "python", "sh", "console", "text", "usage", "yaml", "json", "diagram", "h"}


def pages():
    """Every page, as paths from the top of the tree."""
    found = [name for name in os.listdir(ROOT) if name.endswith(".md")]
    for where, _, names in os.walk(os.path.join(ROOT, "docs")):
        found += [os.path.relpath(os.path.join(where, n), ROOT) for n in names if n.endswith(".md")]
    return sorted(found)


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Block:
    """A fenced block: its language, text, line in the page, and notes {key: value}."""

    def __init__(self, language, text, line, notes):
        self.language, self.text, self.line, self.notes = language, text, line, notes


_BLOCK = re.compile(
    r"(?P<notes>(?:^<!--.*?-->[ \t]*\n\n?)*)^```(?P<language>\S*)[^\n]*\n(?P<text>.*?)^```[ \t]*$",
    re.M | re.S)
_NOTE = re.compile(r"<!--\s*(file|before|until|from|exact|order|verdict|not run):\s*(.*?)\s*-->", re.S)


def blocks(path):
    page = text_of(path)
    return [Block(match["language"], match["text"], page.count("\n", 0, match.start("text")),
                  dict(_NOTE.findall(match["notes"])))
            for match in _BLOCK.finditer(page)]


def prose(path):
    """The page without its blocks and comments."""
    return re.sub(r"<!--.*?-->", "", _BLOCK.sub("", text_of(path)), flags=re.S)


def code_spans(path):
    return re.findall(r"`([^`\n]+)`", prose(path))


def links(path):
    """Targets of links and pictures, as they are written."""
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose(path)))


def anchors(path):
    """The possible #part of a link: the headings, as GitHub turns them into anchors."""
    found = set()
    for heading in re.findall(r"^#+ +(.+?) *$", _BLOCK.sub("", text_of(path)), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 0
        while slug + ("-%d" % number if number else "") in found:
            number += 1
        found.add(slug + ("-%d" % number if number else ""))
    return found


# ---- output, with what varies taken out ---------------------------------------------------------

_UNIT = r"(?:ns|µs|us|ms|s|min|h|B|kB|MB|GB|TB|k|M|G|T)"


def masked(line):
    """A line of output without the parts that vary between runs: figures, their units, bars, blanks."""
    line = re.sub(r"\x1b\[[0-9;]*m", "", line)
    line = re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?", "DATE", line)
    line = re.sub(r"[▁▂▃▄▅▆▇█]+", "▁", line)
    line = re.sub(r"(?<=[a-z-])\d{3,}", "#", line)  # pids in names of files
    line = re.sub(r"(?<![\w.#])[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?", "#", line)
    line = re.sub(r"<?# ?(?:" + _UNIT + r"\b)?", "#", line)
    line = re.sub(r"([-=─])\1{3,}", r"\1\1\1", line)
    return re.sub(r"([(\[]) ", r"\1", " ".join(line.split()))


# Rows of time outside all spans, and their note: present or not, depending on the machine's speed.
_UNMARKED = re.compile(r"^(?:\((?:before the first span|between parts|after the last)\)"
                       r"|in brackets: outside of all spans).*\n", re.M)


# The verdict: on a busy machine it says that the program had no processor.
_VERDICT = re.compile(r"^[A-Z][A-Z -]{3,}: .*\n", re.M)


def prints_as(output, sample, notes):
    """Does the output look like the sample? … alone in a line is any lines, … in one any text."""
    if "exact" in notes:
        return output == sample
    if "verdict" in notes and re.search(r"^(no verdict\b|.* no verdict: )", output, re.M):
        return True
    output, sample = (_VERDICT.sub("", _UNMARKED.sub("", text)) for text in (output, sample))
    if "order" in notes:
        both = [sorted(re.sub(r"^[ │├└─]+", "", masked(line)) for line in text.splitlines())
                for text in (output, sample)]
        return both[0] == both[1]
    pattern = ""
    for line in sample.rstrip("\n").split("\n"):
        if line.strip() in ("…", "..."):
            pattern += r"(?:.*\n)*?"
        else:
            pattern += re.escape(masked(line)).replace("…", ".*") + r" ?\n"
    text = "".join(masked(line) + "\n" for line in output.rstrip("\n").split("\n"))
    return re.fullmatch(pattern, text) is not None


def commands_of(console):
    """[(command, its output)] of a console block; a command continues after a backslash."""
    found = []
    for line in console.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], ""])
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line
        elif found:
            found[-1][1] += line + "\n"
    return found

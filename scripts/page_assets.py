#!/usr/bin/env python3
"""Prepares the files of web/ for the library: page_assets.py TREE FOLDER

Writes the files without comments and needless blanks into FOLDER, with short names for what modules declare, and pitwall_asset_list.c, which lists each with
its size and hash (src/assets/assets.h). Third-party files (web/vendor) are not changed and keep their licence. The
sources in web/ are written for readers; the page that is sent is small, 150 kB at most.

The build calls it (cmake/library.cmake), and so does setup.py.
"""

import collections
import hashlib
import os
import re
import sys

TYPES = {".html": "html", ".css": "css", ".js": "javascript"}
VENDOR = os.path.join("vendor", "uplot")

# Strings, templates, comments; a regular expression only where a value may begin.
JS_TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)
  | (?P<regex>(?<=[(,=:\[!&|?{};])\s*/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)
  | (?P<blank>\s+)
  | (?P<word>(?<![\w.])0(?=\.\d)|[\w$\#]+)
  | (?P<other>.)
""", re.X | re.S)


def is_wordy(letter):
    return letter.isalnum() or letter in "_$#"


def needs_blank(before, after):
    return (is_wordy(before) and is_wordy(after)) or (before == after and before in "+-") or \
        (before.isdigit() and after == ".")


DECLARED = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w{3,})", re.M)


def short_names(sources):
    """What the names that modules declare at their top are called in what is sent: {"durationText": "$0"}.

    Only names that are never a member, a key or a part of a pattern: these must keep theirs."""
    text = "\n".join(sources)
    counts, kept = collections.Counter(), set()
    declared = set(DECLARED.findall(text))
    for source in sources:
        tokens = [found.group() for found in JS_TOKEN.finditer(source) if found.lastgroup not in ("blank", "comment")]
        opened, is_import = [], False
        for before, token, after in zip([""] + tokens, tokens, tokens[1:] + [""]):
            is_import = token == "import" or (is_import and before != ";")
            if token in "([{":
                opened.append(token)
            elif token in ")]}":
                opened.pop()
            if token not in declared:
                continue
            counts[token] += 1
            in_braces = opened and opened[-1] == "{" and not is_import
            if before == "." or (in_braces and before in "{," and after in ":,}=") or (in_braces and after == "(" and before in "{};"):
                kept.add(token)
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    names = [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if name not in kept]
    return {name: "$" + (digits[n] if n < 36 else digits[n // 36] + digits[n % 36]) for n, name in enumerate(names)}


def strip_js(text, short=None):
    """`const` becomes the shorter `let`; short: other names for names (short_names). Statements must end with their semicolons. `import` and `export` begin lines and an import is one, by which a module
    is taken apart (src/exports/html_export.c)."""
    out, blank, last, is_import = [], "", "\n", False
    at = 0
    while at < len(text):
        found = JS_TOKEN.match(text, at)
        at, token = found.end(), found.group()
        if found.lastgroup in ("blank", "comment"):
            blank = " "
            continue
        if found.lastgroup == "regex":
            token = token.strip()
        token = "let" if token == "const" else (short or {}).get(token, token)
        first = token[0]
        if (is_import and last == ";") or (token in ("import", "export") and out):
            out.append("\n")
            is_import = False
        elif blank and needs_blank(last, first):
            out.append(" ")
        if token == "0" and text[at:at + 1] == ".":  # 0.5
            continue
        if (first in ")]}" and last == ",") or (first == "}" and last == ";"):  # behind the last one
            out.pop()
        is_import |= token == "import"
        token += " " if token in ("import", "export") else ""
        out.append(token)
        last, blank = token[-1], ""
    return "".join(out) + "\n"


IMPORT_CSS = re.compile(r'@import "([\w.]+)";')


def joined_css(web, name):
    """A style sheet with those that it imports in their places: one file to send."""
    return IMPORT_CSS.sub(lambda found: joined_css(web, found.group(1)), read_text(os.path.join(web, name)))


def strip_css(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ?([{};,>]) ?", r"\1", text)
    text = re.sub(r"(?<=[\w)]): (?=[^{}]*[;})])", ":", text)
    text = re.sub(r"(?<![\w.])0(?=\.\d)", "", text)
    return text.replace(";}", "}").strip() + "\n"


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def assets(tree):
    """(name, bytes) of all, by name."""
    web, found = os.path.join(tree, "web"), []
    modules = [os.path.join(web, name) for name in sorted(os.listdir(web)) if name.endswith(".js")]
    short = short_names([read_text(path) for path in modules])
    for folder in ("", VENDOR):
        for name in os.listdir(os.path.join(web, folder)):
            ending = os.path.splitext(name)[1]
            if not folder and (ending not in TYPES or (ending == ".css" and name != "style.css")):
                continue
            with open(os.path.join(web, folder, name), "rb") as file:
                data = file.read()
            if not folder and ending in (".js", ".css"):
                data = (strip_js(data.decode(), short) if ending == ".js" else strip_css(joined_css(web, name))).encode()
            found.append((name, data))
    return sorted(found)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def make(tree, folder):
    """The path of the list."""
    os.makedirs(os.path.join(folder, "web"), exist_ok=True)
    macros, rows = [], []
    for number, (name, data) in enumerate(assets(tree)):
        path = os.path.abspath(os.path.join(folder, "web", name))
        write(path, data)
        macros.append('ASSET(%d, "%s")' % (number, path))
        rows.append('    {"%s", "text/%s; charset=utf-8", pit__asset_%d, %d, "%s"},'
                    % (name, TYPES.get(os.path.splitext(name)[1], "plain"), number, len(data),
                       hashlib.sha256(data).hexdigest()))
    with open(os.path.join(tree, "src", "assets", "asset_list.c.in"), encoding="utf-8") as file:
        text = file.read()
    text = text.replace("@asset_bytes@", "\n".join(macros) + "\n").replace("@asset_rows@", "\n".join(rows) + "\n")
    path = os.path.join(folder, "pitwall_asset_list.c")
    write(path, text.encode())
    return path


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2])

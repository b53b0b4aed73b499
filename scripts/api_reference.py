#!/usr/bin/python3
"""Turn the public headers into pages: docs/reference-*.md.

    scripts/api_reference.py            write the pages
    scripts/api_reference.py --check    fail if a page is out of date

The headers are the manual; the pages only make them readable in a browser. A section is a comment `/*
---- title ---- */`, an item is a comment at the left margin with the declarations below it, up to a
blank line or the next such comment. Names that begin with pit__ or PIT__ are private.
"""

import os
import re
import sys

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = {
    "include/pitwall.h": "docs/reference-pitwall.md",
    "include/pitwall_report.h": "docs/reference-report.md",
    "include/pitwall_ranks.h": "docs/reference-ranks.md",
    "include/pitwall_bench.h": "docs/reference-bench.md",
    "include/pitwall_fields.h": "docs/reference-fields.md",
}
SECTION = re.compile(r"---- (.+?) -{4,}\s*(.*)", re.S)


# ---- reading a header ---------------------------------------------------------------------------


def words_of(comment):
    """The text of a comment without its stars; indented lines stay indented."""
    lines = comment.strip()[2:-2].split("\n")
    return "\n".join(re.sub(r"^ ?\* ?", "", line).rstrip() for line in lines).strip("\n ")


def in_c(source):
    """The header as a C compiler sees it."""
    return re.sub(r"^#ifdef __cplusplus\n.*?(?:^#else\n(.*?))?^#endif\n",
                  lambda m: m[1] or "", source, flags=re.M | re.S)


def chunks(source):
    """("comment", text) and ("code", text) in their order; a blank line ends a chunk of code."""
    found, code = [], []

    def flush():
        if code:
            found.append(("code", "\n".join(code)))
            code.clear()

    lines = iter(source.split("\n"))
    depth = 0
    for line in lines:
        if line.startswith("/*") and depth == 0:
            flush()
            while "*/" not in line:
                line += "\n" + next(lines)
            found.append(("comment", words_of(line)))
        elif not line.strip() and depth == 0:
            flush()
            found.append(("blank", ""))
        else:
            depth += line.count("{") - line.count("}")
            code.append(line)
    flush()
    return found


def without_preprocessor(code):
    """The code without attributes and macros that only the compiler needs."""
    code = re.sub(r"\\\n", "\x00", code)
    kept = []
    for line in code.split("\n"):
        if re.match(r"#define PIT_[A-Z]\w*\(", line):
            kept.append(re.sub(r"(#define PIT_\w+\([^)]*\)).*", r"\1", line, flags=re.S))
        elif re.match(r"#define PIT(WALL)?_[A-Z]\w* ", line) and "PIT_API" not in line:
            kept.append(line)
        elif not line.startswith("#"):
            kept.append(line)
    return "\n".join(line for line in kept if "\x00" not in line)


def without_bodies(code):
    """Inline functions as declarations."""
    code = re.sub(r"^PIT__\w+ ", "static inline ", code, flags=re.M)
    return re.sub(r"^static inline (.*?)\n\{.*?^\}", r"static inline \1;", code, flags=re.M | re.S)


def declarations(code):
    """The public declarations, without PIT_API; "" if there are none."""
    code = without_bodies(without_preprocessor(code))
    code = re.sub(r"^typedef struct pit__\w+ \{.*?^\} \w+;\n?", "", code, flags=re.M | re.S)
    code = re.sub(r"^[^\n;{]*\bpit__[^;{]*;\n?", "", code, flags=re.M)
    out, shift = [], False
    for line in code.split("\n"):
        if line.startswith("PIT_API "):
            line, shift = line[len("PIT_API "):], True
        elif line.startswith("        ") and shift:
            line = line[len("PIT_API "):]
        else:
            shift = False
        out.append(line)
    return "\n".join(out).strip("\n")


def names_in(code):
    """The names that a piece of header declares, in their order."""
    found = []
    plain = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    for match in re.finditer(
            r"#define (PIT\w+)|^(?:typedef )?(?:struct|enum) (pit_\w+)|^typedef [^;{(]*\b(pit_\w+);"
            r"|^[A-Za-z][^;{}()]*?\b(pit_[a-z]\w*)\(", plain, re.M):
        name = next(group for group in match.groups() if group)
        if name not in found:
            found.append(name)
    return found


# ---- writing a page -----------------------------------------------------------------------------


def as_code(line):
    """A line with its names as code, and nothing else in it taken for markup."""
    parts = line.split("`")
    for index in range(0, len(parts), 2):  # what is code already stays
        text = re.sub(r"(\*|\b_|(?<!\w)_)", r"\\\1", parts[index])
        text = text.replace("<", "&lt;").replace(">", "&gt;")
        parts[index] = re.sub(r"\b(?:[A-Za-z]\w*_\w+(?:\([^()]*\))?|PITWALL=\d)", r"`\g<0>`", text)
    return "`".join(parts)


def prose(text):
    """A comment as Markdown; indented text that is not part of a list is an example."""
    out, example, in_list = [], [], False

    def flush():
        while example and not example[-1]:
            example.pop()
        if example:
            indent = min(len(line) - len(line.lstrip()) for line in example if line)
            out.extend(["", "```h", *[line[indent:] for line in example], "```", ""])
            example.clear()

    for line in text.split("\n"):
        in_list = line.startswith("- ") or (in_list and line.startswith("  "))
        if (line.startswith("  ") and not in_list) or (not line and example):
            example.append(line)
            continue
        flush()
        out.append(as_code(line))
    flush()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip("\n")


def code_table(code):
    """The list of error codes as a table."""
    rows = re.findall(r'X\((PIT_\w+), (-?\d+), "([^"]+)"\)', code)
    return "| code | number | meaning |\n|---|---:|---|\n" + "".join(
        "| `%s` | %s | %s |\n" % row for row in rows)


def item(comment, code):
    """The names in one item, and its part of the page; nothing if all of it is private."""
    if "PIT_CODES(X)" in code:
        return ["pit_code"], "### `pit_code`\n\n%s\n" % code_table(code)
    shown = "" if "PIT__CODE" in code else declarations(code)
    names = names_in(shown)
    if not names:
        return [], ""
    text = "### %s\n\n```h\n%s\n```\n\n" % (", ".join("`%s`" % name for name in names), shown)
    return names, text + (prose(comment) + "\n\n" if comment else "")


def anchor(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def page(header, source):
    head, sections, comment = "", [["In general", "", [], ""]], ""
    for kind, text in chunks(in_c(source)):
        section = kind == "comment" and SECTION.match(text)
        if section:
            sections.append([section[1][0].upper() + section[1][1:], prose(section[2]), [], ""])
            comment = ""
        elif kind == "comment" and not head:
            head = text
        elif kind == "comment":
            comment = comment if "clang-format" in text else text
        elif kind == "code":
            names, made = item(comment, text)
            target = anchor(" ".join(names))
            sections[-1][2] += ["[`%s`](#%s)" % (name, target) for name in names]
            sections[-1][3] += made
            comment = ""
    title, _, rest = head.partition(":")
    first, _, rest = rest.partition("\n")
    out = "# %s\n\n<!-- made by scripts/api_reference.py from %s -->\n\n" % (title, header)
    out += "*%s* The header, made readable: [%s](../%s).\n\n%s\n\n" % (
        first.strip().capitalize().rstrip(".") + ".", title, header, prose(rest))
    out += "| part | names |\n|---|---|\n"
    for name, _, names, made in sections:
        if made:
            out += "| [%s](#%s) | %s |\n" % (name, anchor(name), ", ".join(names))
    for name, intro, _, made in sections:
        if made:
            out += "\n## %s\n\n%s%s" % (name, intro + "\n\n" if intro else "", made)
    return re.sub(r"\n{3,}", "\n\n", out).rstrip() + "\n"


def main(arguments):
    stale = []
    for header, path in PAGES.items():
        with open(os.path.join(TREE, header), encoding="utf-8") as file:
            text = page(header, file.read())
        path = os.path.join(TREE, path)
        old = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                old = file.read()
        if old == text:
            continue
        stale.append(os.path.relpath(path, TREE))
        if "--check" not in arguments:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if "--check" in arguments and stale:
        sys.exit("not what the headers say: %s; run scripts/api_reference.py" % ", ".join(stale))


if __name__ == "__main__":
    main(sys.argv[1:])

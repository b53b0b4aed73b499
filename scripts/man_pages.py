#!/usr/bin/python3
"""Generates the man pages: man_pages.py FOLDER

pitwall.1 is made from the list of commands in src/cli/cli.h, the environment in docs/c-api.md and
the list of exit statuses; pitwall-COMMAND.1 from docs/COMMAND.md and the command's help text, which has
the options and examples. Views with their options, and formats, come from the structs in src/views and
src/exports. Nothing is written twice, so the pages cannot become outdated.
"""

import glob
import os
import re
import sys

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STATUSES = (
    ("0", "good"),
    ("1", "a gate found a regression"),
    ("2", "no verdict, or nothing to show"),
    ("64", "wrong usage"),
    ("66", "a run or file cannot be read"),
    ("69", "a measured command failed"),
    ("74", "the output cannot be written"),
)


def text_of(path):
    with open(os.path.join(TREE, path), encoding="utf-8") as file:
        return file.read()


# ---- the tables of the sources ------------------------------------------------------------------------------


def version():
    return re.search(r'#define PITWALL_VERSION "(.+)"', text_of("include/pitwall.h")).group(1)


def commands():
    """{name: (summary, name of its source)} in the order of the tool's own list."""
    rows = re.findall(r'X\("(\w+)",\s*cmd_(\w+),\s*"((?:[^"\\]|\\.)*)"\)', text_of("src/cli/cli.h"))
    return {name: (unescape(summary), source) for name, source, summary in rows}


def unescape(text):
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def strings(text):
    """The C string literals of a text as one."""
    return unescape("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)))


def member(text, name):
    """The string of `.name = "…"` in an initializer; "" without it."""
    found = re.search(r"\.%s\s*=\s*((?:\s*\"(?:[^\"\\]|\\.)*\")+)" % name, text)
    return strings(found.group(1)) if found else ""


def structs(folder, pattern):
    """(match, body) of each initializer in a folder's sources whose beginning matches."""
    for path in sorted(glob.glob(os.path.join(TREE, folder, "*.c"))):
        text = text_of(path)
        for match in re.finditer(pattern, text):
            yield match, text[match.end():text.index("};", match.end())], path


def in_order(path, variable, found):
    """A dict by variable in the order of the list X(name) X(name) … of a file."""
    names = re.findall(r"\bX\((\w+)\)", text_of(path))
    return [found[variable % name] for name in names]


def words_of(body):
    """The words of a one-of option: its help."""
    name, skipped = re.search(r"\.words = (\w+)(?: \+ (\d+))?", body).groups()
    for _, row, _ in structs("src/views", r"\*const %s\[\] = \{" % name):
        return ", ".join(re.findall(r'"([^"]*)"', row)[int(skipped or 0):])
    raise ValueError(name)


def options():
    """{(file, variable): (name, kind, default, help)} of all options of views."""
    found = {}
    for match, body, path in structs("src/views", r"const pit_option (\w+) = \{"):
        kind = re.search(r"PIT_OPTION_(\w+)", body).group(1)
        found[path, match.group(1)] = (member(body, "name"), kind, member(body, "default_text"),
                                       words_of(body) if kind == "ONE_OF"
                                       else member(body, "help"))
    return found


def views():
    """[(name, help, its options)]; the report itself first."""
    every, found = options(), {}
    shared = {name: option for (_, name), option in every.items() if name.startswith("pit__")}
    for match, body, path in structs("src/views", r"const struct pit__view (\w+) = \{"):
        names = re.findall(r"&(\w+_option)", body)
        found[match.group(1)] = (member(body, "name"), member(body, "help"),
                                 [every.get((path, name)) or shared[name] for name in names])
    return [found["pit__report_view"]] + in_order("src/views/view_list.c", "pit__%s_view", found)


def formats():
    """[(name, help)] of the exporters."""
    found = {match.group(1): (member(body, "name"), member(body, "help"))
             for match, body, _ in structs("src/exports", r"const struct pit__export (\w+) = \{")}
    return in_order("src/exports/export_list.c", "pit__%s_export", found)


VALUES = {"TEXT": " TEXT", "ONE_OF": " KEY", "COUNT": " N", "NUMBER": " X", "PERCENT": " PCT",
          "FLAG": ""}


def option_line(option, owners=()):
    name, kind, default, words = option
    of = ", ".join(owners) + ": " if owners else ""
    head = "--%s%s" % (name, VALUES[kind])
    return "  %s  %s%s%s" % (head, of, words, "" if kind == "FLAG" else " (%s)" % default)


def made_lines(source):
    """The text inserted at the form feed of a help text."""
    if source == "export":
        return "".join("  --format %s  %s\n" % each for each in formats())
    every = {}
    for view, _, taken in views():
        for option in taken:
            every.setdefault(option[0], (option, []))[1].append(view)
    return "".join(option_line(option, [] if "report" in owners else owners) + "\n"
                   for option, owners in every.values())


def views_part():
    found = [".SH VIEWS"]
    for name, words, taken in views()[1:]:
        found += [".TP", "\\fB%s\\fR" % plain(name), plain(words)]
        for option in taken:
            found += [".br", guarded(plain(option_line(option).strip()))]
    return found


def help_of(source):
    """The help text of a command: the strings of `help[]` in its source."""
    text = text_of("src/cli/cmd_%s.c" % source)
    body = re.search(r"static const char help\[\] =\s*((?:\s*\"(?:[^\"\\]|\\.)*\")+);", text).group(1)
    return strings(body).replace("\\f", made_lines(source))


def help_parts(text):
    """(usage, options, examples) of a help text; options as (head, words)."""
    usage = re.match(r"Usage: (.*?)\n\n", text, re.S).group(1)
    usage = [line.strip() for line in usage.split("\n")]
    examples = re.search(r"\nExamples:\n(.*?)\n\n", text, re.S).group(1)
    options = []
    for line in text.split("\n"):
        if line.startswith("  -"):
            head, _, words = line[2:].partition("  ")
            options.append([head, [words.strip()]])
        elif options and line.startswith("     "):
            options[-1][1].append(line.strip())
        elif options and not line.strip():
            break
    return usage, options, [line.strip() for line in examples.split("\n")]


# ---- roff ---------------------------------------------------------------------------------------


def plain(text):
    """A text as roff takes it, each character as itself."""
    text = text.replace("\\", "\\e")
    for char, code in (("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")):
        text = text.replace(char, code)
    return "".join(c if ord(c) < 128 else "\\[u%04X]" % ord(c) for c in text)


def inline(text):
    """A line of Markdown: code and bold in bold, emphasis in italics, links as their words."""
    parts = re.split(r"(`[^`]+`|\*\*.+?\*\*|\*[^*\s][^*]*\*|\[[^\]]*\]\([^)]*\))", text)
    found = []
    for part in parts:
        if part.startswith("`") and len(part) > 1:
            found.append("\\fB%s\\fR" % plain(part[1:-1]))
        elif part.startswith("**"):
            found.append("\\fB%s\\fR" % inline(part[2:-2]).replace("\\fR", "\\fB"))
        elif part.startswith("*") and len(part) > 2:
            found.append("\\fI%s\\fR" % plain(part[1:-1]))
        elif part.startswith("["):
            found.append(link(*re.match(r"\[(.*?)\]\((.*)\)", part).groups()))
        else:
            found.append(plain(part))
    return "".join(found)


def link(words, target):
    """A link to a command's page becomes its man page; other links become their text."""
    name = re.match(r"^(?:docs/)?(\w+)\.md", target)
    if name and name.group(1) in commands():
        return "\\fBpitwall\\-%s\\fR(1)" % name.group(1)
    return inline(words)


def guarded(line):
    """A line of text, escaped so that roff does not take it for a request."""
    return "\\&" + line if line.startswith((".", "\\(aq")) else line


def block(lines):
    return [".PP", ".RS 4", ".nf", *[guarded(plain(line)) for line in lines], ".fi", ".RE"]


# ---- Markdown -----------------------------------------------------------------------------------


def table(lines):
    """A table as a list: the first cell, then the others, with their titles where there are many."""
    rows = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in lines]
    titles, found = rows[0], []
    for row in rows[2:]:
        found += [".TP", guarded(inline(row[0]) or "\\&")]
        if len(row) == 2:
            found.append(guarded(inline(row[1]) or "\\&"))
        else:
            for title, cell in zip(titles[1:], row[1:]):
                found += [guarded("%s: %s" % (inline(title), inline(cell) or "\\(em")), ".br"]
            found.pop()
    return found


def paragraph(lines):
    if re.match(r"^([-*]|\d+\.) ", lines[0]):
        items = re.split(r"\n(?=(?:[-*]|\d+\.) )", "\n".join(lines))
        found = []
        for item in items:
            mark, words = re.match(r"([-*]|\d+\.) +(.*)", item, re.S).groups()
            found += [".IP %s 4" % ("\\(bu" if mark in "-*" else mark),
                      guarded(inline(" ".join(words.split())))]
        return found
    if lines[0].startswith("|"):
        return table(lines)
    return [".PP", guarded(inline(" ".join(" ".join(lines).split())))]


def body_of(page):
    """The blocks of a page below its title as roff; ("usage", lines) for how it is called."""
    found, lines = [], re.sub(r"<!--.*?-->\n?", "", page, flags=re.S).split("\n")
    at = 0
    while at < len(lines):
        line, start = lines[at], at
        at += 1
        if line.startswith("```"):
            while not lines[at].startswith("```"):
                at += 1
            found.append(("usage" if line[3:] == "usage" else "roff", lines[start + 1:at]))
            if found[-1][0] == "roff":
                found[-1] = ("roff", block(lines[start + 1:at]))
            at += 1
        elif line.startswith("## ") or line.startswith("### "):
            macro = ".SH" if line.startswith("## ") else ".SS"
            words = line.lstrip("# ")
            found.append(("roff", [macro + ' "%s"' % plain(re.sub(r"[`*]", "", words)).upper()
                                   if macro == ".SH" else macro + ' "%s"' % plain(
                                       re.sub(r"[`*]", "", words))]))
        elif line.startswith("    "):
            while at < len(lines) and lines[at].startswith("    "):
                at += 1
            code = [each[4:] for each in lines[start:at]]
            found.append(("usage", code) if code[0].startswith("pitwall ") and not found
                         else ("roff", block(code)))
        elif line.strip() and not line.startswith("# "):
            while at < len(lines) and lines[at].strip() and not lines[at].startswith("```"):
                at += 1
            found.append(("roff", paragraph(lines[start:at])))
    return found


# ---- pages --------------------------------------------------------------------------------------


def head(name, summary):
    return ['.\\" made by scripts/man_pages.py',
            '.TH %s 1 "" "Pitwall %s" "Pitwall"' % (plain(name.upper()), version()),
            ".SH NAME", "%s \\- %s" % (plain(name), plain(summary))]


def options_part(options):
    found = [".SH OPTIONS"]
    for option, words in options:
        found += [".TP", "\\fB%s\\fR" % plain(option)]
        # Lines with columns of their own stay lines; others are one sentence.
        keeps = any("  " in line for line in words)
        said = words if keeps else [" ".join(words)]
        for line in said:
            found += [guarded(plain(line)) or "\\&", ".br"]
        found.pop()
    return found


def example_part(examples):
    return [".SH EXAMPLES"] + block(examples)[1:]


def see_also(name):
    others = [c for c in commands() if c not in (name, "diff")]
    return [".SH SEE ALSO", "\\fBpitwall\\fR(1), " + ", ".join(
        "\\fBpitwall\\-%s\\fR(1)" % other for other in others)]


def command_page(name, summary, source):
    usage, options, examples = help_parts(help_of(source))
    lines = head("pitwall-" + name, summary) + [".SH SYNOPSIS", ".nf"]
    lines += [guarded(plain(line)) for line in usage] + [".fi", ".SH DESCRIPTION"]
    later = []
    for kind, roff in body_of(text_of("docs/%s.md" % source)):
        if kind == "roff":
            (later if later or roff[0].startswith(".SH") else lines).extend(roff)
    lines += options_part(options) + (views_part() if source == "report" else [])
    lines += later + example_part(examples) + see_also(name)
    return "\n".join(lines) + "\n"


def tool_page():
    lines = head("pitwall", "where a program's time and memory go")
    lines += [".SH SYNOPSIS", ".nf", "pitwall COMMAND [arguments]", ".fi", ".SH DESCRIPTION"]
    intro = text_of("README.md").split("\n## ")[0].split("\n\n")
    first = next(p for p in intro if re.match(r"[A-Z*]", p))
    lines += paragraph(first.split("\n"))[1:] + [".SH COMMANDS"]
    for name, (summary, _) in commands().items():
        lines += [".TP", "\\fBpitwall\\-%s\\fR(1)" % name, plain(summary)]
    lines += [".SH OPTIONS", ".TP", "\\fB\\-\\-version\\fR",
              "the version, and the commit it was built from", ".TP",
              "\\fB\\-\\-cflags\\fR, \\fB\\-\\-libs\\fR",
              "the flags to compile and to link a C program that uses this installation", ".TP",
              "\\fB\\-\\-help\\fR", "the commands; after a command: its options"]
    lines.append(".SH ENVIRONMENT")
    section = re.search(r"\n## The environment\n(.*?)(?=\n## |\Z)", text_of("docs/c-api.md"), re.S)
    for kind, roff in body_of(section.group(1)):
        lines += roff if kind == "roff" else []
    lines.append(".SH EXIT STATUS")
    for number, words in STATUSES:
        lines += [".TP", number, words]
    lines += see_also("")
    return "\n".join(lines) + "\n"


def all_pages():
    pages = {"pitwall.1": tool_page()}
    for name, (summary, source) in commands().items():
        if name == source:
            pages["pitwall-%s.1" % name] = command_page(name, summary, source)
        else:  # another name of the same command
            pages["pitwall-%s.1" % name] = ".so man1/pitwall-%s.1\n" % source
    return pages


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        os.remove(os.path.join(folder, old))
    for name, text in all_pages().items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)


if __name__ == "__main__":
    main()

"""Commands and options as listed in the help texts of the tool."""

import re

import pit_case


def help_of(*command):
    return pit_case.run([pit_case.tool(), *command, "--help"]).stdout


def commands():
    """The commands, by the tool's own help."""
    return re.findall(r"^  ([a-z]\w*) ", help_of(), re.M)


def listed(*words):
    """The names that `report --view help` and `export --format help` list, in their order."""
    return [line.split()[0]
            for line in pit_case.run([pit_case.tool(), *words]).stdout.splitlines()]


def options_of(command):
    """The options of a command: the text between the margin and the description of a line."""
    found = set()
    for line in help_of(command).splitlines():
        if line.startswith("  -"):
            head = line[2:].split("  ")[0]
            found |= {part.split(" ")[0] for part in head.split(", ")}
    return found

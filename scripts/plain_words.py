#!/usr/bin/python3
"""Words that this project no longer uses, and what to write instead: scripts/plain_words.py [FILE...]

Prints `file:line: words -> instead` for each place; the exit status is 1 if there is any. Without arguments
it reads every text that git tracks, or all files outside of build folders if the tree has no git.
CONTRIBUTING.md has the glossary.
"""

import os
import re
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# pattern (case does not matter), suggestion
WORDS = [
    (r"passages?", "call, iteration"),
    (r"(?:can|could|cannot|can't|may) (?:not )?be had", "(not) available"),
    (r"to be had", "available"),
    (r"hangs? on|hanging on", "depends on"),
    (r"hang on one another", "autocorrelated"),
    (r"by coin", "in random order"),
    (r"as without us", "unmodified"),
    (r"none of (?:them|these|those)", "name what is missing"),
    (r"(?:tells?|told|telling) of", "reports, shows, describes"),
    (r"who has(?! been)", "a program (user, process) that has"),
    (r"(?:has|have|had) (?:it|them|one) not", "does not have"),
    (r"whoever", "any process that, the caller"),
    (r"and (?:its|their) kin", "and the related"),
    (r"is said (?:so|by name)", "the message names"),
    (r"knows? nothing of", "does not know about, does not use"),
    (r"that which", "what"),
    (r"anew", "again"),
    (r"for ever", "forever"),
    (r"gives? way|gave way", "is replaced, releases"),
    (r"likewise", "the same, also"),
    (r"passed over", "skipped, ignored"),
    (r"by way of", "through, with"),
    (r"half in force", "active half"),
    (r"(?:is|are|was) to be (?:told|said)", "is reported"),
    (r"nobody (?:told|said|knows)", "not known"),
    (r"not to be found", "not found"),
    (r"a NaN gives", "fmax and fmin ignore NaN"),
]
PATTERN = re.compile(r"\b(?:%s)\b" % "|".join("(%s)" % words for words, _ in WORDS), re.I)
ENDINGS = (".md", ".c", ".h", ".cpp", ".py", ".pyi", ".sh", ".js", ".css", ".html", ".cmake", ".txt",
           ".in", ".exact", "Makefile")
# This list, and the files of others.
LEFT_OUT = ("scripts/plain_words.py", "web/vendor/", "LICENSE")
# Output of older versions that tests compare with; the scripts there are checked.
OUTPUT = ("tests/golden/", "tests/data/")


def tracked():
    """The texts of the tree."""
    if os.path.exists(os.path.join(TREE, ".git")):
        names = subprocess.run(["git", "-c", "safe.directory=*", "-C", TREE, "ls-files", "-z"],
                               capture_output=True, text=True, check=True).stdout.split("\0")
    else:
        names = []
        for folder, inside, files in os.walk(TREE):
            inside[:] = [each for each in inside if not each.startswith((".", "build"))]
            names += [os.path.relpath(os.path.join(folder, each), TREE) for each in files]
    return [name for name in sorted(names)
            if name.endswith(ENDINGS) and not name.startswith(LEFT_OUT)
            and (name.endswith(".py") or not name.startswith(OUTPUT))
            and os.path.isfile(os.path.join(TREE, name))]


def places(text):
    """[(line, words, instead)]: the old words in a text, also if they are split over two lines."""
    joined = re.sub(r"\n(?:[ \t]*(?:\*|#|//)+)?[ \t]*", lambda match: "\n" + " " * (len(match[0]) - 1), text)
    flat = re.sub(r"\s", " ", joined)
    flat = re.sub(r" {2,}", lambda match: " " + "\0" * (len(match[0]) - 1), flat)
    kept = [index for index, letter in enumerate(flat) if letter != "\0"]
    found = []
    for match in PATTERN.finditer("".join(flat[index] for index in kept)):
        begin = kept[match.start()]
        found.append((text.count("\n", 0, begin) + 1, match[0], WORDS[match.lastindex - 1][1]))
    return found


def main(names):
    """Print every place in these files; returns 1 if there is any."""
    count = 0
    for name in names or tracked():
        with open(os.path.join(TREE, name), encoding="utf-8", errors="replace") as file:
            text = file.read()
        for line, words, instead in places(text):
            print("%s:%d: %s -> %s" % (name, line, words, instead))
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

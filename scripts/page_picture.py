#!/usr/bin/env python3
"""Takes the picture of the page in README.md, from a real run: page_picture.py BUILD [RUN] -o docs/page.png

Records build/examples/fitting, or takes the run given, writes its page and takes a picture of the upper part in headless
Chromium (chromium, chromium-driver).
"""

import argparse
import os
import subprocess
import sys
import tempfile

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TREE, "tests", "system"))
import browser  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("run", nargs="?")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--height", type=int, default=1075)
    given = parser.parse_args()
    build = os.path.abspath(given.build)
    with tempfile.TemporaryDirectory() as folder:
        run = given.run or os.path.join(folder, "fitting.pit")
        page = os.path.join(folder, "page.html")
        env = {k: v for k, v in os.environ.items() if not k.startswith("PITWALL")}
        if not given.run:
            subprocess.run([os.path.join(build, "examples", "fitting"), "-o", run, "--quiet"], env=env,
                           check=True, stdout=subprocess.DEVNULL)
        subprocess.run([os.path.join(build, "bin", "pitwall"), "report", run, "--html", "-o", page],
                       env=env, check=True)
        with browser.Browser(1280, given.height) as b:
            b.open("file://" + page)
            b.wait("return document.querySelector('main[data-ready]') !== null")
            b.picture(given.output, whole=False)


if __name__ == "__main__":
    main()

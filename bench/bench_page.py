"""How large the page is, and how soon it is painted, in a real browser.

bench_page.py BUILD: prints "name value" lines for collect.py.

    page_assets_kb        the files of web/ that the library carries
    page_fitting_kb       the page of build/examples/fitting as a file
    page_nodes_kb         the page of a run with 10,000 nodes
    page_nodes_ms         from the navigation to its first paint with content: the median
    page_threads_ms       the same of a run of 512 threads with 20 nodes each
    page_points_ms        the same of 50,000 points: a loss of 10,000, memory and processor of 20,000 each
    page_…_cpu_ms         processor time of the browser's main thread until then, which a busy machine hardly changes

Without a browser (chromium, chromium-driver) only the sizes are there.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TREE, "tests", "system"))
import browser  # noqa: E402

sys.path.insert(0, os.path.join(TREE, "scripts"))
import page_assets  # noqa: E402

TIMES = 9
VALUES, READINGS = 10000, 20000


def page_of(build, run, out):
    subprocess.run([os.path.join(build, "bin", "pitwall"), "report", run, "--html", "-o", out], check=True)
    return os.path.getsize(out)


def with_readings(page, out):
    """The page with many more readings: as large as after hours of sampling."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    head, data, tail = re.split('(?<=id="data">)(.*?)(?=</script>)', text, maxsplit=1, flags=re.S)
    document = json.loads(data)
    run, wall = document["runs"][0], document["summary"]["wall_ns"]
    samples, value = run["samples"], dict(run["values"][0])
    samples["count"] = READINGS
    samples["at_ns"] = [wall * i / READINGS for i in range(READINGS)]
    samples["columns"] = {"rss_bytes": [10**7 + (i * 37) % 10**6 for i in range(READINGS)],
                          "cpu_ns": [wall * i / READINGS + (i * 37) % 10**5 for i in range(READINGS)]}
    value["columns"] = {"at_ns": [wall * i / VALUES for i in range(VALUES)],
                        "mean": [1.0 / (i + 1) + (i * 37 % 101) * 1e-4 for i in range(VALUES)]}
    run["values"] = [value]
    with open(out, "w", encoding="utf-8") as file:
        file.write(head + json.dumps(document).replace("<", "\\u003c") + tail)


def paint_ms(b, url):
    """When the browser first painted, by its own clock, once the charts exist; and the processor time of its main
    thread."""
    b.open("about:blank")
    b.open(url)
    b.wait("return document.querySelector('main[data-ready]') !== null")
    painted = b.wait("const p=performance.getEntriesByName('first-contentful-paint')[0]; return p && p.startTime")
    metrics = {m["name"]: m["value"] for m in b.command("Performance.getMetrics")["metrics"]}
    return painted, 1e3 * metrics["TaskDuration"]


def main():
    build = os.path.abspath(sys.argv[1])
    folder = tempfile.mkdtemp(prefix="pitwall-bench-page-")
    try:
        assets = sum(len(data) for _, data in page_assets.assets(TREE))
        print("page_assets_kb %.1f" % (assets / 1024))
        runs = {name: os.path.join(folder, name + ".pit") for name in ("fitting", "nodes", "threads")}
        env = {k: v for k, v in os.environ.items() if not k.startswith("PITWALL")}
        subprocess.run([os.path.join(build, "examples", "fitting"), "-o", runs["fitting"]], env=env, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([os.path.join(build, "tests", "prog_export"), runs["nodes"], "nodes=10000"], env=env, check=True)
        subprocess.run([os.path.join(build, "tests", "prog_export"), runs["threads"], "threads=512"], env=env, check=True)
        pages = {name: os.path.join(folder, name + ".html") for name in (*runs, "points")}
        for name, run in runs.items():
            print("page_%s_kb %.1f" % (name, page_of(build, run, pages[name]) / 1024))
        with_readings(pages["fitting"], pages["points"])
        if browser.missing():
            print("bench: no paint times: %s" % browser.missing(), file=sys.stderr)
            return
        with browser.Browser() as b:
            b.command("Performance.enable", timeDomain="threadTicks")
            for name, state in (("nodes", "#fold=%2B"), ("threads", "#fold=%2B"), ("points", "")):
                painted, busy = zip(*(paint_ms(b, "file://" + pages[name] + state) for _ in range(TIMES)))
                print("page_%s_ms %.0f" % (name, statistics.median(painted)))
                print("page_%s_cpu_ms %.0f" % (name, statistics.median(busy)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

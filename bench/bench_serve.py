#!/usr/bin/env python3
"""What `pitwall serve` costs: prints lines "key value" for collect.py.

    bench_serve.py BUILD

  serve_list_1000_ms      a thousand runs listed for the first time
  serve_live_p99_ms       /live of a live run, ten watchers at one a second each
  serve_live_cpu_p99_ms   processor time of the server for one of these, which a busy machine hardly changes
  serve_watched_cpu_pct   the server meanwhile, of one processor
  serve_rss_growth_kb     memory added by the second half of that
  serve_beside_pct        processor time of a program beside a server with ten watchers, over that without
  serve_beside_noise_pct  how much such a figure differs if nothing does: half of the runs without, over the others
  serve_day_start_kb      memory of the server after a tenth of a day of polling, which takes minutes
  serve_day_middle_kb     in its middle
  serve_day_end_kb        and at its end
  serve_day_growth_kb     memory added by the last nine tenths
  serve_linked            libraries of the server that other commands load

    bench_serve.py BUILD PART...   only these parts: list, watched, beside, day, linked
"""

import atexit
import http.client
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

SECONDS = 60
DAY = 86400  # polls
WATCHERS = 10
BESIDE = 20  # runs with watchers; twice as many without
EPOCHS = 10000  # five minutes: lives until it is killed

# Something of everything that a document shows, all of it changing.
LIVING = """
import sys, threading, time, pitwall
pitwall.open(sys.argv[1])

def work(name):
    for step in range(1 << 60):
        with pitwall.span(name):
            pitwall.items(step % 7)
            with pitwall.span("part %d" % (step % 12)):
                time.sleep(0.004)
        pitwall.value("loss", 1 / (1 + step))

threading.Thread(target=work, args=("other",), daemon=True).start()
work("step")
"""


class Server:
    def __init__(self, tool, folder, *options):
        self.child = subprocess.Popen([tool, "serve", "--json", "--listen", "127.0.0.1:0", *options, folder],
                                      stdout=subprocess.PIPE, text=True)
        atexit.register(self.child.kill)  # after a failure
        told = json.loads(self.child.stdout.readline())
        self.address = told["url"][len("http://"):].rstrip("/")
        self.headers = {"Authorization": "Bearer " + told["token"]}

    def link(self):
        return http.client.HTTPConnection(self.address, timeout=300)

    def ask(self, link, path):
        return json.loads(self.bytes(link, path))

    def bytes(self, link, path):
        link.request("GET", path, headers=self.headers)
        return link.getresponse().read()

    def live(self, link):
        """Wait for a live run in the list; the path of its changes."""
        while not (runs := self.ask(link, "/api/v1/runs")["runs"])["id"]:
            time.sleep(0.05)
        return "/api/v1/runs/%s/live?since=" % runs["id"][0]

    def cpu(self):
        with open("/proc/%d/stat" % self.child.pid, encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def busy_ns(self):
        with open("/proc/%d/schedstat" % self.child.pid, encoding="ascii") as file:
            return int(file.read().split()[0])

    def rss_kb(self):
        with open("/proc/%d/statm" % self.child.pid, encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024

    def end(self):
        self.child.terminate()
        self.child.wait()
        self.child.stdout.close()


def listed(tool, run, folder):
    """A thousand copies of a run, each with its own id."""
    with open(run, "rb") as file:
        data = bytearray(file.read())
    for number in range(1000):
        data[32:48] = os.urandom(16)
        with open(os.path.join(folder, "%04d.pit" % number), "wb") as file:
            file.write(data)
    server = Server(tool, folder)
    link = server.link()
    begun = time.perf_counter()
    answer = server.ask(link, "/api/v1/runs")
    took = time.perf_counter() - begun
    assert answer["run_count"] == 1000
    server.end()
    print("serve_list_1000_ms %.1f" % (1e3 * took))


def version(answer):
    return re.match(rb'{"v":"([^"]*)"', answer).group(1).decode()


def fitting(build, run, epochs):
    return subprocess.Popen([os.path.join(build, "examples", "fitting"), "--epochs", str(epochs)],
                            env=dict(os.environ, PITWALL_FILE=run), stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def watched(tool, build, folder):
    program = fitting(build, os.path.join(folder, "live.pit"), EPOCHS)
    server = Server(tool, folder)
    links = [server.link() for _ in range(WATCHERS)]
    path = server.live(links[0])
    versions, times, busy, growth, before = [""] * WATCHERS, [], [], 0, server.cpu()
    begun = time.perf_counter()
    for second in range(SECONDS):
        if second == SECONDS // 2:
            growth = server.rss_kb()
        for number, link in enumerate(links):
            due = begun + second + number / WATCHERS
            time.sleep(max(0, due - time.perf_counter()))
            start, busy_before = time.perf_counter(), server.busy_ns()
            answer = server.bytes(link, path + versions[number])
            times.append(time.perf_counter() - start)
            busy.append(server.busy_ns() - busy_before)
            versions[number] = version(answer)
    assert program.poll() is None, "the program ended too early"
    print("serve_live_p99_ms %.2f" % (1e3 * sorted(times)[int(0.99 * len(times))]))
    print("serve_live_cpu_p99_ms %.2f" % (1e-6 * sorted(busy)[int(0.99 * len(busy))]))
    print("serve_watched_cpu_pct %.2f"
          % (100 * (server.cpu() - before) / (time.perf_counter() - begun)))
    print("serve_rss_growth_kb %.0f" % (server.rss_kb() - growth))
    program.kill()
    program.wait()
    server.end()


def watch(tool, folder):
    """Ten watchers until this process is ended."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so that the server ends too
    server = Server(tool, folder)
    links = [server.link() for _ in range(WATCHERS)]
    path = server.live(links[0])
    versions, due = [""] * WATCHERS, time.perf_counter()
    print("watching", flush=True)
    while True:
        for number, link in enumerate(links):
            versions[number] = version(server.bytes(link, path + versions[number]))
            due += 1 / WATCHERS
            time.sleep(max(0, due - time.perf_counter()))


def spent_s(build, folder, number, watchers):
    """Processor time of the program, watched or not."""
    own = os.path.join(folder, str(number))
    os.mkdir(own)
    program = fitting(build, os.path.join(own, "run.pit"), 80)
    viewer = None
    if watchers:
        viewer = subprocess.Popen([sys.executable, __file__, build, "watch", own], stdout=subprocess.PIPE)
        viewer.stdout.readline()
    _, status, used = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    assert program.returncode == 0
    if viewer:
        viewer.terminate()
        viewer.wait()
        viewer.stdout.close()
    shutil.rmtree(own)
    return used.ru_utime + used.ru_stime


def beside(tool, build, folder):
    """The program with watchers and twice without, in random order each time: medians."""
    del tool
    spent = {"with": [], "without": [], "again": []}
    for number in range(BESIDE):
        for place, kind in enumerate(random.sample(sorted(spent), 3)):
            spent[kind].append(spent_s(build, folder, 3 * number + place, kind == "with"))
    usual = statistics.median(spent["without"] + spent["again"])
    print("serve_beside_pct %.2f" % (100 * statistics.median(spent["with"]) / usual - 100))
    print("serve_beside_noise_pct %.2f"
          % abs(100 * statistics.median(spent["again"]) / statistics.median(spent["without"]) - 100))


def a_day(tool, build, folder):
    """A day of polls of one viewer, each with a newly made document, over ten connections in turn."""
    program = subprocess.Popen(["/usr/bin/python3", "-c", LIVING, os.path.join(folder, "live.pit")],
                               env=dict(os.environ, PYTHONPATH=os.path.join(build, "python")))
    while not os.listdir(folder):
        time.sleep(0.05)
    server = Server(tool, folder, "--refresh", "0")
    links = [server.link() for _ in range(WATCHERS)]
    path = server.live(links[0])
    known, memory = "", {}
    for number in range(DAY):
        if number in (DAY // 10, DAY // 2):
            memory[number] = server.rss_kb()
        answer = server.bytes(links[number % WATCHERS], path + known)
        assert (before := known) != (known := version(answer)), before
    assert program.poll() is None, "the program ended too early"
    start, middle, end = memory[DAY // 10], memory[DAY // 2], server.rss_kb()
    for name, figure in (("start", start), ("middle", middle), ("end", end), ("growth", end - start)):
        print("serve_day_%s_kb %.0f" % (name, figure))
    program.kill()
    program.wait()
    server.end()


def linked(tool):
    found = subprocess.run(["ldd", tool], check=True, stdout=subprocess.PIPE, text=True).stdout
    print("serve_linked %d" % sum(name in found for name in ("libmicrohttpd", "libgnutls", "libnettle", "libp11")))


def main():
    build, parts = os.path.abspath(sys.argv[1]), sys.argv[2:]
    tool = os.path.join(build, "bin", "pitwall")
    if parts and parts[0] == "watch":
        watch(tool, parts[1])
        return
    folder = tempfile.mkdtemp(prefix="pitwall-bench-")

    def is_asked(part):
        if parts and part not in parts:
            return None
        own = os.path.join(folder, part)
        os.mkdir(own)
        return own

    try:
        if own := is_asked("list"):
            run = os.path.join(folder, "run.pit")
            assert fitting(build, run, 80).wait() == 0
            listed(tool, run, own)
        if own := is_asked("watched"):
            watched(tool, build, own)
        if own := is_asked("beside"):
            beside(tool, build, own)
        if own := is_asked("day"):
            a_day(tool, build, own)
        if is_asked("linked"):
            linked(tool)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()

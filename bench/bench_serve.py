#!/usr/bin/env python3
"""What `pitwall serve` costs: prints lines "key value" for collect.py.

    bench_serve.py BUILD

  serve_list_1000_ms      a thousand runs listed for the first time
  serve_live_p99_ms       /live of a live run, ten watchers at one a second each
  serve_live_cpu_p99_ms   processor time of the server for one of these, which a busy machine hardly changes
  serve_watched_cpu_pct   the server meanwhile, of one processor
  serve_rss_growth_kb     memory added by the second half of that
  serve_day_growth_kb     memory added by a day of polling, done in minutes, after its first tenth
  serve_linked            libraries of the server that other commands load
"""

import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SECONDS = 60
DAY = 86400  # polls
WATCHERS = 10

LIVING = """
import sys, time, pitwall
pitwall.open(sys.argv[1])
while True:
    with pitwall.span("step"):
        time.sleep(0.01)
"""


class Server:
    def __init__(self, tool, folder, *options):
        self.child = subprocess.Popen([tool, "serve", "--json", "--listen", "127.0.0.1:0", *options, folder],
                                      stdout=subprocess.PIPE, text=True)
        told = json.loads(self.child.stdout.readline())
        self.address = told["url"][len("http://"):].rstrip("/")
        self.headers = {"Authorization": "Bearer " + told["token"]}

    def link(self):
        return http.client.HTTPConnection(self.address, timeout=300)

    def ask(self, link, path):
        link.request("GET", path, headers=self.headers)
        return json.loads(link.getresponse().read())

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


def watched(tool, build, folder):
    program = subprocess.Popen([os.path.join(build, "examples", "fitting"), "--epochs", "1000"],
                               env=dict(os.environ, PITWALL_FILE=os.path.join(folder, "live.pit")),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = Server(tool, folder)
    links = [server.link() for _ in range(WATCHERS)]
    while not (runs := server.ask(links[0], "/api/v1/runs")["runs"])["id"]:
        time.sleep(0.1)
    path = "/api/v1/runs/%s/live?since=" % runs["id"][0]
    versions, times, busy, growth, before = [""] * WATCHERS, [], [], 0, server.cpu()
    begun = time.perf_counter()
    for second in range(SECONDS):
        if second == SECONDS // 2:
            growth = server.rss_kb()
        for number, link in enumerate(links):
            due = begun + second + number / WATCHERS
            time.sleep(max(0, due - time.perf_counter()))
            start, busy_before = time.perf_counter(), server.busy_ns()
            versions[number] = server.ask(link, path + versions[number])["v"]
            times.append(time.perf_counter() - start)
            busy.append(server.busy_ns() - busy_before)
    print("serve_live_p99_ms %.2f" % (1e3 * sorted(times)[int(0.99 * len(times))]))
    print("serve_live_cpu_p99_ms %.2f" % (1e-6 * sorted(busy)[int(0.99 * len(busy))]))
    print("serve_watched_cpu_pct %.2f"
          % (100 * (server.cpu() - before) / (time.perf_counter() - begun)))
    print("serve_rss_growth_kb %.0f" % (server.rss_kb() - growth))
    program.kill()
    program.wait()
    server.end()


def a_day(tool, build, folder):
    """A day of polls of one viewer, each with a newly made document."""
    program = subprocess.Popen(["/usr/bin/python3", "-c", LIVING, os.path.join(folder, "live.pit")],
                               env=dict(os.environ, PYTHONPATH=os.path.join(build, "python")))
    while not os.listdir(folder):
        time.sleep(0.05)
    server = Server(tool, folder, "--refresh", "0")
    link = server.link()
    while not (runs := server.ask(link, "/api/v1/runs")["runs"])["id"]:
        time.sleep(0.05)
    live = "/api/v1/runs/%s/live?since=" % runs["id"][0]
    version, first = "", 0
    for number in range(DAY):
        if number == DAY // 10:
            first = server.rss_kb()
        version = server.ask(link, live + version)["v"]
    print("serve_day_growth_kb %.0f" % (server.rss_kb() - first))
    program.kill()
    program.wait()
    server.end()


def linked(tool):
    found = subprocess.run(["ldd", tool], check=True, stdout=subprocess.PIPE, text=True).stdout
    print("serve_linked %d" % sum(name in found for name in ("libmicrohttpd", "libgnutls", "libnettle", "libp11")))


def main():
    build = os.path.abspath(sys.argv[1])
    tool = os.path.join(build, "bin", "pitwall")
    folder = tempfile.mkdtemp(prefix="pitwall-bench-")
    try:
        run = os.path.join(folder, "run.pit")
        subprocess.run([os.path.join(build, "examples", "fitting")], check=True,
                       env=dict(os.environ, PITWALL_FILE=run), stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        for name in ("many", "live", "day"):
            os.mkdir(os.path.join(folder, name))
        listed(tool, run, os.path.join(folder, "many"))
        watched(tool, build, os.path.join(folder, "live"))
        a_day(tool, build, os.path.join(folder, "day"))
        linked(tool)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()

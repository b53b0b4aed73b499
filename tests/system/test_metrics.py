"""/metrics and `export --format prometheus`: the text format, exact figures, counters that never fall, and a
real Prometheus that scrapes, alerts and answers the dashboard's queries."""

import json
import os
import re
import shutil
import socket
import time
import urllib.error
import urllib.parse
import urllib.request

import pit_case
from places import read, write
from serve_case import Case

SAMPLE = re.compile(r'^([a-z_]+)\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\} (\S+)$')
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"')
ESCAPES = {'\\"': '"', "\\\\": "\\", "\\n": "\n"}
DOCS = os.path.join(pit_case.source_dir(), "docs", "prometheus")


def parsed(text):
    """{(name, ((label, value), …)): figure}; every line is as the format has it, none comes twice."""
    found, kinds, names = {}, {}, []
    assert text.endswith("\n")
    for line in text.split("\n")[:-1]:
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in kinds, line
            kinds[name] = kind
        elif line.startswith("# HELP "):
            assert len(line.split(" ", 3)) == 4, line
        else:
            match = SAMPLE.match(line)
            assert match, line
            name, labels, figure = match.groups()
            family = re.sub("_(sum|count)$", "", name) if name not in kinds else name
            assert family in kinds, line
            if not names or names[-1] != family:
                assert family not in names, "lines of %s are not together" % family
                names.append(family)
            pairs = tuple((k, re.sub(r'\\.', lambda m: ESCAPES[m.group()], v))
                          for k, v in LABEL.findall(labels))
            assert len(dict(pairs)) == len(pairs), line
            assert (name, pairs) not in found, line
            found[name, pairs] = float(figure)
    return found, kinds


def figure(found, metric, **labels):
    """The one figure with these labels."""
    hits = [v for (name, pairs), v in found.items()
            if name == metric and labels.items() <= dict(pairs).items()]
    assert len(hits) == 1, (metric, labels, hits)
    return hits[0]


class Metrics(Case):
    def exported(self, *paths):
        """The text, byte by byte: a name may contain any kind of line break."""
        out = os.path.join(self.folder(), "metrics.prom")
        self.run_ok([pit_case.tool(), "export", "-o", out, *paths])
        return read(out).decode()

    def check(self, text):
        if not shutil.which("promtool"):
            self.skipTest("promtool is missing")
        path = write(os.path.join(self.folder(), "metrics"), text.encode())
        with open(path, "rb") as file:
            done = self.run_ok(["promtool", "check", "metrics"], stdin=file)
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        return parsed(text)

    def test_the_figures_of_a_finished_run_are_exact(self):
        folder = self.folder()
        path = os.path.join(folder, "a.pit")
        self.made(path, "label=lr=0.1", "nodes=7", "spans=step:100", "close")
        found, kinds = self.check(self.exported(path))
        report = self.report(path)
        run = report["runs"][0]["run_id"]
        spans = {n["path"]: n for n in report["nodes"]}
        self.assertEqual({dict(p)["span"] for n, p in found if n == "pitwall_span_self_seconds_total"},
                         set(spans))
        for span, node in spans.items():
            where = {"run": run, "span": span}
            total = figure(found, "pitwall_span_duration_seconds_sum", **where)
            self.assertAlmostEqual(total * 1e9, node["finished_ns"], delta=0.002)
            self.assertEqual(figure(found, "pitwall_span_duration_seconds_count", **where),
                             node["count"])
            self.assertAlmostEqual(figure(found, "pitwall_span_self_seconds_total", **where) * 1e9,
                                   node["self_ns"], delta=0.002)
            for q, key in (("0.5", "p50_ns"), ("0.95", "p95_ns"), ("0.99", "p99_ns")):
                self.assertAlmostEqual(
                    figure(found, "pitwall_span_duration_seconds", quantile=q, **where) * 1e9,
                    node[key], delta=0.002)
        self.assertEqual(figure(found, "pitwall_run_state", state="done"), 1)
        self.assertEqual(figure(found, "pitwall_run_state", state="live"), 0)
        self.assertEqual(figure(found, "pitwall_run_info", label_lr="0.1", program="prog_place"), 1)
        self.assertEqual(figure(found, "pitwall_spans_omitted"), 0)
        self.assertEqual(figure(found, "pitwall_build_info", version=pit_case.version()), 1)
        self.assertEqual(kinds["pitwall_span_duration_seconds"], "summary")
        # the server has the same lines
        server = self.serve(folder)
        self.assertEqual(parsed(server.ask("/metrics")[2].decode()), (found, kinds))

    def test_several_runs_stand_metric_by_metric_and_none_twice(self):
        folder = self.folder()
        paths = [self.made(os.path.join(folder, "%d.pit" % i), "nodes=3", "close") for i in range(3)]
        found, _ = self.check(self.exported(*paths, paths[0]))
        self.assertEqual(len([1 for name, _ in found if name == "pitwall_run_info"]), 3)

    def test_values_items_and_findings(self):
        path = os.path.join(self.folder(), "a.pit")
        self.run_ok([pit_case.example("decoding"), "--quick", "-o", path])
        found, _ = self.check(self.exported(path))
        report = self.report(path)
        rules = {}
        for finding in report["advice"]["findings"]:
            rules[finding["rule"]] = rules.get(finding["rule"], 0) + 1
        self.assertEqual({dict(p)["rule"]: v for (n, p), v in found.items()
                          if n == "pitwall_finding"}, rules)
        last = {v["name"]: v["last"] for run in report["runs"] for t in run["threads"]
                for v in t["values"]}
        self.assertTrue(last)
        for name, value in last.items():
            self.assertEqual(figure(found, "pitwall_value", name=name), value)
        items = {n["path"]: n["items"] for n in report["nodes"] if n["items"]}
        self.assertEqual({dict(p)["span"]: v for (n, p), v in found.items()
                          if n == "pitwall_span_items_total"}, items)
        self.assertGreater(figure(found, "pitwall_run_cpu_seconds_total"), 0)
        self.assertGreater(figure(found, "pitwall_run_peak_memory_bytes"), 0)

    def test_hostile_names_stay_labels(self):
        path = os.path.join(self.folder(), "a.pit")
        evil = 'a"} 1\nevil{x="\\'
        self.made(path, "label=a b=%s" % evil, "label=a_b=second", "odd-names",
                  "spans=%s:2" % evil.replace("/", ""), "close")
        found, kinds = self.check(self.exported(path))
        self.assertFalse([name for name in kinds if not name.startswith("pitwall_")])
        self.assertEqual(figure(found, "pitwall_run_info", label_a_b=evil), 1)
        spans = {n["path"] for n in self.report(path)["nodes"]}
        self.assertEqual({dict(p)["span"] for n, p in found if n == "pitwall_span_open"}, spans)

    def test_as_many_spans_as_wanted_by_total_time(self):
        folder = self.folder()
        path = self.made(os.path.join(folder, "a.pit"), "nodes=300", "close")
        found, _ = parsed(self.exported(path))
        spans = {dict(p)["span"] for n, p in found if n == "pitwall_span_open"}
        self.assertEqual((len(spans), figure(found, "pitwall_spans_omitted")), (100, 200))
        totals = sorted((n["total_ns"] for n in self.report(path)["nodes"]), reverse=True)
        by_path = {n["path"]: n["total_ns"] for n in self.report(path)["nodes"]}
        self.assertEqual(sorted((by_path[s] for s in spans), reverse=True), totals[:100])
        server = self.serve(folder, "--metrics-spans", "7")
        found, _ = parsed(server.ask("/metrics")[2].decode())
        self.assertEqual(figure(found, "pitwall_spans_omitted"), 293)
        # a run that ended leaves after a while: here at once
        server = self.serve(folder, "--metrics-keep", "0")
        self.assertEqual(list(parsed(server.ask("/metrics")[2].decode())[0]),
                         [("pitwall_build_info", (("version", pit_case.version()),))])

    def test_counters_never_fall_while_a_run_lives_nor_at_its_end(self):
        folder = self.folder()
        told = os.path.join(self.folder(), "told")
        child = self.start_place("open=" + os.path.join(folder, "a.pit"), "nodes=20",
                                 "count=" + told, stdout=None)
        self.wait_file(told, child)
        server = self.serve("--refresh", "0", folder)
        before = {}

        def look():
            text = server.ask("/metrics")[2].decode()
            found, kinds = parsed(text)
            counters = {key: value for key, value in found.items()
                        if kinds.get(key[0]) == "counter" or key[0].endswith(("_sum", "_count"))}
            for key, value in before.items():
                self.assertIn(key, counters)
                self.assertGreaterEqual(counters[key], value, key)
            before.update(counters)
            return found

        for _ in range(30):
            found = look()
        self.assertEqual(figure(found, "pitwall_run_state", state="live"), 1)
        self.assertGreaterEqual(figure(found, "pitwall_run_last_span_age_seconds"), 0)
        self.kill(child)
        self.wait_until("for its death", lambda: server.states() == {"a.pit": "died"})
        found = look()
        self.assertEqual(figure(found, "pitwall_run_state", state="died"), 1)


class Scraped(Case):
    """One Prometheus for the rules and the dashboard."""

    def ask(self, path, **query):
        url = "http://127.0.0.1:%d%s?%s" % (self.port, path, urllib.parse.urlencode(query))
        with urllib.request.urlopen(url, timeout=300) as answer:
            return json.load(answer)["data"]

    def query(self, expression):
        return self.ask("/api/v1/query", query=expression)["result"]

    def start_prometheus(self, target, token):
        """It cannot choose a port itself: a free one is tried, and another one if it was taken."""
        folder = self.folder()
        write(os.path.join(folder, "token"), token.encode())
        write(os.path.join(folder, "prometheus.yml"), (
            "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
            "rule_files: [%s/pitwall-alerts.yml]\n"
            "scrape_configs:\n"
            "  - job_name: pitwall\n"
            "    authorization: {credentials_file: %s/token}\n"
            "    static_configs: [{targets: ['%s']}]\n" % (DOCS, folder, target)).encode())
        for _ in range(5):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.port = free.getsockname()[1]
            log = write(os.path.join(folder, "log"))
            with open(log, "wb") as out:
                child = self.start(["prometheus", "--config.file=%s/prometheus.yml" % folder,
                                    "--storage.tsdb.path=%s/data" % folder,
                                    "--web.listen-address=127.0.0.1:%d" % self.port],
                                   stdout=out, stderr=out)
            patience = pit_case.Patience(300)
            while child.poll() is None and not patience.is_over():
                try:
                    self.query("1")
                    return
                except (OSError, urllib.error.URLError):
                    time.sleep(0.1)
        with open(log, encoding="utf-8", errors="replace") as file:
            self.fail("Prometheus does not start: " + file.read()[-2000:])

    @pit_case.plain_build
    def test_prometheus_scrapes_alerts_and_answers_the_dashboard(self):
        if not shutil.which("prometheus"):
            self.skipTest("prometheus is missing")
        folder = self.folder()
        done = os.path.join(folder, "done.pit")
        self.run_ok([pit_case.example("fitting"), "--quick"], env=pit_case.clean_env(PITWALL_FILE=done))
        self.run_status(-9, [pit_case.program("prog_place"),
                             "open=" + os.path.join(folder, "dead.pit"), "nodes=3", "kill"])
        self.live(os.path.join(folder, "live.pit"), "spans=step:3")
        server = self.serve("--metrics-keep", "24h", folder)
        self.start_prometheus("127.0.0.1:%d" % server.port, server.token)

        def wait_for(expression, count=1):
            """Its rows. A scrape that takes longer than its second gives none, until the next one."""
            def rows():
                found = self.query(expression)
                return found if len(found) >= count else None

            return pit_case.wait_until(rows, 300, 0.01, "for " + expression)

        self.assertEqual([r["value"][1] for r in wait_for("up == 1")], ["1"])
        wait_for("pitwall_run_info", 3)
        # exact, all the way through
        report = self.report(done)
        node_of = {n["path"]: n for n in report["nodes"]}
        sums = wait_for('pitwall_span_duration_seconds_sum{run="%s"}' % report["runs"][0]["run_id"],
                        len(node_of))
        self.assertEqual(len(sums), len(node_of))
        for row in sums:
            self.assertAlmostEqual(float(row["value"][1]) * 1e9,
                                   node_of[row["metric"]["span"]]["finished_ns"], delta=0.002)
        died = wait_for('ALERTS{alertname="PitwallRunDied", alertstate="firing"}')
        self.assertEqual([r["metric"]["run"] for r in died], [server.id_of("dead.pit")])
        with open(os.path.join(DOCS, "pitwall-dashboard.json"), encoding="utf-8") as file:
            dashboard = json.load(file)
        expressions = [t["expr"] for p in dashboard["panels"] for t in p["targets"]]
        self.assertGreater(len(expressions), 10)
        for expression in expressions:
            asked = expression.replace("$__rate_interval", "5m").replace("$run", ".*")
            self.assertNotIn("$", asked)
            if "> 0)" in asked or "last_span" in asked:  # spans that end just now; live ones
                self.query(asked)
            else:
                wait_for(asked)
        wait_for("up == 1")


class Shipped(Case):
    def test_alert_rules_do_what_they_say(self):
        if not shutil.which("promtool"):
            self.skipTest("promtool is missing")
        self.run_ok(["promtool", "check", "rules", os.path.join(DOCS, "pitwall-alerts.yml")])
        self.run_ok(["promtool", "test", "rules", os.path.join(DOCS, "pitwall-alerts-test.yml")])

    def test_shipped_files_name_only_metrics_that_there_are(self):
        path = os.path.join(pit_case.source_dir(), "src", "exports", "prometheus_lines.h")
        with open(path, encoding="utf-8") as file:
            known = {"pitwall_" + name for name in re.findall(r'X\(\w+, "(\w+)"', file.read())}
        known |= {"pitwall_span_duration_seconds_sum", "pitwall_span_duration_seconds_count"}
        for name in ("pitwall-alerts.yml", "pitwall-dashboard.json"):
            with open(os.path.join(DOCS, name), encoding="utf-8") as file:
                used = set(re.findall(r"\bpitwall_\w+", file.read()))
            self.assertTrue(used)
            self.assertLessEqual(used, known, name)


if __name__ == "__main__":
    pit_case.main(has_threads=False)

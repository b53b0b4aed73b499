"""Names with a '/' in them, and values that are not finite numbers, in all outputs."""

import json
import math
import os
import re
import subprocess

import pit_case

# Paths as texts, and how often prog_bounded records each.
PATHS = {"a/b": 10, "a\\/b": 20, "a\\\\/b": 30, "a\\\\\\/b": 40, "a\\//b": 50}


def strict(text):
    """Parse JSON, without the words that are not JSON."""
    def refuse(word):
        raise AssertionError("%s in JSON" % word)
    return json.loads(text, parse_constant=refuse)


class Made(pit_case.Case):
    def made(self, *what):
        path = os.path.join(self.folder(), "run.pit")
        self.run_ok([pit_case.program("prog_bounded"), path, *what])
        return path

    def tool(self, *words, **options):
        return self.run_ok([pit_case.tool(), *words], **options).stdout

    def python(self, code, path):
        env = pit_case.clean_env(PYTHONPATH=os.path.join(pit_case.build_dir(), "python"))
        return self.run_ok(["/usr/bin/python3", "-c", code, path], env=env).stdout


class Names(Made):
    def test_report(self):
        nodes = strict(self.tool("report", "--json", self.made("names")))["nodes"]
        counts = {node["path"]: node["count"] for node in nodes}
        self.assertEqual(len(counts), len(nodes), "two nodes have the same path")
        self.assertEqual({path: counts[path] for path in PATHS}, PATHS)

    def test_compare(self):
        """Two runs, each once a→b and a/b: five figures, none merged."""
        document = strict(self.run_status(
            2, [pit_case.reader(), "compare", "--json", self.made("names"), self.made("names")]).stdout)
        texts = re.findall(r'"(?:what|path|name)": "((?:[^"\\]|\\.)*)"', json.dumps(document))
        found = [json.loads('"%s"' % text) for text in texts]
        for path in PATHS:
            self.assertEqual(found.count(path), 1, "%s in %r" % (path, found))

    def test_top(self):
        nodes = strict(self.tool("top", "--once", "--json", self.made("names")))["nodes"]
        self.assertEqual({node["path"]: node["count"] for node in nodes if node["path"] in PATHS},
                         PATHS)

    def test_a_node_asked_for(self):
        path = self.made("names")
        for name, count in PATHS.items():
            with self.subTest(name):
                done = pit_case.run([pit_case.reader(), "report", "--view", "warmup", "--json",
                                     "--node", name, path])
                self.assertIn(" %d" % count, done.stdout)

    @pit_case.plain_build  # the interpreter is not built with a sanitizer
    def test_python(self):
        found = json.loads(self.python(
            "import json, sys, pitwall\n"
            "run = pitwall.read(sys.argv[1])\n"
            "print(json.dumps({'tree': [[n['path'], n['count']] for n in run['nodes']],\n"
            "  'threads': [[n['path'], n['count']] for t in run['threads'] for n in t['nodes']]}))",
            self.made("names")))
        for where in ("tree", "threads"):
            with self.subTest(where):
                counts = [pair for pair in found[where] if pair[0] in PATHS]
                self.assertEqual(dict(counts), PATHS)
                self.assertEqual(len(counts), len(PATHS))


class Values(Made):
    REASONS = {"nan": "nan", "inf": "inf", "minus": "-inf"}

    def test_report(self):
        document = strict(self.tool("report", "--json", self.made("values")))
        values = {v["name"]: v for run in document["runs"] for thread in run["threads"]
                  for v in thread["values"]}
        for name, reason in self.REASONS.items():
            self.assertIsNone(values[name]["last"])
            self.assertEqual(values[name]["reason"], reason)
            reasons = [p.get("reason") for p in values[name]["points"] if p["mean"] is None]
            self.assertEqual(reasons, [reason] * len(reasons))
        self.assertEqual(values["good"]["last"], 0.5)
        self.assertNotIn("reason", values["good"])

    def test_everything_that_is_json(self):
        path = self.made("values")
        folder = os.path.dirname(path)
        for words in (["info", "--json"], ["list", "--json"], ["top", "--once", "--json"],
                      ["report", "--json"], ["export", "--format", "chrome-trace"],
                      ["export", "--format", "speedscope"]):
            with self.subTest(words):
                strict(self.tool(*words, path, cwd=folder))

    @pit_case.plain_build  # the interpreter is not built with a sanitizer
    def test_python(self):
        """The result of read() can always be written as JSON."""
        text = self.python("import json, sys, pitwall\n"
                           "print(json.dumps(pitwall.read(sys.argv[1]), allow_nan=False))",
                           self.made("values"))
        values = {v["name"]: v for thread in strict(text)["threads"] for v in thread["values"]}
        for name, reason in self.REASONS.items():
            self.assertEqual((values[name]["last"], values[name]["reason"]), (None, reason))
        self.assertEqual((values["good"]["last"], values["good"]["reason"]), (0.5, None))


class Once(Made):
    def test_top_once_json_of_a_live_run_is_one_line(self):
        """The run lives until it is told to end, so a command that follows it never ends by itself."""
        folder = self.folder()
        run = os.path.join(folder, "live.pit")
        program = subprocess.Popen([pit_case.program("prog_live"), "write", run], cwd=folder,
                                   env=pit_case.clean_env(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE)
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        self.assertTrue(program.stdout.readline())  # it has begun
        for words in (["--once", "--json"], ["--json", "--once"]):
            lines = self.tool("top", *words, "--interval", "0.05", run, timeout=120).splitlines()
            self.assertEqual(len(lines), 1)
            self.assertEqual(strict(lines[0])["state"], "live")


class Cost(Made):
    def test_the_share_of_instrumentation_is_at_most_all(self):
        for threads in (1, 4, 16):
            path = self.made("threads", threads)
            share = strict(self.tool("report", "--json", path))
            text = self.tool("report", path)
            with self.subTest(threads):
                shares = [float(s) for s in re.findall(r'"cost_share": ([0-9.e+-]+)',
                                                       json.dumps(share))]
                self.assertEqual(len(shares), 1)
                self.assertTrue(0 < shares[0] <= 1, shares)
                self.assertTrue(math.isfinite(shares[0]))
                line = re.search(r"(?m)^instrumentation: .*", text).group(0)
                self.assertRegex(line, r"a span, .* of (the run|the time of \d+ threads)$")


if __name__ == "__main__":
    pit_case.main()

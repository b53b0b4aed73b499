"""Recorders from Python: open, close, read and report, the environment, worker processes, and
the errors that misuse raises."""

import os
import signal

import py_case
from py_case import pit_case


class Recorders(py_case.Case):
    def test_the_first_span_opens_one_in_memory_and_prints_nothing(self):
        found = self.python("""
            before = pitwall.status()
            with pitwall.span("a"): pass
            tell([before["recording"], pitwall.status(), os.listdir(".")])
        """)
        self.assertFalse(found[0])
        self.assertEqual([found[1]["recording"], found[1]["storage"], found[1]["automatic"]],
                         [True, "memory", True])
        self.assertNotIn("pitwall-runs", found[2])
        self.assertEqual(self.stdout + self.stderr, "")

    def test_a_file_that_the_tool_reads(self):
        folder = self.folder()
        found = self.python("""
            with pitwall.open("run.pit", labels={"model": "m"}) as run:
                with pitwall.span("a"): pass
                inside = [run.recording, os.path.basename(run.path)]
            tell([inside, run.recording, counts(pitwall.read("run.pit"))])
        """, cwd=folder)
        self.assertEqual(found, [[True, "run.pit"], False, {"a": 1}])
        done = self.run_ok([pit_case.tool(), "report", os.path.join(folder, "run.pit"), "--json"])
        self.assertIn('"a"', done.stdout)

    def test_the_program_is_the_script(self):
        folder = self.folder()
        facts = self.python("""
            with pitwall.open() as run:
                with pitwall.span("a"): pass
            tell(pitwall.read(run.path)["facts"])
        """, cwd=folder, arguments=("--lr", "1"))
        self.assertEqual([facts["program"], facts["interpreter"]],
                         ["program.py", os.path.basename(py_case.PYTHON)])
        self.assertTrue(facts["arguments"].endswith("/program.py --lr 1"), facts)
        name, = os.listdir(os.path.join(folder, "pitwall-runs"))
        self.assertTrue(name.startswith("program.py-"), name)
        path = os.path.join(folder, "pitwall-runs", name)
        shown = self.run_ok([pit_case.tool(), "info", path]).stdout.splitlines()[0]
        self.assertRegex(shown, r"^program   python3 .*/program\.py --lr 1$")
        shown = self.run_ok([pit_case.tool(), "top", "--once", path]).stdout.splitlines()[0]
        self.assertRegex(shown, r"^python3 .*/program\.py --lr 1: done, ")
        self.assertIn("  program.py  ", self.run_ok([pit_case.tool(), "list", path]).stdout)
        view = self.run_ok([pit_case.tool(), "report", path, "--view", "timing-summary"]).stdout
        self.assertIn("program.py", view.splitlines()[1])

    def test_what_a_span_opened_by_itself_makes_way_for_a_file(self):
        found = self.python("""
            with pitwall.span("lost"): pass
            pitwall.open("run.pit")
            with pitwall.span("kept"): pass
            pitwall.close()
            with pitwall.span("after") as s: pass
            tell([counts(pitwall.read("run.pit")), s.elapsed > 0, pitwall.status()["recording"]])
        """)
        self.assertEqual(found, [{"kept": 1}, True, False])

    def test_spans_that_are_open_across_open_and_close_do_no_harm(self):
        found = self.python("""
            with pitwall.span("outer"):
                pitwall.open("run.pit")
                with pitwall.span("in"): pass
            with pitwall.span("second"):
                pitwall.close()
            pitwall.open("other.pit")
            with pitwall.span("third"): pass
            pitwall.close()
            tell([counts(pitwall.read("run.pit")), losses(pitwall.read("run.pit")),
                  counts(pitwall.read("other.pit"))])
        """)
        self.assertEqual(found[0]["in"], 1)
        self.assertEqual(found[1:], [{}, {"third": 1}])

    def test_tasks_across_a_change_of_recorder(self):
        found = self.python("""
            async def task(i):
                with pitwall.span("t"):
                    await asyncio.sleep(0.002 * (i % 4))
                    with pitwall.span("u"): await asyncio.sleep(0)
            async def main():
                tasks = [asyncio.create_task(task(i)) for i in range(50)]
                await asyncio.sleep(0.001)
                pitwall.open("run.pit")
                await asyncio.gather(*tasks)
                await asyncio.gather(*(task(i) for i in range(50)))
            asyncio.run(main())
            pitwall.close()
            run = pitwall.read("run.pit")
            tell([counts(run), losses(run)])
        """)
        self.assertEqual(found[0]["t"], 50)
        self.assertEqual(found[0]["t/u"], 50)
        self.assertEqual(found[1], {})

    def test_a_recorder_of_ones_own(self):
        found = self.python("""
            with pitwall.Recorder("part.pit") as part:
                with part.span("load") as s: time.sleep(0.01)
                with part.span("load"):
                    with part.span("inner"): pass
                live = counts(part.read())
                text = part.report()
            tell([live, "load" in text, s.elapsed >= 0.0099, counts(pitwall.read("part.pit")),
                  pitwall.status()["recording"]])
        """)
        self.assertEqual(found, [{"load": 2, "load/inner": 1}, True, True,
                                 {"load": 2, "load/inner": 1}, False])

    def test_rows_of_nodes_are_plain_data(self):
        found = self.python("""
            for _ in range(10):
                with pitwall.span("a"): pass
            run = pitwall.read_live()
            json.dumps(run, allow_nan=False)
            row = run["nodes"][0]
            tell([row, run["state"], run["pid"] == os.getpid(), run["facts"]["program"]])
        """)
        row = found[0]
        self.assertEqual([row["path"], row["count"], row["depth"], row["parent"]],
                         ["a", 10, 0, None])
        self.assertLessEqual(row["min_ns"], row["p50_ns"] * 1.02)
        self.assertAlmostEqual(row["mean_ns"] * 10, row["finished_ns"], places=3)
        self.assertIsNone(row["memory_peak_bytes"])
        self.assertEqual(found[1:3], ["live", True])

    def test_reports_and_exports_are_text(self):
        found = self.python("""
            with pitwall.span("a"): pass
            tell([pitwall.report(), pitwall.report(form="json"), pitwall.report(view="flat"),
                  pitwall.export(format="chrome-trace")[:1], pitwall.views()])
        """)
        self.assertIn("count", found[0])
        self.assertTrue(found[1].startswith("{"))
        self.assertIn("a", found[2])
        self.assertIn(found[3], "[{")
        self.assertIn("tree", found[4])
        self.assertEqual(self.stdout, "")

    def test_a_killed_program_leaves_its_run(self):
        folder = self.folder()
        self.python("""
            pitwall.open("run.pit")
            for i in range(1000):
                with pitwall.span("done"): pass
            with pitwall.span("outer"):
                with pitwall.span("here"):
                    os.kill(os.getpid(), 9)
        """, status=-signal.SIGKILL, cwd=folder)
        found = self.python("""
            run = pitwall.read("run.pit")
            tell([run["state"], counts(run)["done"], [o["path"] for o in run["threads"][0]["open"]]])
        """, cwd=folder)
        self.assertEqual(found, ["died", 1000, ["outer", "outer/here"]])


class Environment(py_case.Case):
    WORK = """
        @pitwall.timed
        def f(): return 5
        with pitwall.span("a") as s:
            time.sleep(0.01)
            inside = s.elapsed
            pitwall.items(3); pitwall.value("v", 1); pitwall.phase("p"); pitwall.label("k", "v")
            pitwall.journal("note", "text")
        async def task():
            async with pitwall.span("t"): await asyncio.sleep(0)
        async def main(): await asyncio.gather(task(), task())
        asyncio.run(main())
        got = [f(), list(pitwall.iter([1, 2], "i")), inside >= 0.0099, s.elapsed >= inside]
        tell([got, pitwall.status()["recording"]])
    """

    def test_switched_off_everything_still_works(self):
        folder = self.folder()
        found = self.python(self.WORK, cwd=folder, PITWALL="0")
        self.assertEqual(found, [[5, [1, 2], True, True], False])
        self.assertEqual(os.listdir(folder), [])

    def test_switched_off_open_and_recorders_do_nothing(self):
        found = self.python("""
            with pitwall.open("run.pit") as run:
                with run.span("a"): pass
            with pitwall.Recorder("own.pit") as own:
                with own.span("a"): pass
            tell([os.path.exists("run.pit"), os.path.exists("own.pit"), run.recording,
                  own.recording])
        """, PITWALL="0")
        self.assertEqual(found, [False, False, False, False])

    def test_a_file_by_the_environment(self):
        folder = self.folder()
        found = self.python(self.WORK, cwd=folder, PITWALL_FILE="env.pit")
        self.assertEqual(found, [[5, [1, 2], True, True], True])
        self.assertEqual(os.listdir(folder), ["env.pit"])

    def test_a_value_before_any_span_goes_to_the_file_of_the_environment(self):
        folder = self.folder()
        self.python("pitwall.value('v', 1)", cwd=folder, PITWALL_FILE="env.pit")
        self.assertEqual(os.listdir(folder), ["env.pit"])

    def test_a_full_disk_or_a_bad_folder_stops_nothing(self):
        found = self.python(self.WORK, PITWALL_FILE="/proc/no/such/run.pit")
        self.assertEqual(found, [[5, [1, 2], True, True], True])


WORKERS = """
import multiprocessing
def work(n):
    for _ in range(n):
        with pitwall.span("worker"): pass
    return os.getpid()
if __name__ == "__main__":
    pitwall.open("run.pit")
    with pitwall.span("parent"):
        context = multiprocessing.get_context(%r)
        with context.Pool(2) as pool:
            pids = pool.map(work, [100, 100, 100, 100], chunksize=1)
            pool.close(); pool.join()
    pitwall.close()
    import glob
    runs = {path: pitwall.read(path) for path in sorted(glob.glob("*.pit"))}
    tell([{path: counts(run) for path, run in runs.items()},
          [losses(run) for run in runs.values()], sorted(set(pids)),
          sorted(run["pid"] for path, run in runs.items() if path != "run.pit")])
"""


class Workers(py_case.Case):
    def check(self, method):
        runs, lost, pids, files = self.python(WORKERS % method, timeout=120)
        self.assertEqual(runs.pop("run.pit"), {"parent": 1})
        self.assertEqual(sum(counts["worker"] for counts in runs.values()), 400)
        self.assertEqual(files, pids)
        self.assertTrue(all(not losses for losses in lost), lost)

    def test_forked_workers_write_files_of_their_own(self):
        self.check("fork")

    def test_spawned_workers_write_files_of_their_own(self):
        self.check("spawn")

    def test_forkserver_workers_write_files_of_their_own(self):
        self.check("forkserver")

    def test_a_fork_inside_spans_and_tasks(self):
        found = self.python("""
            pitwall.open("run.pit")
            async def other():
                with pitwall.span("other"): await asyncio.sleep(0.05)
            async def main():
                waiting = asyncio.create_task(other())
                await asyncio.sleep(0)
                with pitwall.span("outer"):
                    pid = os.fork()
                    if pid == 0:
                        with pitwall.span("child"): pass
                    else:
                        os.waitpid(pid, 0)
                if pid == 0:
                    with pitwall.span("child"): pass
                    pitwall.close()
                    os._exit(0)
                await waiting
            asyncio.run(main())
            pitwall.close()
            import glob
            tell({path.split("-")[0]: [counts(pitwall.read(path)), losses(pitwall.read(path))]
                  for path in glob.glob("*.pit")})
        """)
        self.assertEqual(found, {"run.pit": [{"other": 1, "outer": 1}, {}],
                                 "run": [{"child": 2}, {}]})


class BadUse(py_case.Case):
    def error(self, program, **options):
        """Type, text and code of what a program raises, which must be one exception."""
        found = self.python("try:\n" + "\n".join("    " + line for line in program.split("\n")) + """
except BaseException as error:
    tell([type(error).__name__, str(error), getattr(error, "code", None)])
""", **options)
        self.assertIsNotNone(found, "it raised nothing: " + program)
        return found

    def test_names_that_are_none(self):
        self.assertEqual(self.error("pitwall.span(5)")[:2],
                         ["TypeError", "a name must be a str, not int"])
        self.assertEqual(self.error("pitwall.span(None)")[:2],
                         ["TypeError", "a name must be a str, not NoneType"])
        self.assertEqual(self.error("pitwall.span('')")[:2],
                         ["ValueError", "a name must not be empty"])
        self.assertEqual(self.error("pitwall.span('a\\0b')")[:2],
                         ["ValueError", "a name must not contain a null character"])
        self.assertEqual(self.error("pitwall.span()")[:2], ["TypeError", "span() needs a name"])
        self.assertEqual(self.error("pitwall.iter([], 5)")[0], "TypeError")
        self.assertEqual(self.error("pitwall.timed(lambda: 0, name=5)")[0], "TypeError")

    def test_arguments_that_are_not_there(self):
        self.assertIn("'memroy'", self.error("pitwall.span('a', memroy=True)")[1])
        self.assertIn("'memory'", self.error("pitwall.span('a', True, memory=True)")[1])
        self.assertIn("'name'", self.error("pitwall.span('a', name='b')")[1])
        self.assertIn("at most 3", self.error("pitwall.span('a', 1, 2, 3)")[1])
        self.assertEqual(self.error("pitwall.open(nonsense=1)")[0], "TypeError")
        self.assertIn("ring_bytes", self.error("pitwall.open(ring_bytes=-1)")[1])

    def test_ending_twice_or_without_a_begin(self):
        kind, text, _ = self.error("s = pitwall.span('s'); s.begin(); s.end(); s.end()")
        self.assertEqual(kind, "Error")
        self.assertEqual(text, "span 's' is not open: it has already ended, or was never begun")
        self.assertEqual(self.error("pitwall.span('s').end()")[0], "Error")
        self.assertEqual(self.error("pitwall.span('s').__exit__(None, None, None)")[0], "Error")

    def test_things_that_cannot_be_timed(self):
        self.assertEqual(self.error("pitwall.timed(5)")[0], "TypeError")
        self.assertEqual(self.error("pitwall.timed(int)")[0], "TypeError")
        self.assertEqual(self.error("pitwall.span('a')(5)")[0], "TypeError")
        self.assertEqual(self.error("pitwall.iter(5, 'x')")[:2],
                         ["TypeError", "'int' object is not iterable"])

    def test_numbers_that_are_none(self):
        self.assertEqual(self.error("pitwall.items(-1)")[0], "ValueError")
        self.assertEqual(self.error("pitwall.items(1.5)")[0], "TypeError")
        self.assertEqual(self.error("pitwall.value('a', 'b')")[0], "TypeError")
        self.assertEqual(self.error("pitwall.value('a')")[0], "TypeError")

    def test_opening_twice_and_closing_twice(self):
        kind, text, code = self.error("pitwall.open('a.pit'); pitwall.open('b.pit')")
        self.assertEqual([kind, code], ["Error", -2])
        self.assertIn("already open", text)
        kind, text, code = self.error("pitwall.open('a.pit'); pitwall.close(); pitwall.close()")
        self.assertEqual([kind, code], ["Error", -3])
        self.assertIn("no recorder is open", text)
        kind, text, _ = self.error("r = pitwall.Recorder('a.pit'); r.close(); r.close()")
        self.assertEqual([kind, text], ["Error", "close: this recorder is already closed"])

    def test_a_path_that_cannot_be_written(self):
        kind, text, code = self.error("pitwall.open('/proc/nowhere/run.pit')")
        self.assertEqual([kind, code], ["Error", -6])
        self.assertIn("/proc/nowhere/run.pit", text)
        self.assertIn("No such file", text)

    def test_files_that_are_no_runs(self):
        kind, text, code = self.error("pitwall.read('missing.pit')")
        self.assertEqual([kind, code], ["Error", -20])
        self.assertIn("missing.pit", text)
        kind, text, code = self.error("open('x.pit', 'w').write('hello'); pitwall.read('x.pit')")
        self.assertEqual(kind, "Error")
        self.assertIn(code, (-21, -25))
        self.assertEqual(self.error("pitwall.read(5)")[0], "TypeError")
        self.assertEqual(self.error("pitwall.read(None)")[0], "TypeError")

    def test_a_damaged_run(self):
        kind, text, code = self.error(
            "pitwall.open('a.pit')\n"
            "with pitwall.span('a'): pass\n"
            "pitwall.close()\n"
            "data = bytearray(open('a.pit', 'rb').read())\n"
            "data[8:64] = b'\\xff' * 56\n"
            "open('b.pit', 'wb').write(data)\n"
            "pitwall.read('b.pit')")
        self.assertEqual(kind, "Error")
        self.assertIn("b.pit", text)
        self.assertLess(code, -19)

    def test_views_and_forms_that_are_not_there(self):
        self.assertIn("text, json", self.error("pitwall.report(form='xml')")[1])
        self.assertIn("chrome-trace", self.error("pitwall.export(format='xml')")[1])

    def test_reading_before_anything_is_recorded(self):
        self.assertEqual(self.error("pitwall.read_live()")[0], "Error")

    def test_sub_interpreters_are_refused_and_the_main_one_goes_on(self):
        found = self.python("""
            import _xxsubinterpreters as sub
            other = sub.create()
            try:
                sub.run_string(other, "import sys; sys.path[:] = %r\\nimport pitwall" % (sys.path,))
                text = "it was not"
            except Exception as error:
                text = str(error)
            with pitwall.span("a"): pass
            tell([text, counts()])
        """)
        self.assertIn("sub-interpreters", found[0])
        self.assertEqual(found[1], {"a": 1})

    def test_open_iter_and_bytes_are_not_in_all(self):
        found = self.python("tell(pitwall.__all__)")
        for name in ("open", "iter", "bytes"):
            self.assertNotIn(name, found)


class CommandLine(py_case.Case):
    def run_module(self, *arguments, status=0, **env):
        return self.run_status(status, [py_case.PYTHON, "-m", "pitwall", *arguments],
                               env=py_case.environment(**env))

    def test_it_is_the_tool_or_speaks_for_itself(self):
        folder = self.folder()
        run = os.path.join(folder, "run.pit")
        self.python("pitwall.open(%r)\nwith pitwall.span('a'): pass" % run)
        by_tool = self.run_module("report", run).stdout
        by_itself = self.run_module("report", run, PITWALL_TOOL="0").stdout
        self.assertEqual(by_tool, by_itself)
        self.assertIn("a ", by_itself)
        self.assertTrue(self.run_module("report", run, "--json", PITWALL_TOOL="0")
                        .stdout.startswith("{"))
        done = self.run_module("report", run + "x", status=66, PITWALL_TOOL="0")
        self.assertRegex(done.stderr, r"^pitwall: .*run.pitx: ")


if __name__ == "__main__":
    py_case.main()

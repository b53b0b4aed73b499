"""libpitwall-opencl.so on PoCL, a real OpenCL device: the program's launches are in its run, by name and count,
below the span that launched them, with possible times.

Nothing here is timed. The tests compare the run with the program's own counts, and check causality: work done
in sequence takes no longer than the time from the first launch to the end of the wait."""

import json
import os

import pit_case
import pit_check
import pit_reader

SOURCES = os.path.join(pit_case.source_dir(), "tests", "system", "opencl")


class OpenCL(pit_case.Case):
    def compiled(self, folder, name, *options):
        result = os.path.join(folder, "program")
        include = os.path.join(pit_case.source_dir(), "include")
        self.run_ok(["gcc", "-O1", "-I", include, os.path.join(SOURCES, name), "-o", result, "-lOpenCL",
                     *options], timeout=120)
        return result

    def recorded(self, *options, arguments=()):
        """The program's output as a dict of lists, and the report of its run."""
        folder = self.folder()
        program = self.compiled(folder, "queues.c", *options)
        env = pit_case.clean_env(POCL_CACHE_DIR=os.path.join(folder, "cache"))
        done = self.run_ok([pit_case.tool(), "run", *arguments, "-o", "run.pit", "--", program],
                           cwd=folder, env=env)
        said = {}
        for line in done.stdout.splitlines():
            key, value = line.split()
            said.setdefault(key, []).append(int(value))
        shown = self.run_ok([pit_case.tool(), "report", "--json", "run.pit"], cwd=folder)
        text = self.run_ok([pit_case.tool(), "report", "run.pit"], cwd=folder).stdout
        again = pit_reader.load(os.path.join(folder, "run.pit"))
        self.assertEqual(pit_check.check(again), [])
        for name in ("saxpy", "scale"):
            self.assertEqual(sum(node["count"] for thread in again["threads"] for node in thread["nodes"]
                                 if node.get("on_device") and node["path"].split("/")[-1] == name),
                             said[name][0])
        return said, json.loads(shown.stdout), text

    def check(self, said, found, above):
        nodes = {node["path"]: node for node in found["nodes"]}
        for name, phase in (("saxpy", "first/"), ("FillBuffer", "first/"), ("WriteBuffer", "first/"),
                            ("scale", "second/"), ("CopyBuffer", "second/"), ("ReadBuffer", "")):
            node = nodes[(phase if above else "") + name]
            self.assertEqual(node["count"], said[name][0], name)
            self.assertTrue(node["on_device"] and node["detached"])
            self.assertEqual(node["device_count"], said[name][0])
            waited = nodes[node["path"] + "/queued"]
            self.assertEqual(waited["count"], said[name][0])
            self.assertAlmostEqual(waited["total_ns"], node["device_wait_ns"])
        every = said["bytes"][0]
        for path, count in (("WriteBuffer", every), ("CopyBuffer", 5 * every // 2), ("ReadBuffer", every)):
            self.assertEqual(sum(n["bytes"] for p, n in nodes.items() if p.endswith(path)), count)
        in_order = sum(n["total_ns"] for p, n in nodes.items()
                       if p.split("/")[-1] in ("saxpy", "FillBuffer", "WriteBuffer"))
        self.assertLess(in_order, said["bracket"][0] * 1.01)
        self.assertGreater(in_order, 0)
        self.assertEqual(set(said["references"]), {1})  # our references were released
        self.assertIn("on the host's time line", found["runs"][0]["facts"]["device_clock"])

    def test_kernels_and_transfers_of_a_program_without_spans(self):
        said, found, text = self.recorded()
        self.check(said, found, above=False)
        self.assertIn("saxpy [device]", text)
        self.assertIn("on the host's time line", text)

    def test_device_work_is_below_the_span_that_launched_it(self):
        library = os.path.dirname(pit_case.library())
        for options in (["-DWITH_SPANS", "-L" + library, "-lpitwall", "-Wl,-rpath," + library],
                        ["-DWITH_SPANS", pit_case.library("a"), "-lm", "-pthread"]):
            with self.subTest(options[-1]):
                said, found, _ = self.recorded(*options)
                self.check(said, found, above=True)
                spans = {n["path"]: n for n in found["nodes"] if not n["detached"]}
                self.assertEqual(spans["first"]["count"], 1)
                host = sum(n["total_ns"] for p, n in spans.items() if "/" not in p)
                self.assertAlmostEqual(found["summary"]["in_spans_ns"], host, delta=1)
                self.assertEqual(spans["first"]["device_count"], 43)
                self.assertEqual(spans["second"]["device_count"], 28)

    def test_without_a_recorder_nothing_is_done(self):
        folder = self.folder()
        program = self.compiled(folder, "queues.c")
        library = os.path.join(pit_case.build_dir(), "lib", "libpitwall-opencl.so")
        env = pit_case.clean_env(POCL_CACHE_DIR=os.path.join(folder, "cache"), LD_PRELOAD=library)
        self.run_ok([program], cwd=folder, env=env)
        self.assertEqual([f for f in os.listdir(folder) if f.endswith(".pit")], [])

    def test_only_programs_that_name_the_library_get_it_unless_asked_for(self):
        folder = self.folder()
        for options, expected in (([], False), (["--opencl"], True)):
            done = self.run_ok([pit_case.tool(), "run", "--quiet", *options, "-o", "%p.pit", "--", "sh", "-c",
                                "echo $LD_PRELOAD"], cwd=folder)
            self.assertEqual("libpitwall-opencl.so" in done.stdout, expected, done.stdout)

    def test_declarations_are_those_of_the_public_headers(self):
        folder = self.folder()
        self.run_ok(["gcc", "-Wall", "-Werror", "-I", os.path.join(pit_case.source_dir(), "src"), "-c",
                     os.path.join(SOURCES, "held_to_headers.c"), "-o", os.path.join(folder, "held.o")])


PYTHON = """
import numpy
import pyopencl

context = pyopencl.Context(pyopencl.get_platforms()[0].get_devices())
queue = pyopencl.CommandQueue(context)
host = numpy.zeros(1024, numpy.float32)
device = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, host.nbytes)
program = pyopencl.Program(context, "kernel void more(global float *x) { x[get_global_id(0)] += 1; }")
more = program.build().more
for _ in range(20):
    pyopencl.enqueue_copy(queue, device, host)
    more(queue, host.shape, None, device)
    pyopencl.enqueue_copy(queue, host, device)
print(int(host.sum()))
"""


class PyOpenCL(pit_case.Case):
    def recorded(self, *options):
        folder = self.folder()
        script = os.path.join(folder, "program.py")
        with open(script, "w", encoding="ascii") as file:
            file.write(PYTHON)
        env = pit_case.clean_env(POCL_CACHE_DIR=os.path.join(folder, "cache"),
                                 PYOPENCL_NO_CACHE="1", XDG_CACHE_HOME=folder)
        done = self.run_ok([pit_case.tool(), "run", *options, "-o", "run.pit", "--",
                            "/usr/bin/python3", script], cwd=folder, env=env)
        self.assertEqual(done.stdout, "%d\n" % (20 * 1024))
        shown = self.run_ok([pit_case.tool(), "report", "--json", "run.pit"], cwd=folder)
        found = json.loads(shown.stdout)
        return {node["path"]: node for node in found["nodes"]}, found["runs"][0]["facts"]

    def test_kernels_and_transfers_of_a_python_program(self):
        nodes, facts = self.recorded("--opencl")
        for path, bytes_ in (("more", 0), ("WriteBuffer", 20 * 4096), ("ReadBuffer", 20 * 4096)):
            node = nodes[path]
            self.assertEqual((node["count"], node["on_device"]), (20, True), path)
            self.assertEqual(node["bytes"] or 0, bytes_)
        self.assertNotIn("device_events", facts)
        self.assertIn("on the host's time line", facts["device_clock"])

    def test_a_program_that_loads_opencl_by_itself_is_told_how_to_record_it(self):
        nodes, facts = self.recorded()
        self.assertEqual(facts["device_events"],
                         "PyOpenCL's work is not recorded without pitwall run --opencl")
        self.assertEqual([path for path, node in nodes.items() if node["on_device"]], [])


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)

"""Device times from torch.cuda's events, with a stand-in (stub_torch_cuda.py): never run on a GPU. The test
moves the clock of the stand-in's device, so device times are known to the nanosecond."""

import os

import auto_case
from auto_case import SMALL, py_case

HERE = os.path.dirname(os.path.abspath(__file__))

STUB = """
import sys, types
sys.path.insert(0, %r)
import stub_torch_cuda as cuda
""" % HERE

# For programs without torch itself.
ALONE = STUB + """
sys.modules["torch"] = types.SimpleNamespace(cuda=cuda)
def device(run=None):
    nodes = (run or pitwall.read_live())["nodes"]
    return {node["path"]: [node["count"], node["total_ns"]] for node in nodes if node["on_device"]}
"""


class Spans(py_case.Case):
    def stub(self, program, **env):
        return self.python(ALONE + program, STUB_TORCH_CUDA=env.get("mode", ""))

    def test_each_span_has_the_time_of_its_own_stream(self):
        found = self.stub("""
cuda.init()
@pitwall.timed(name="timed", device=True)
def timed():
    cuda.work(3)
for _ in range(20):
    with pitwall.span("step"):
        with pitwall.span("forward", device=True):
            cuda.work(5)
        with cuda.stream(7), pitwall.span("copy", device=True):
            cuda.work(2)
        timed()
    cuda.go_on()
with pitwall.span("last", device=True): pass
cuda.go_on()
pitwall.close()
tell([device(), cuda.waits, cuda.events, pitwall.read_live()["facts"]])
""")
        times, waits, events, facts = found
        self.assertEqual({path: count for path, (count, _) in times.items()},
                         {"step/forward/forward": 20, "step/copy/copy": 20, "step/timed/timed": 20,
                          "last/last": 1})
        for path, ms in (("forward", 5), ("copy", 2), ("timed", 3)):
            total = times["step/%s/%s" % (path, path)][1]
            self.assertAlmostEqual(total, 20 * ms * 1e6, delta=2e4)  # ticks of the host's clock
        self.assertEqual(waits, 0)
        self.assertLess(events, 30)  # they are used again
        self.assertIn("torch.cuda:0: times of its work lie within", facts["device_clock"])

    def test_what_is_not_complete_is_not_waited_for_and_told(self):
        times, waits, facts = self.stub("""
cuda.init()
for _ in range(5):
    with pitwall.span("step", device=True): cuda.work(5)
pitwall.close()
tell([device(), cuda.waits, pitwall.read_live()["facts"]])
""")
        self.assertEqual((times, waits), ({}, 0))
        self.assertIn("5 spans have no device time", facts["device_events"])

    def test_wait_true_finds_the_device_to_wait_for(self):
        before, waits = self.stub("""
with pitwall.span("early", wait=True): pass
before = cuda.waits  # a program that has not used CUDA yet does not pay for its start
cuda.init()
with pitwall.span("step", wait=True): pass
tell([before, cuda.waits])
""")
        self.assertEqual((before, waits), (0, 2))

    def test_a_device_that_is_behind_gives_its_times_later(self):
        before, after = self.stub("""
cuda.init()
for _ in range(50):
    with pitwall.span("step", device=True): cuda.work(1)
before = device()
cuda.go_on()
pitwall.close()
tell([before, device()])
""")
        self.assertEqual(before, {})
        self.assertEqual(after["step/step"][0], 50)

    def test_recursion_threads_and_an_error_keep_their_own_times(self):
        found = self.stub("""
cuda.init()
def go(depth):
    with pitwall.span("deep", device=True):
        cuda.work(1)
        if depth: go(depth - 1)
go(3)
try:
    with pitwall.span("raises", device=True):
        cuda.work(4)
        raise KeyError
except KeyError:
    pass
shared = pitwall.span("shared", device=True)
shared.begin(); shared.begin(); cuda.work(1); shared.end(); shared.end()
threads = [threading.Thread(target=go, args=(0,)) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
cuda.go_on()
pitwall.close()
tell([{path: count for path, (count, _) in device().items()}, losses()])
""")
        counts, losses = found
        self.assertEqual(losses, {})
        self.assertEqual(counts["deep/deep"], 5)
        self.assertEqual(counts["deep/deep/deep/deep/deep"], 1)
        self.assertEqual(counts["raises/raises"], 1)
        self.assertEqual(sum(n for path, n in counts.items() if path.startswith("shared")), 2)

    def test_a_thread_that_records_an_event_takes_no_times_from_others(self):
        counts, losses = self.stub("""
cuda.init()
inside, others_done = threading.Event(), threading.Event()
record = cuda.Event.record
def slow_record(event):
    if threading.current_thread().name == "slow" and not inside.is_set():
        inside.set()
        others_done.wait()
    record(event)
cuda.Event.record = slow_record
def go():
    with pitwall.span("step", device=True): cuda.work(1)
slow = threading.Thread(target=go, name="slow")
slow.start()
inside.wait()
go()
others_done.set()
slow.join()
cuda.go_on()
pitwall.close()
tell([{path: count for path, (count, _) in device().items()}, losses()])
""")
        self.assertEqual((counts, losses), ({"step/step": 2}, {}))

    def test_an_error_of_cuda_stops_the_events_and_nothing_else(self):
        counts_found, facts = self.stub("""
cuda.init()
for _ in range(30):
    with pitwall.span("step", device=True): cuda.work(1)
    cuda.go_on()
tell([counts()["step"], pitwall.read_live()["facts"]])
""", mode="fails")
        self.assertEqual(counts_found, 30)
        self.assertEqual(facts["device_events"], "torch.cuda events stopped: RuntimeError: "
                         "CUDA error: an illegal memory access was encountered")

    def test_a_graph_that_is_captured_gets_no_events(self):
        times, events = self.stub("""
cuda.init()
with pitwall.span("step", device=True): cuda.work(1)
tell([device(), cuda.events])
""", mode="capturing")
        self.assertEqual((times, events), ({}, 0))

    def test_cuda_is_not_started_for_us_and_a_child_does_not_use_it(self):
        events, started, child = self.stub("""
with pitwall.span("early", device=True): pass
started = cuda.is_initialized()
events = cuda.events
cuda.init()
with pitwall.span("step", device=True): cuda.work(1)
pid = os.fork()
if not pid:
    cuda._initialized = False  # as torch has it in a child
    asked = cuda.asked
    with pitwall.span("child", device=True): pass
    os._exit(cuda.asked - asked)
tell([events, started, os.waitpid(pid, 0)[1]])
""")
        self.assertEqual((events, started, child), (0, False, 0))


PHASES = STUB + SMALL + """
torch.cuda = cuda
cuda.init()
class Worked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = model
    def forward(self, x):
        cuda.work(5)
        return self.inner(x)
learner = Worked()
class Paid(torch.optim.SGD):
    def step(self, closure=None):
        cuda.work(1)
        return super().step(closure)
optimiser = Paid(learner.parameters(), lr=0.1)
for x in loader:
    optimiser.zero_grad()
    loss = learner(x).sum()
    loss.register_hook(lambda grad: cuda.work(2))
    loss.backward()
    optimiser.step()
    cuda.go_on()
cuda.go_on()
print(cuda.waits)
"""


class Phases(auto_case.Case):
    def test_the_hooks_phases_have_device_times(self):
        """A real torch on the processor; only torch.cuda is the stand-in."""
        counts = self.hooked(PHASES)
        self.assertEqual(self.stdout, "0\n")
        nodes = {node["path"]: node for node in self.run_read["nodes"]}
        self.assertEqual(counts["step"], 3)
        for phase, ms in (("forward", 5), ("backward", 2), ("optimizer", 1)):
            node = nodes["step/" + phase]
            self.assertEqual(node["device_count"], 3, phase)
            self.assertAlmostEqual(node["device_total_ns"], 3 * ms * 1e6, delta=2e4)

    def test_without_cuda_there_is_nothing(self):
        self.hooked(SMALL + "for x in loader: print(learn(x))")
        self.assertEqual([n["path"] for n in self.run_read["nodes"] if n["on_device"]], [])
        self.assertNotIn("device_events", self.run_read["facts"])


if __name__ == "__main__":
    auto_case.main(plain_build_only=True)

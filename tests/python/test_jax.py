"""Real JAX: the times of tracing and running are separate, and jit accepts functions that we wrapped."""

import py_case
import py_frameworks

# The guide's script: a small decoder in place of its project's, and plain gradient descent in place
# of optax and equinox.
SCRIPT = """
import jax
import jax.random as jr
from pitwall.profiling import (get_profiler, log_profiling_metrics, profile_data_loader,
                               profile_jax_loss_fn, profile_make_step)
import wandb
wandb.init(project="my_project", name="profiled_training")

def train_decoding_jax(model, filter_spec, train_loader, train_tensors, val_tensors, loss_fn, state,
                       opt, opt_state, epochs, log_every, key, wandb_run_name,
                       enable_profiling=False):
    def make_step(model, state, filter_spec, inputs, targets, loss_fn, opt, opt_state, key):
        (value, state), grads = loss_fn(model, filter_spec, state, inputs, targets, key)
        return opt(model, grads), state, opt_state, value, grads
    loader = train_loader
    if enable_profiling:
        loader = profile_data_loader(train_loader)
        loss_fn = profile_jax_loss_fn(loss_fn, "loss_fn_computation")
        make_step = profile_make_step(make_step)
    for epoch in range(1, epochs + 1):
        for inputs, targets in loader:
            key, subkey = jr.split(key)
            model, state, opt_state, value, grads = make_step(
                model, state, filter_spec, inputs, targets, loss_fn, opt, opt_state, subkey
            )
        if enable_profiling and epoch % log_every == 0:
            log_profiling_metrics(epoch)
        wandb.log({"loss": float(value)})
    return model

def loss(model_params, model_static, state, inputs, targets, key):
    return ((inputs @ model_params - targets) ** 2).mean(), state
loss_fn = jax.jit(jax.value_and_grad(loss, has_aux=True), static_argnums=(1,))
x = jr.normal(jr.PRNGKey(1), (64, 4))
y = x.sum(1)
train_tensors = val_tensors = (x, y)
train_loader = [(x[i:i + 16], y[i:i + 16]) for i in range(0, 64, 16)]
model, filter_spec, state, opt_state = jax.numpy.zeros(4), None, 0, None
def opt(model, grads): return model - 0.1 * grads

model = train_decoding_jax(
    model,
    filter_spec,
    train_loader,
    train_tensors,
    val_tensors,
    loss_fn,
    state,
    opt,
    opt_state,
    epochs=20,
    log_every=10,
    key=jr.PRNGKey(0),
    wandb_run_name="profiled_experiment",
    enable_profiling=True  # This enables all profiling
)
profiler = get_profiler()
summary = profiler.get_summary()
print("Final profiling summary:", summary)
logged = {key: value for key, value in dict(wandb.run.summary).items() if "profiling/" in key}
steps = wandb.run.step
wandb.finish()
tell([model.tolist(), summary, logged, steps])
"""


class Jax(py_frameworks.Case):
    def test_trace_time_and_run_time_are_told_apart(self):
        found = self.python("""
            import jax, jax.numpy as jnp
            from pitwall.profiling import profile_jax_loss_fn, profile_make_step, get_profiler
            loss = jax.jit(jax.value_and_grad(lambda w, x: jnp.mean(jnp.tanh(x @ w) ** 2)))
            profiled = profile_jax_loss_fn(loss, "loss_fn_computation")
            step = profile_make_step(lambda w, x: (w - 0.1 * profiled(w, x)[1], "state"))
            w, x = jnp.ones((64, 8)), jnp.ones((32, 64))
            with pitwall.open("run.pit"):
                for _ in range(10): w, state = step(w, x)
                found = [get_profiler().get_summary(), state, list(w.shape), counts(), losses()]
                get_profiler().log_metrics()
            nodes = {node["name"]: node["total_ns"] / 1e9 for node in pitwall.read("run.pit")["nodes"]}
            rows = json.loads(pitwall.report("run.pit", view="profiling", form="json"))["rows"]
            tell([*found, nodes, rows])
        """, timeout=120, JAX_PLATFORMS="cpu")
        summary, state, shape, spans, lost, nodes, rows = found
        self.assertEqual([state, shape, lost], ["state", [64, 8], {}])
        self.assertEqual(summary["loss_fn_computation"]["count"], 10)
        self.assertEqual(summary["make_step_total"]["count"], 10)
        self.assertEqual(summary["loss_fn_computation_trace"]["count"], 1)
        self.assertGreater(summary["loss_fn_computation_trace"]["total_time"], 0)
        self.assertEqual(spans["make_step_total/loss_fn_computation"], 10)
        # The view of the run is the block that was printed.
        rows = {row["operation"]: row for row in rows}
        self.assertEqual({name: row["count"] for name, row in rows.items()},
                         {name: figures["count"] for name, figures in summary.items()})
        for name, total in nodes.items():
            trace = rows[name + "_trace"]["total_time"]
            self.assertEqual(trace, summary[name + "_trace"]["total_time"])
            self.assertAlmostEqual(rows[name]["total_time"] + trace, total)

    def test_jit_takes_a_profiled_function(self):
        found = self.python("""
            import jax, jax.numpy as jnp
            from pitwall.profiling import profile_operation, get_profiler
            @jax.jit
            @profile_operation("inner")
            def f(x, k=2): return x * k
            results = [float(f(jnp.float32(3))) for _ in range(4)]
            tell([results, {k: v["count"] for k, v in get_profiler().get_summary().items()}])
        """, timeout=120, JAX_PLATFORMS="cpu")
        self.assertEqual(found, [[6, 6, 6, 6], {"inner_trace": 1}])

    def test_the_whole_script_of_the_guide(self):
        found = self.python(SCRIPT, timeout=180, JAX_PLATFORMS="cpu", **py_frameworks.WANDB)
        weights, summary, logged, steps = found
        for weight in weights:
            self.assertAlmostEqual(weight, 1, delta=0.05)
        operations = ["data_batch_production", "loss_fn_computation", "make_step_total"]
        for name in operations:
            self.assertEqual(summary[name]["count"], 80)
            self.assertEqual(logged["profiling/%s_count" % name], 80)
            self.assertEqual(logged["profiling/%s_total_time" % name], summary[name]["total_time"])
            self.assertEqual(logged["profiling/%s_avg_time" % name], summary[name]["avg_time"])
        self.assertEqual(steps, 20)
        for step, count in ((10, 40), (20, 80)):
            block = self.stdout.split("--- Profiling Metrics (Step %d) ---\n" % step)[1]
            for name in operations:
                self.assertRegex(block, r"(?m)^%s: avg=\d+\.\d{4,}s, total=\d+\.\d\d+s, count=%d$"
                                 % (name, count))
        self.assertRegex(self.stdout, r"(?m)^Final profiling summary: \{'data_batch_production': "
                                      r"\{'avg_time': ")


class Waiting(py_frameworks.Case):
    def test_wait_true_waits_at_both_ends_and_device_true_says_why_not(self):
        found = self.python("""
import jax
import jax.numpy as jnp
waits = []
wait = jax.block_until_ready
jax.block_until_ready = lambda arrays: (waits.append(len(arrays)), wait(arrays))[1]
with pitwall.span("early", wait=True): pass  # no backend yet: it is not started for us
early = len(waits)
x = jnp.ones((400, 400))
work = jax.jit(lambda x: x @ x @ x @ x)
ready = []
for _ in range(3):
    with pitwall.span("step", wait=True): y = work(x)
    ready.append(y.is_ready())
@pitwall.timed(name="timed", wait=True)
def timed(): return work(x)
ready.append(timed().is_ready())
after = len(waits)
with pitwall.span("on device", device=True): y = work(x)
run = pitwall.read_live()
tell([early, after, ready, run["facts"]["device_events"],
      [n["path"] for n in run["nodes"] if n["on_device"]]])
""")
        early, after, ready, why, devices = found
        self.assertEqual((early, after), (0, 8))
        self.assertEqual(ready, [True] * 4)
        self.assertEqual(why, "no device times of JAX, which has no events: wait=True times its work")
        self.assertEqual(devices, [])


if __name__ == "__main__":
    py_case.main(plain_build_only=True)

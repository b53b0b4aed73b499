"""JAX scripts that do not use Pitwall, under `pitwall run`: dispatching and waiting are separate spans with
exact counts, and the results are the same bit for bit."""

import collections

import auto_case
import py_frameworks
from auto_case import pit_case

TRAIN = """
import functools, inspect, pickle
import jax, jax.numpy as jnp, numpy
def loss(w, x): return jnp.mean(jnp.tanh(x @ w) ** 2)
@jax.jit
def step(w, x):
    value, slope = jax.value_and_grad(loss)(w, x)
    return w - 0.1 * slope, value
@functools.partial(jax.jit, static_argnames="power")
def raised(x, power): return inner(x) ** power
inner = jax.jit(lambda x: x + 1)
w = jax.random.normal(jax.random.PRNGKey(0), (64, 8))
x = jax.random.normal(jax.random.PRNGKey(1), (32, 64))
for i in range(10):
    w, value = step(w, x)
    value.block_until_ready()
    print(float(value).hex())
print(float(numpy.asarray(raised(x, power=3)).sum()).hex())
print(jax.block_until_ready((w, x))[0].shape)
ready = step.lower(w, x).compile()
print(float(ready(w, x)[1]).hex(), step.__name__, inspect.signature(step), step._cache_size())
print(jax.grad(lambda w: step(w, x)[1])(w).sum().item().hex())
print(isinstance(step, jax.stages.Wrapped), jax.jit(step)(w, x)[1].item().hex())
"""


class Jax(auto_case.Case, py_frameworks.Case):
    def test_dispatch_and_blocking(self):
        found = self.hooked(TRAIN, JAX_PLATFORMS="cpu", timeout=200)
        top = collections.Counter()
        for path, count in found.items():
            top[path.replace("step/", "")] += count
        # step 10 times, raised, the compiled one, step inside grad, jit(step).
        self.assertEqual(top["dispatch"], 14)
        self.assertGreaterEqual(top["dispatch/compile"], 3)
        # Calls of what was jitted and takes gradients: 10, inside grad, jit(step); not the compiled one.
        self.assertEqual(found["step"], 12)
        # 10 by the method, 11 by float, block_until_ready, two by item.
        self.assertEqual(top["blocking"], 24)
        self.assertEqual(self.journal("auto")[-1]["text"], "jax")
        self.assertEqual(self.run_read["facts"]["device"], "cpu")
        self.assertRegex(self.run_read["facts"]["framework"], r"^jax \d")
        report = self.run_ok([pit_case.tool(), "report", "run.pit"], cwd=self.where).stdout
        self.assertRegex(report, r"\nauto: hooks of jax, about \S+ [nµm]?s a step, ")

    def test_steps_of_jitted_functions(self):
        """Training by what is traced, evaluation by its name; fetching a batch is in the step."""
        found = self.hooked("""
import jax, jax.numpy as jnp, numpy
def loss(w, x): return jnp.mean(jnp.tanh(x @ w) ** 2)
gradient = jax.grad(loss)
def descend(w, x): return w - 0.1 * gradient(w, x)   # its own code does not say that it learns
train = jax.jit(lambda w, x: descend(w, x))
both = jax.jit(jax.value_and_grad(loss))
@jax.jit
def evaluate(w, x): return loss(w, x)
helper = jax.jit(lambda x: x * 2)
w = jnp.ones((8, 2)); batch = lambda: jax.device_put(numpy.ones((4, 8), "float32"))
for i in range(6):
    w = train(w, helper(batch()))
    if i % 3 == 2: print(float(evaluate(w, batch())).hex())
for i in range(4): print(float(both(w, batch())[0]).hex())
""", JAX_PLATFORMS="cpu")
        wanted = {"step": 5 + 4, "eval_step": 2, "eval_step/dispatch": 2, "dispatch": 2}
        self.assertEqual({path: found[path] for path in wanted}, wanted)
        self.assertEqual(found["step/dispatch"] + found["dispatch"], 6 + 6 + 4)
        self.assertEqual(found["step/transfer"] + found["transfer"], 6 + 2 + 4)
        self.assertEqual([key for key, n in self.run_read["losses"].items() if n], [])

    def test_gradients_and_updates_in_two_functions(self):
        """The second function ends the step. Waiting for the value of an evaluation is part of it."""
        found = self.hooked("""
import jax, jax.numpy as jnp, types
optax = types.ModuleType("optax")
def apply_updates(w, slope): return w - 0.1 * slope
optax.apply_updates = apply_updates
def loss(w, x): return jnp.mean(jnp.tanh(x @ w) ** 2)
gradient = jax.jit(jax.value_and_grad(loss))
@jax.jit
def update(w, slope): return optax.apply_updates(w, slope)
@jax.jit
def evaluate(w, x): return loss(w, x)
w, x = jnp.ones((8, 2)), jnp.ones((4, 8))
for i in range(6):
    value, slope = gradient(w, x)
    w = update(w, slope)
    if i % 3 == 2: print(float(evaluate(w, x)).hex())
print(float(value).hex())
""", JAX_PLATFORMS="cpu")
        wanted = {"step": 6, "step/dispatch": 12, "eval_step": 2, "eval_step/dispatch": 2,
                  "eval_step/blocking": 2}
        self.assertEqual({path: found.get(path) for path in wanted}, wanted)

    def test_debugging_aids(self):
        self.hooked("""
import jax, jax.numpy as jnp
jax.config.update("jax_disable_jit", True)
@jax.jit
def step(w, x): return w - 0.1 * jax.grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w)
w = jnp.ones((8, 2))
for i in range(6): w = step(w, jnp.ones((4, 8)))
print(float(w.sum()).hex())
""", JAX_PLATFORMS="cpu")
        self.assertEqual(self.run_read["facts"]["debugging"], "jit turned off")


if __name__ == "__main__":
    auto_case.main(plain_build_only=True)

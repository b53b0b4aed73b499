"""JAX scripts that know nothing of Pitwall, by `pitwall run`: handing over and waiting are told apart,
with exact counts, and what they compute is bit for bit what it was."""

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
        top = {path: count for path, count in found.items() if "/" not in path}
        # step 10 times, raised, the compiled one, step inside grad, jit(step).
        self.assertEqual(top["dispatch"], 14)
        self.assertGreaterEqual(found["dispatch/compile"], 3)
        # 10 by the method, 11 by float, block_until_ready, two by item.
        self.assertEqual(top["blocking"], 24)
        self.assertEqual(self.journal("auto")[-1]["text"], "jax")
        self.assertEqual(self.run_read["facts"]["device"], "cpu")
        self.assertRegex(self.run_read["facts"]["framework"], r"^jax \d")
        report = self.run_ok([pit_case.tool(), "report", "run.pit"], cwd=self.where).stdout
        self.assertRegex(report, r"\nauto: hooks of jax, about \S+ .s a span, ")


if __name__ == "__main__":
    auto_case.main(plain_build_only=True)

"""Train a small network in JAX; the first call compiles, as it always does."""

import jax
import jax.numpy as jnp
import numpy as np


def predict(weights, x):
    for w, b in weights[:-1]:
        x = jnp.tanh(x @ w + b)
    return x @ weights[-1][0] + weights[-1][1]


@jax.jit
def train_step(weights, x, y):
    def loss(weights):
        return jnp.mean((predict(weights, x) - y) ** 2)

    value, slope = jax.value_and_grad(loss)(weights)
    return jax.tree_util.tree_map(lambda w, s: w - 0.01 * s, weights, slope), value


rng = np.random.default_rng(0)
sizes = [128, 512, 512, 16]
weights = [(rng.normal(0, 0.05, (m, n)).astype(np.float32), np.zeros(n, np.float32))
           for m, n in zip(sizes, sizes[1:])]
x = rng.standard_normal((512, 128), np.float32)
y = rng.standard_normal((512, 16), np.float32)
for step in range(250):
    weights, value = train_step(weights, x, y)
    value = float(value)
print(value)

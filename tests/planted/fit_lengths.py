"""Fit a small network to sentences of many lengths: each new length is compiled again."""

import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.default_rng(0)
weights = jnp.asarray(rng.normal(size=(64, 64)).astype(np.float32))


@jax.jit
def step(weights, sentence):
    def loss(weights):
        return jnp.mean(jnp.tanh(jnp.tanh(sentence @ weights) @ weights) ** 2)
    return weights - 0.1 * jax.grad(loss)(weights)


for length in rng.permutation(60) + 20:
    sentence = rng.normal(size=(length, 64)).astype(np.float32)
    weights = step(weights, sentence)
print(float(weights[0, 0]))

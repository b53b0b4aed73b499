"""Integrate a chain of pendulums in JAX, one call for each tiny step and an array for each of them."""

import jax
import jax.numpy as jnp


@jax.jit
def advance(chain):
    return [(angle + 0.001 * speed, speed - 0.001 * jnp.sin(angle)) for angle, speed in chain]


chain = [(jnp.float32(0.01 * i), jnp.float32(0.0)) for i in range(25)]
for number in range(25000):
    chain = advance(chain)
print(float(chain[3][0]), float(chain[9][1]))

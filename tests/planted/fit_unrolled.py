"""Fit the coefficients of an oscillator by differentiating through its unrolled integration."""

import jax
import jax.numpy as jnp

STEPS = 14  # of the integration: a Python loop, so the program that is compiled is as long


def trajectory(theta, state):
    for _ in range(STEPS):
        x, v = state
        state = (x + 0.01 * v, v - 0.01 * (theta[0] * x + theta[1] * v + theta[2] * x**3))
    return state


@jax.jit
def update(theta, state, goal):
    def loss(theta):
        x, v = trajectory(theta, state)
        return jnp.mean((x - goal[0]) ** 2 + (v - goal[1]) ** 2)

    value, slope = jax.value_and_grad(loss)(theta)
    return theta - 0.01 * slope, value


key = jax.random.PRNGKey(0)
start = jax.random.normal(key, (2, 2000))
goal = (0.9 * start[0], 0.9 * start[1])
theta = jnp.zeros(3)
for step in range(60):
    theta, value = update(theta, start, goal)
    if step % 20 == 0:
        print(step, float(value))
print(jax.block_until_ready(theta))

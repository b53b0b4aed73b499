"""Molecular dynamics in NumPy; the list of neighbours is rebuilt every 25 steps."""

import numpy as np
import pitwall

rng = np.random.default_rng(0)
x = 12 * rng.random((900, 3))
v = 0.1 * rng.standard_normal((900, 3))


def neighbours(x):
    gaps = np.linalg.norm(x[:, None] - x[None], axis=2)
    first, second = np.nonzero((gaps < 1.2) & (gaps > 0))
    return first, second


for number in range(500):
    with pitwall.span("step"):
        if number % 25 == 0:
            first, second = neighbours(x)
        with pitwall.span("pair_forces"):
            gap = x[first] - x[second]
            r2 = (gap**2).sum(1) + 0.5
            force = np.zeros_like(x)
            np.add.at(force, first, gap * (1 / r2**4 - 1 / r2**2)[:, None])
        with pitwall.span("move"):
            v = 0.99 * v + 0.001 * force
            x = (x + 0.001 * v) % 12
print(x[0])

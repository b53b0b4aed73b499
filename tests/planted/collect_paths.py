"""Simulate paths and collect them in one array, which is copied each time."""

import numpy as np
import pitwall

rng = np.random.default_rng(0)
paths = np.empty(0)
for number in range(1300):
    with pitwall.span("step"):
        with pitwall.span("simulate"):
            path = rng.normal(size=2000).cumsum()
        with pitwall.span("collect"):
            paths = np.append(paths, path)
print(paths.shape, paths.max())

"""A random walk on a lattice that counts how many places it has seen."""

import numpy as np
import pitwall

rng = np.random.default_rng(0)
seen = []
at = np.zeros(2, int)
for step in range(1500):
    with pitwall.span("step"):
        with pitwall.span("move"):
            path = at + rng.integers(-3, 4, (12, 2)).cumsum(0)
            at = path[-1]
        with pitwall.span("remember"):
            for place in map(tuple, path.tolist()):
                if place not in seen:
                    seen.append(place)
print(len(seen))

"""A genetic algorithm: to evaluate the candidates is its work, and it updates them."""

import numpy as np
import pitwall

rng = np.random.default_rng(0)
routes = rng.random((200, 60))
terrain = rng.random((60, 600))
for _ in range(400):
    with pitwall.span("generation"):
        with pitwall.span("evaluate"):
            fitness = np.cos(routes @ terrain).sum(1)
        with pitwall.span("select"):
            parents = routes[np.argsort(fitness)[-100:]]
        with pitwall.span("update"):
            routes = np.repeat(parents, 2, 0) + 0.01 * rng.normal(size=routes.shape)
            np.clip(routes, 0, 1, out=routes)
print(fitness.max())

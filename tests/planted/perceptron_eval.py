"""A perceptron in NumPy that is tested on all held-out rows every 20 updates."""

import numpy as np
import pitwall

rng = np.random.default_rng(0)
x = rng.standard_normal((6000, 200))
y = np.sign(x @ rng.standard_normal(200))
held_x = rng.standard_normal((20000, 200))
held_y = np.sign(held_x @ rng.standard_normal(200))
weights = np.zeros(200)

for number in range(2000):
    with pitwall.span("train_step"):
        rows = rng.integers(0, len(x), 400)
        with pitwall.span("predict"):
            wrong = np.sign(x[rows] @ weights) != y[rows]
        with pitwall.span("adjust"):
            weights += 0.01 * (x[rows][wrong].T @ y[rows][wrong])
    if number % 20 == 19:
        with pitwall.span("evaluate"):
            scores = held_x @ weights
            order = np.argsort(scores)
            accuracy = np.mean(np.sign(scores) == held_y), np.mean(held_y[order[-100:]])
print(accuracy)

"""Diffusion in NumPy; the state's profile goes into a JSON file at every step."""

import json

import numpy as np
import pitwall

field = np.random.default_rng(0).random((300, 300))
for step in range(200):
    with pitwall.span("step"):
        with pitwall.span("diffuse"):
            for _ in range(4):
                field = 0.2 * (field + np.roll(field, 1, 0) + np.roll(field, -1, 0)
                               + np.roll(field, 1, 1) + np.roll(field, -1, 1))
        with pitwall.span("log_metrics"):
            with open("metrics.json", "w") as file:
                json.dump({"step": step, "rows": field[:40].tolist()}, file)
print(field.std())

"""Linear regression on readings that are parsed from text as they are needed."""

import random

import numpy as np
import pitwall

random.seed(0)
lines = [",".join("%.4f" % random.random() for _ in range(40)) for _ in range(1500)]
weights = np.zeros(39)


def parse(chunk):
    return np.array([[float(field) for field in line.split(",")] for line in chunk])


for epoch in range(60):
    for start in range(0, len(lines), 100):
        with pitwall.span("iteration"):
            with pitwall.span("load_chunk"):
                rows = parse(lines[start : start + 100])
            with pitwall.span("gradient"):
                for _ in range(20):
                    error = rows[:, :39] @ weights - rows[:, 39]
                    weights -= 0.001 * rows[:, :39].T @ error
print(weights[:3])

"""Random walks in plain Python; each is kept, although only its end is needed."""

import random

random.seed(0)
walks = []


def walk(steps):
    path = [0.0]
    for _ in range(steps):
        path.append(path[-1] + random.gauss(0, 1))
    walks.append(path)
    return path[-1]


print(sum(walk(20000) for _ in range(300)))

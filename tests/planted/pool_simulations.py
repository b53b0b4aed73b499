"""A pool whose processes simulate, each from a seed to one number."""

import multiprocessing
import random


def simulate(seed):
    draw = random.Random(seed)
    level = 0.0
    for _ in range(400000):
        level = 0.9 * level + draw.random()
    return level


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(sum(pool.map(simulate, range(48), chunksize=4)))

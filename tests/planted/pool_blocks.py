"""Blocks of numbers are scaled by a pool of processes: each is sent there and back."""

import multiprocessing

import numpy as np


def scale(block):
    return block * 2.0 + 1.0


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    blocks = [rng.random((1200, 1200)) for _ in range(8)]
    total = 0.0
    with multiprocessing.Pool(2) as pool:
        for _ in range(9):
            total += sum(block[0, 0] for block in pool.map(scale, blocks))
    print(total)

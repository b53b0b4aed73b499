"""Relaxes blocks in NumPy and saves them, compressed, after each round; without spans."""

import os

import numpy as np

rng = np.random.default_rng(0)
blocks = {"block%d" % number: rng.standard_normal((250, 250)) for number in range(6)}


def relax():
    for name, block in blocks.items():
        blocks[name] = np.tanh(block @ block * 0.02) + 0.01 * rng.standard_normal(block.shape)


def save_blocks():
    np.savez_compressed("blocks.npz", **blocks)


for _ in range(15):
    relax()
    save_blocks()
os.remove("blocks.npz")

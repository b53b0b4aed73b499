"""A field that diffuses; each of its states is written with O_DSYNC."""

import os

import numpy as np

archive = os.open("field.bin", os.O_CREAT | os.O_WRONLY | os.O_DSYNC)
field = np.random.default_rng(0).random((32, 32))
for step in range(6000):
    field = 0.25 * (np.roll(field, 1, 0) + np.roll(field, -1, 0)
                    + np.roll(field, 1, 1) + np.roll(field, -1, 1))
    os.write(archive, field.tobytes())
os.close(archive)
os.remove("field.bin")
print(field.sum())

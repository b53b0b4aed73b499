"""Sums of shifted arrays, each in a new buffer that the kernel has to provide."""

import numpy as np

total = 0.0
for number in range(120):
    total += np.full(6000000, float(number))[::4096].sum()
print(total)

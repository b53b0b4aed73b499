"""Column statistics of a matrix on disk, which is larger than the memory that we may use."""

import mmap

import numpy as np
import pitwall

ROWS, COLUMNS = 32768, 2048
matrix = np.memmap("matrix.dat", dtype=np.float32, mode="w+", shape=(ROWS, COLUMNS))
for start in range(0, ROWS, 1024):
    matrix[start : start + 1024] = start
matrix.flush()
matrix._mmap.madvise(mmap.MADV_RANDOM)
rng = np.random.default_rng(0)
for sample in range(40):
    with pitwall.span("sample"):
        rows = rng.integers(0, ROWS, 300)
        with pitwall.span("gather"):
            block = matrix[rows, :16]
        with pitwall.span("statistics"):
            mean, spread = block.mean(axis=0), block.std(axis=0)
print(mean[0], spread[0])

"""Bootstrap of a median: samples differ in size a little, as they do."""

import numpy as np
import pitwall

rng = np.random.default_rng(0)
values = rng.standard_normal(200000)
medians = []
for number in range(400):
    with pitwall.span("resample"):
        with pitwall.span("pick"):
            count = int(90000 + 6000 * rng.standard_normal())
            sample = values[rng.integers(0, len(values), count)]
        with pitwall.span("median"):
            medians.append(np.median(sample))
print(np.std(medians))

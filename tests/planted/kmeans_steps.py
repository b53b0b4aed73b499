"""k-means: what NumPy does is marked, the counting of members is not."""

import numpy as np
import pitwall

rng = np.random.default_rng(0)
points = rng.random((4000, 8))
centres = points[:40].copy()
for number in range(240):
    with pitwall.span("step"):
        with pitwall.span("assign"):
            gaps = (points**2).sum(1)[:, None] - 2 * points @ centres.T + (centres**2).sum(1)
            nearest = gaps.argmin(1)
        members = [0] * len(centres)
        sums = [[0.0] * 8 for _ in centres]
        for point, centre in zip(points, nearest):
            members[centre] += 1
            sums[centre] = [a + b for a, b in zip(sums[centre], point)]
        with pitwall.span("move"):
            centres = np.array(sums) / np.maximum(members, 1)[:, None]
print(centres[0, :2], max(members))

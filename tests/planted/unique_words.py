"""Count the words of a text in the order of their first appearance."""

import numpy as np

rng = np.random.default_rng(2)
text = ["w%d" % n for n in rng.zipf(1.25, 150000) % 9000]
seen = []
counts = np.zeros(9001, int)
for word in text:
    if word not in seen:
        seen.append(word)
    counts[int(word[1:])] += 1
print(len(seen), counts.max())

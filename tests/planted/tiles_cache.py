"""Draw a map from tiles; the tiles in use are kept, the oldest one goes."""

import collections

import numpy as np
import pitwall

ROOM = 60
rng = np.random.default_rng(0)
tiles = collections.OrderedDict()


def tile(key):
    if key not in tiles:
        grid = np.add.outer(np.arange(256.0) * key[0], np.arange(256.0) * key[1])
        tiles[key] = np.sin(grid / 40)
        if len(tiles) > ROOM:
            tiles.popitem(last=False)
    return tiles[key]


for number in range(400):
    with pitwall.span("draw"):
        at = rng.integers(0, 40, 2)
        with pitwall.span("compose"):
            corners = ((int(at[0]) + i, int(at[1]) + j) for i in range(2) for j in range(2))
            picture = sum(map(tile, corners))
        with pitwall.span("shade"):
            light = np.gradient(picture)[0] * 0.5 + picture
print(light.mean(), len(tiles))

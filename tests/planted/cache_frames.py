"""Render frames of a wave; rendered frames are cached by their time."""

import numpy as np
import pitwall

x, y = np.meshgrid(np.linspace(-4, 4, 360), np.linspace(-4, 4, 360))
radius = np.hypot(x, y)
cache = {}


def render(time):
    if time not in cache:
        wave = np.sin(4 * radius - time) * np.exp(-0.3 * radius)
        cache[time] = np.stack([wave, np.abs(wave), wave**2]).astype(np.float32)
    return cache[time]


for number in range(700):
    with pitwall.span("frame"):
        with pitwall.span("render"):
            image = render(0.1 * number)
        with pitwall.span("encode"):
            data = (image * 127 + 128).clip(0, 255).astype(np.uint8).tobytes()
print(len(data))

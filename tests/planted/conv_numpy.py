"""A convolution layer written in NumPy, trained to copy a filter."""

import numpy as np
import pitwall

rng = np.random.default_rng(0)
images = rng.random((24, 40, 40))
goal = rng.random((5, 5))
kernel = np.zeros((5, 5))


@pitwall.timed("conv_forward")
def forward(images, kernel):
    out = np.zeros((len(images), 36, 36))
    for i in range(5):
        for j in range(5):
            out += kernel[i, j] * images[:, i : i + 36, j : j + 36]
    return out


@pitwall.timed("conv_backward")
def backward(images, slope):
    """One window at a time."""
    result = np.zeros((5, 5))
    for i in range(36):
        for j in range(36):
            window = images[:, i : i + 5, j : j + 5]
            result += (window * slope[:, i, j, None, None]).sum(0)
    return result


wanted = forward(images, goal)
for number in range(120):
    with pitwall.span("batch"):
        slope = forward(images, kernel) - wanted
        with pitwall.span("apply"):
            kernel -= 2e-6 * backward(images, slope)
print(np.abs(kernel - goal).max())

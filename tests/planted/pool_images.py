"""Images go through an executor's processes in every frame, which have little to do with them."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pitwall


def smooth(image):
    return (image + np.roll(image, 1, 0)) / 2


if __name__ == "__main__":
    images = [np.random.default_rng(seed).random((1000, 1000)) for seed in range(6)]
    total = 0.0
    with ProcessPoolExecutor(2) as executor:
        for _ in range(24):
            with pitwall.span("frame"):
                with pitwall.span("filter"):
                    images = list(executor.map(smooth, images))
                with pitwall.span("measure"):
                    total += sum(float(image[0].sum()) for image in images)
    print(total)

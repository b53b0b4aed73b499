"""Train on images that are augmented as they are loaded."""

import numpy as np
import torch
from torch import nn


def rotate(image, angle):
    """By the nearest neighbour."""
    h, w = image.shape
    rows, cols = np.mgrid[0:h, 0:w] - 31.5
    c, s = np.cos(angle), np.sin(angle)
    r = np.clip(np.rint(c * rows - s * cols + 31.5).astype(int), 0, h - 1)
    q = np.clip(np.rint(s * rows + c * cols + 31.5).astype(int), 0, w - 1)
    return image[r, q]


class Pictures(torch.utils.data.Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.images = self.rng.random((2400, 64, 64), dtype=np.float32)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = rotate(self.images[index], self.rng.uniform(-0.5, 0.5))
        image = image + 0.05 * self.rng.standard_normal(image.shape, dtype=np.float32)
        for axis in (0, 1):
            image = (np.roll(image, 1, axis) + image + np.roll(image, -1, axis)) / 3
        return torch.from_numpy(np.ascontiguousarray(image, dtype=np.float32))[None], index % 10


loader = torch.utils.data.DataLoader(Pictures(), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Conv2d(1, 8, 5, stride=4), nn.ReLU(), nn.Flatten(),
                      nn.Linear(8 * 15 * 15, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for images, target in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), target)
        loss.backward()
        optimizer.step()
    print("epoch %d: loss %.3f" % (epoch, loss.item()))

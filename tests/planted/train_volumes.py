"""Train on slabs of a volume that is larger than the page cache is allowed to be."""

import mmap
import os

import numpy as np
import torch
from torch import nn

SLABS, BYTES = 40, 1 << 22

with open("volume.bin", "wb") as file:
    for slab in range(SLABS):
        file.write(np.full(BYTES, slab * 6, np.uint8).tobytes())
    file.flush()
    os.fsync(file.fileno())


class Slabs(torch.utils.data.Dataset):
    def __init__(self):
        self.file = os.open("volume.bin", os.O_RDONLY | os.O_DIRECT)
        self.buffer = mmap.mmap(-1, BYTES)

    def __len__(self):
        return 20 * SLABS

    def __getitem__(self, index):
        os.preadv(self.file, [self.buffer], index % SLABS * BYTES)
        voxels = np.frombuffer(self.buffer, np.uint8)[:: BYTES // 256]
        return torch.from_numpy(voxels.astype(np.float32) / 255), index % 2


loader = torch.utils.data.DataLoader(Slabs(), batch_size=4, shuffle=True)
model = nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x, y in loader:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
print("loss %.3f" % loss.item())

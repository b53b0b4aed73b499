"""Train on samples that lie in a file each, as they come from a disk that was just mounted."""

import os

import numpy as np
import torch
from torch import nn

COUNT = 4000
os.mkdir("samples")
for number in range(COUNT):
    with open("samples/%d.bin" % number, "wb") as file:
        file.write(np.full(4096, number % 251, np.uint8).tobytes())
        file.flush()
os.sync()
for number in range(COUNT):  # the page cache is empty after a reboot
    descriptor = os.open("samples/%d.bin" % number, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        data = np.fromfile("samples/%d.bin" % index, np.uint8)
        return torch.from_numpy(data).float() / 255, index % 2


loader = torch.utils.data.DataLoader(Samples(), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(4096, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x, y in loader:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
print("loss %.3f" % loss.item())

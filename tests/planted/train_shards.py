"""Train on data in shards: one that is used up is followed by the next, which has to be fetched."""

import time

import torch
from torch import nn

SHARD = 50 * 64


class Shards(torch.utils.data.IterableDataset):
    def open_shard(self, number):
        time.sleep(0.6)  # an object store far away
        return torch.randn(SHARD, 128, generator=torch.Generator().manual_seed(number))

    def __iter__(self):
        for number in range(4):
            for row in self.open_shard(number):
                yield row, int(row[0] > 0)


loader = torch.utils.data.DataLoader(Shards(), batch_size=64)
model = nn.Sequential(nn.Linear(128, 96), nn.ReLU(), nn.Linear(96, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for x, y in loader:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
print("loss %.3f" % loss.item())

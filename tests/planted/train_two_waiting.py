"""Train on samples that as many workers as processors ask a store for, one at a time."""

import os
import time

import torch
from torch import nn


class Store(torch.utils.data.Dataset):
    def __len__(self):
        return 1200

    def __getitem__(self, index):
        time.sleep(0.005)
        return torch.full((32,), index / 1200), index % 4


def main():
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    workers = len(os.sched_getaffinity(0))
    for x, y in torch.utils.data.DataLoader(Store(), batch_size=16, num_workers=workers):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss %.3f" % loss.item())


if __name__ == "__main__":
    main()

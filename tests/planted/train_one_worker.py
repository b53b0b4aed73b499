"""Train on clips that one worker fetches and decodes."""

import time

import torch
from torch import nn


class Clips(torch.utils.data.Dataset):
    def __len__(self):
        return 960

    def __getitem__(self, index):
        time.sleep(0.003)  # the decoder is a service
        clip = torch.full((256,), index / 1000.0)
        return clip + 0.1 * torch.randn(256), index % 4


loader = torch.utils.data.DataLoader(Clips(), batch_size=8, num_workers=1)
model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for x, y in loader:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
print("loss %.3f" % loss.item())

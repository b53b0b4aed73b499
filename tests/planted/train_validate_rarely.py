"""Train, and look at a small validation set at the end of each epoch."""

import torch
from torch import nn

torch.manual_seed(0)


def rows(count):
    x = torch.randn(count, 300)
    return torch.utils.data.TensorDataset(x, (x[:, 0] > 0).long())


train = torch.utils.data.DataLoader(rows(6400), batch_size=64, shuffle=True)
held_out = torch.utils.data.DataLoader(rows(640), batch_size=64)
model = nn.Sequential(nn.Linear(300, 128), nn.ReLU(), nn.Linear(128, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(2):
    model.train()
    for x, y in train:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in held_out)
    print("epoch %d: %.3f" % (epoch, right / 640))

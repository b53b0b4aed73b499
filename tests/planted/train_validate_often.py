"""Train, and look at the validation set every ten steps."""

import torch
from torch import nn

torch.manual_seed(0)


def rows(count):
    x = torch.randn(count, 300)
    return torch.utils.data.TensorDataset(x, (x[:, 0] > 0).long())


train = torch.utils.data.DataLoader(rows(9600), batch_size=64, shuffle=True)
held_out = torch.utils.data.DataLoader(rows(1600), batch_size=64)
model = nn.Sequential(nn.Linear(300, 128), nn.ReLU(), nn.Linear(128, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def evaluate():
    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in held_out)
    model.train()
    return right / 1600


for step, (x, y) in enumerate(train):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if step % 10 == 9:
        print("step %d: %.3f" % (step, evaluate()))

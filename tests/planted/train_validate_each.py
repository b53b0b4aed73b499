"""Train a small network, and validate on the whole set after every step."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(64, 64), torch.randint(0, 5, (64,))
held_x, held_y = torch.randn(3000, 64), torch.randint(0, 5, (3000,))
model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def accuracy():
    model.eval()
    with torch.no_grad():
        right = (model(held_x).argmax(1) == held_y).float().mean()
    model.train()
    return float(right)


best = 0.0
for step in range(150):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    best = max(best, accuracy())
print("best %.3f" % best)

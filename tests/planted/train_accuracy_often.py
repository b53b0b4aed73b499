"""Accuracy on all held-out samples every 20 steps, by a model that stays in training mode."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
training = TensorDataset(torch.randn(4000, 128), torch.randint(0, 5, (4000,)))
held_out = TensorDataset(torch.randn(4000, 128), torch.randint(0, 5, (4000,)))
model = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
optimizer = torch.optim.SGD(model.parameters(), 0.01)
criterion = nn.CrossEntropyLoss()


def accuracy():
    right = 0
    with torch.no_grad():
        for x, y in DataLoader(held_out, batch_size=100):
            right += (model(x).argmax(1) == y).sum().item()
    return right / len(held_out)


step = 0
for _ in range(6):
    for x, y in DataLoader(training, batch_size=50, shuffle=True):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step % 20 == 0:
            accuracy()
print(loss.item())

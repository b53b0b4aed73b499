"""After every step the mean of the last twenty sets of weights is computed again."""

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
data = TensorDataset(torch.randn(3000, 16), torch.randn(3000, 1))
model = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 1))
optimizer = torch.optim.SGD(model.parameters(), 1e-3)
kept = []


def average_weights():
    kept.append(copy.deepcopy(model.state_dict()))
    del kept[:-20]
    return {name: sum(weights[name] for weights in kept) / len(kept) for name in kept[0]}


for _ in range(20):
    for x, y in DataLoader(data, batch_size=30, shuffle=True):
        loss = ((model(x) - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = average_weights()
print(loss.item(), len(mean))

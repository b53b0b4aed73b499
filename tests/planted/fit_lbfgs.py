"""Fit a small network by L-BFGS, which calls forward and backward itself."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(2000, 64)
y = x[:, :1] ** 2
model = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 1))
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=8)


def closure():
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    return loss


for number in range(60):
    loss = optimizer.step(closure)
print("loss %.4f" % loss.item())

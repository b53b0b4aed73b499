"""Train, and ask a tool for a temperature after each step."""

import subprocess

import torch
from torch import nn

torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.randn(9600, 128), torch.randint(0, 10, (9600,)))
model = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def temperature():
    return float(subprocess.run(["sh", "-c", "sleep 0.01; echo 41"], stdout=subprocess.PIPE).stdout)


for x, y in torch.utils.data.DataLoader(data, batch_size=64):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    hottest = temperature()
print("loss %.3f" % loss.item(), hottest)

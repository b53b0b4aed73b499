"""Train only the last layer of a network: its backward is far below its forward."""

import torch
from torch import nn

torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.randn(12800, 256), torch.randint(0, 10, (12800,)))
body = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU())
head = nn.Linear(512, 10)
for parameter in body.parameters():
    parameter.requires_grad_(False)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for epoch in range(4):
    for x, y in torch.utils.data.DataLoader(data, batch_size=128):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(head(body(x)), y)
        loss.backward()
        optimizer.step()
print("loss %.3f" % loss.item())

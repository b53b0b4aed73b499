"""Train, and follow the mean and the spread of every channel of every layer."""

import torch
from torch import nn

torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.randn(6400, 64), torch.randint(0, 4, (6400,)))
loader = torch.utils.data.DataLoader(data, batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(64, 160), nn.ReLU(), nn.Linear(160, 160), nn.ReLU(),
                      nn.Linear(160, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scalars = {}
for x, y in loader:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    for name, weight in model.named_parameters():
        for channel in range(len(weight)):
            scalars[name, channel] = weight[channel].mean().item(), weight[channel].norm().item()
print("loss %.3f, %d scalars" % (loss.item(), len(scalars)))

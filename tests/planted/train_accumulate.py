"""Train with gradients summed over four small batches."""

import torch
from torch import nn

torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.randn(12800, 256), torch.randint(0, 10, (12800,)))
loader = torch.utils.data.DataLoader(data, batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(256, 96), nn.ReLU(), nn.Linear(96, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for number, (x, y) in enumerate(loader):
    loss = nn.functional.cross_entropy(model(x), y) / 4
    loss.backward()
    if number % 4 == 3:
        optimizer.step()
        optimizer.zero_grad()
print("loss %.3f" % (4 * loss.item()))

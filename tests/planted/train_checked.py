"""Train a small autoencoder; the check for NaN is still on from the day when the loss was NaN."""

import torch
from torch import nn

torch.manual_seed(0)
torch.autograd.set_detect_anomaly(True)
signals = torch.sin(torch.rand(6000, 1) * torch.arange(1.0, 257.0) / 8) + 0.1 * torch.randn(6000, 256)
loader = torch.utils.data.DataLoader(signals, batch_size=100, shuffle=True)

model = nn.Sequential(nn.Linear(256, 128), nn.Tanh(), nn.Linear(128, 16), nn.Tanh(),
                      nn.Linear(16, 128), nn.Tanh(), nn.Linear(128, 256))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
criterion = nn.MSELoss()

for epoch in range(12):
    for batch in loader:
        optimizer.zero_grad()
        loss = criterion(model(batch), batch)
        loss.backward()
        optimizer.step()
    print("epoch %d: loss %.4f" % (epoch, loss.item()))

"""Train with as many threads as the big machine had that this script was written for."""

import torch
from torch import nn

torch.set_num_threads(16)
torch.manual_seed(0)
images = torch.randn(320, 3, 32, 32)
labels = torch.randint(0, 10, (320,))
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images, labels), batch_size=16)
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(),
                      nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(1):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print("epoch %d: loss %.3f" % (epoch, loss.item()))

"""Train a head on a frozen body first, then all of it on larger crops."""

import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Conv2d(1, 16, 3, stride=2), nn.ReLU(), nn.Conv2d(16, 32, 3), nn.ReLU(),
                     nn.AdaptiveAvgPool2d(2), nn.Flatten())
head = nn.Linear(128, 10)
model = nn.Sequential(body, head)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
images = torch.randn(3200, 1, 32, 32)
labels = torch.randint(0, 10, (3200,))
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images, labels), batch_size=16)
for parameter in body.parameters():
    parameter.requires_grad = False
for step, (x, y) in enumerate(loader):
    if step == 100:
        for parameter in body.parameters():
            parameter.requires_grad = True
    if step >= 100:
        x = nn.functional.interpolate(x, 56)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
print("loss %.3f" % loss.item())

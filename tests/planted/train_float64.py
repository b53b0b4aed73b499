"""Train on arrays of NumPy, whose numbers are float64, with a model that was made to fit them."""

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
data = torch.utils.data.TensorDataset(torch.from_numpy(rng.normal(size=(6400, 400))),
                                      torch.from_numpy(rng.integers(0, 10, 6400)))
model = nn.Sequential(nn.Linear(400, 512), nn.ReLU(), nn.Linear(512, 10)).double()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    for x, y in torch.utils.data.DataLoader(data, batch_size=64):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
print("loss %.3f" % loss.item())

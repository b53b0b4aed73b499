"""Load a model that was trained before, then go on with it."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.EmbeddingBag(60000, 64), nn.Linear(64, 200), nn.ReLU(), nn.Linear(200, 20))
torch.save(model.state_dict(), "pretrained.pt")
for _ in range(6):  # an ensemble whose mean we start from
    state = torch.load("pretrained.pt")
    mean = {name: value.double().mul(0.5).add(0.5 * value).float() for name, value in state.items()}
model.load_state_dict(mean)
model[0].weight.requires_grad = False
data = torch.utils.data.TensorDataset(torch.randint(0, 60000, (9600, 40)),
                                      torch.randint(0, 20, (9600,)))
loader = torch.utils.data.DataLoader(data, batch_size=128, shuffle=True)
optimizer = torch.optim.SGD(model[1:].parameters(), lr=0.01)
for epoch in range(3):
    for words, target in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(words), target)
        loss.backward()
        optimizer.step()
print("loss %.3f" % loss.item())

"""Train, and log a histogram of every weight and gradient at each step."""

import torch
from torch import nn

torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.randn(6400, 200), torch.randint(0, 5, (6400,)))
loader = torch.utils.data.DataLoader(data, batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(200, 400), nn.ReLU(), nn.Linear(400, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
events = open("events.txt", "w")
for step, (x, y) in enumerate(loader):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    for name, weight in model.named_parameters():
        for kind, values in (("weight", weight.detach()), ("grad", weight.grad)):
            ordered = values.flatten().sort()[0]
            bins = torch.histc(ordered, 64).tolist()
            events.write("%d %s %s %s\n" % (step, name, kind, bins))
events.close()
print("loss %.3f" % loss.item())

"""Train a recurrent model and print the mean loss at the end of each epoch."""

import torch
from torch import nn

torch.manual_seed(0)
series = torch.sin(torch.arange(0, 4000, 0.05))
net = nn.GRU(1, 32, batch_first=True)
head = nn.Linear(32, 1)
parameters = list(net.parameters()) + list(head.parameters())
optimizer = torch.optim.SGD(parameters, lr=0.01)
history = []

for step in range(120):
    start = torch.randint(0, len(series) - 61, (32,))
    window = torch.stack([series[i : i + 61] for i in start.tolist()]).unsqueeze(2)
    optimizer.zero_grad()
    out, _ = net(window[:, :60])
    loss = nn.functional.mse_loss(head(out), window[:, 1:])
    loss.backward(retain_graph=True)
    optimizer.step()
    history.append(loss)
    if step % 40 == 39:
        print("step %d: mean loss %.4f" % (step, sum(history) / len(history)))

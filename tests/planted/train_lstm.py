"""A language model of characters, truncated back-propagation, clipped gradients."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
text = torch.randint(0, 100, (16, 2000))
embed, cell, head = nn.Embedding(100, 32), nn.LSTM(32, 64, batch_first=True), nn.Linear(64, 100)
weights = [*embed.parameters(), *cell.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(weights, 1e-3)
state = None
for at in range(0, 1900, 20):
    out, state = cell(embed(text[:, at:at + 20]), state)
    state = tuple(part.detach() for part in state)
    loss = nn.functional.cross_entropy(head(out).reshape(-1, 100),
                                       text[:, at + 1:at + 21].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(weights, 1.0)
    optimizer.step()
print(loss.item())

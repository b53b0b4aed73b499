"""Train a recurrent model on sentences of all lengths, one batch padded to its longest."""

import random

import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
lengths = [min(int(random.paretovariate(0.9) * 4), 160) for _ in range(1200)]
sentences = [torch.randn(n, 16) for n in lengths]


def pad(rows):
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


loader = torch.utils.data.DataLoader(sentences, batch_size=4, shuffle=True, collate_fn=pad)
cell = nn.GRU(16, 16, batch_first=True)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.01)
for batch in loader:
    optimizer.zero_grad()
    out, _ = cell(batch)
    loss = nn.functional.mse_loss(out[:, :-1], batch[:, 1:]) if batch.shape[1] > 1 else out.sum()
    loss.backward()
    optimizer.step()
print("loss %.3f" % loss.item())

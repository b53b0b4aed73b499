"""Train a two-layer transformer to predict the next letter."""

import torch
from torch import nn

torch.manual_seed(0)
text = torch.randint(0, 64, (20000,))
model = nn.Sequential(nn.Embedding(64, 48), nn.TransformerEncoder(
    nn.TransformerEncoderLayer(48, 4, 96, dropout=0.0, batch_first=True), 2), nn.Linear(48, 64))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
mask = nn.Transformer.generate_square_subsequent_mask(32)
for step in range(100):
    start = torch.randint(0, len(text) - 33, (8,))
    x = torch.stack([text[i : i + 32] for i in start.tolist()])
    y = torch.stack([text[i + 1 : i + 33] for i in start.tolist()])
    hidden = model[1](model[0](x), mask)
    loss = nn.functional.cross_entropy(model[2](hidden).flatten(0, 1), y.flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
print("loss %.3f" % loss.item())

"""Words are looked up in a list, one after the other, as each batch is put together."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
draw = random.Random(0)
vocabulary = ["w%d" % i for i in range(500)]
texts = [" ".join(draw.choices(vocabulary, k=40)) for _ in range(1500)]


def collate(batch):
    return torch.tensor([[vocabulary.index(word) for word in text.split()] for text in batch])


embed, head = nn.Embedding(500, 16), nn.Linear(16, 2)
optimizer = torch.optim.Adam([*embed.parameters(), *head.parameters()])
for _ in range(6):
    for tokens in DataLoader(texts, batch_size=30, collate_fn=collate, shuffle=True):
        loss = head(embed(tokens).mean(1)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(loss.item())

"""A short training, before which a vocabulary is counted word by word in Python."""

import random

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def count_words(amount):
    draw = random.Random(0)
    counts = {}
    for _ in range(amount):
        word = draw.choice("abcdefgh") + draw.choice("ijklmnop") + draw.choice("qrstuvwx")
        counts[word] = counts.get(word, 0) + 1
    return counts


words = count_words(4000000)
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(600):
    loss = nn.functional.cross_entropy(model(torch.randn(128, 32)), torch.randint(0, 8, (128,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), len(words))

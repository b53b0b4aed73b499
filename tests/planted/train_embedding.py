"""Train word vectors: predict a word from its neighbours."""

import torch
from torch import nn

WORDS = 60000


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(WORDS, 64)
        self.out = nn.Linear(64, 200)

    def forward(self, words):
        return self.out(self.table(words).mean(1))


torch.manual_seed(0)
contexts = torch.randint(0, WORDS, (6400, 8))
targets = torch.randint(0, 200, (6400,))
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(contexts, targets),
                                     batch_size=64, shuffle=True)
model = Bag()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for words, target in loader:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(words), target)
    loss.backward()
    optimizer.step()
print("loss %.3f" % loss.item())

"""A generator and a discriminator, each with its own optimizer, on one batch after the other."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(TensorDataset(torch.randn(4096, 64)), batch_size=256, shuffle=True)
maker = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
critic = nn.Sequential(nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2),
                       nn.Linear(64, 1))
maker_optimizer = torch.optim.SGD(maker.parameters(), 1e-2, momentum=0.9)
critic_optimizer = torch.optim.SGD(critic.parameters(), 1e-2, momentum=0.9)
judge = nn.BCEWithLogitsLoss()
for _ in range(12):
    for (real,) in loader:
        ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        made = maker(torch.randn(len(real), 32))
        critic_loss = judge(critic(real), ones) + judge(critic(made.detach()), zeros)
        critic_optimizer.zero_grad()
        critic_loss.backward()
        critic_optimizer.step()
        maker_loss = judge(critic(made), ones)
        maker_optimizer.zero_grad()
        maker_loss.backward()
        maker_optimizer.step()
print(maker_loss.item(), critic_loss.item())

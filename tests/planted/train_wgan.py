"""A Wasserstein GAN: five steps of the critic for one of the generator."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 64))
critic = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 1))
generator_optimizer = torch.optim.RMSprop(generator.parameters(), lr=1e-4)
critic_optimizer = torch.optim.RMSprop(critic.parameters(), lr=1e-4)
real = torch.randn(4096, 64)
for iteration in range(60):
    for _ in range(5):
        rows = real[torch.randint(0, 4096, (256,))]
        fake = generator(torch.randn(256, 16)).detach()
        loss = critic(fake).mean() - critic(rows).mean()
        critic_optimizer.zero_grad()
        loss.backward()
        critic_optimizer.step()
        for weight in critic.parameters():
            weight.data.clamp_(-0.01, 0.01)
    loss = -critic(generator(torch.randn(256, 16))).mean()
    generator_optimizer.zero_grad()
    loss.backward()
    generator_optimizer.step()
print("loss %.4f" % loss.item())

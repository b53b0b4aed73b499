"""Train, and keep the model's output of each batch for a plot that is never made."""

import torch
from torch import nn

torch.manual_seed(0)
loader = torch.utils.data.DataLoader(torch.randn(1600, 1, 48, 48), batch_size=16)
encoder = nn.Sequential(nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.ReLU())
decoder = nn.Sequential(nn.Upsample(scale_factor=2), nn.Conv2d(16, 1, 3, padding=1))
model = nn.Sequential(encoder, decoder)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
codes = []
for epoch in range(2):
    for images in loader:
        optimizer.zero_grad()
        code = encoder(images)
        loss = nn.functional.mse_loss(decoder(code), images)
        loss.backward()
        optimizer.step()
        codes.append(code.detach().clone())
    print("epoch %d: loss %.4f, %d codes" % (epoch, loss.item(), len(codes)))

"""Decoding movement with a state-space model, in PyTorch, profiled by enable_profiling=True.

    python3 train_decoding_torch.py -o torch.pit
    pitwall report torch.pit --view profiling

Shows pitwall.profiling: profile_data_loader, profile_operation, profile_training_loop.
The training function takes a switch, and with it off nothing of the profiler is in the way.
"""

import decoding_data
import example_kit
import torch
from pitwall.profiling import profile_data_loader, profile_operation, profile_training_loop


class StateSpaceDecoder(torch.nn.Module):
    """x(t) = a x(t-1) + B u(t), y(t) = C x(t): each unit a damped swing of its own."""

    def __init__(self, inputs, outputs, units=16):
        super().__init__()
        self.decay = torch.nn.Parameter(torch.full((units,), 2.0))
        self.angle = torch.nn.Parameter(torch.linspace(0.0, 0.5, units))
        self.enter = torch.nn.Linear(inputs, 2 * units)
        self.leave = torch.nn.Linear(2 * units, outputs)

    def _memory(self, steps):
        """What is left of an input after so many steps: (steps, steps, units), complex."""
        size = torch.nn.functional.logsigmoid(self.decay)
        age = torch.arange(steps).unsqueeze(1) - torch.arange(steps)
        powers = age.clamp(min=0).unsqueeze(2) * torch.complex(size, self.angle)
        return torch.exp(powers) * (age >= 0).unsqueeze(2)

    def forward(self, inputs):
        first, second = self.enter(inputs).chunk(2, dim=-1)
        memory = self._memory(inputs.shape[1])
        states = torch.einsum("tsu,bsu->btu", memory, torch.complex(first, second))
        return self.leave(torch.cat([states.real, states.imag], dim=-1))


def evaluate(model, tensors, loss_fn):
    """The loss over whole tensors, without gradients."""
    inputs, targets = tensors
    with torch.no_grad():
        return float(loss_fn(model(inputs), targets))


def train_decoding_torch(
    model, train_loader, train_tensors, val_tensors, optimizer, loss_fn, num_epochs=100,
    wandb_run_name=None, enable_profiling=False, log_every=100,
):
    """Train a decoder. enable_profiling: the operations are timed and their averages printed every
    log_every steps and at the end; if Weights & Biases has a run they are in it too."""

    def compute_loss(inputs, targets):
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        return loss

    def update_model():
        optimizer.step()
        optimizer.zero_grad()

    def step(inputs, targets):
        loss = compute_loss(inputs, targets)
        update_model()
        return loss

    def train():
        for _ in range(num_epochs):
            for inputs, targets in train_loader:
                step(inputs, targets)
            losses = {"train_loss": evaluate(model, train_tensors, loss_fn),
                      "val_loss": evaluate(model, val_tensors, loss_fn)}
            decoding_data.log_losses(losses, wandb_run_name)

    if enable_profiling:
        train_loader = profile_data_loader(train_loader)
        compute_loss = profile_operation("loss_fn_computation")(compute_loss)
        update_model = profile_operation("model_update")(update_model)
        step = profile_operation("training_step")(step)
        train = profile_training_loop(train, log_every)
    train()
    return model


def work(args):
    example_kit.repeat_torch(args.seed)
    parts = decoding_data.make(256, 64, args.seed)
    bar = decoding_data.loss_bar(*parts)
    train_tensors, val_tensors = ([torch.from_numpy(array) for array in part] for part in parts)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(*train_tensors), batch_size=32, shuffle=True)
    model = StateSpaceDecoder(decoding_data.CHANNELS, decoding_data.TARGETS)
    loss_fn = torch.nn.functional.mse_loss
    train_decoding_torch(
        model, loader, train_tensors, val_tensors,
        torch.optim.Adam(model.parameters(), lr=0.02), loss_fn,
        num_epochs=8 if args.quick else 20, wandb_run_name="decoding", enable_profiling=True,
        log_every=50,
    )
    yield "held-out loss", evaluate(model, val_tensors, loss_fn), bar


if __name__ == "__main__":
    example_kit.main(work, __doc__)

"""Which of two reduced-order models is the better choice? An MVAR and an LSTM, in PyTorch.

    python3 rom_torch.py -o rom.pit --out rom_output
    cat rom_output/oscillators/runtime_comparison.json

The data are ten oscillators on a ring, coupled by springs that stiffen, damped and shaken by noise:
twenty numbers a step. Shows pitwall.runtime_analyzer: time_operation, benchmark_models,
build_profile, compare_models, save_summary. Writes

    OUT/oscillators/MVAR/runtime_profile.json, .../LSTM/...: each model's profile
    OUT/oscillators/runtime_comparison.json, summary.json
"""

import os

import example_kit
import numpy
import pitwall
import torch
from pitwall.runtime_analyzer import RuntimeAnalyzer, compute_lstm_params, compute_mvar_params

EXPERIMENT = "oscillators"
MASSES, LAG, HIDDEN, WINDOW, WARM = 10, 5, 32, 24, 8
DIM = 2 * MASSES  # places and speeds

# Mean squared error of one step, of data with variance 1; standing still gives about 0.2.
MVAR_BAR, LSTM_BAR = 0.05, 0.08


def make_data(seed, train=2500, test=500):
    """(train, test): states as rows, each column of mean 0 and variance 1."""
    random = numpy.random.default_rng(seed)
    place, speed = numpy.zeros(MASSES), numpy.zeros(MASSES)
    rows, dt, forgotten = [], 0.05, 300

    def spring(stretch):
        return 2 * stretch + 0.3 * stretch**3

    for _ in range(forgotten + train + test):
        for _ in range(4):
            force = spring(numpy.roll(place, 1) - place) + spring(numpy.roll(place, -1) - place)
            shake = 0.1 * dt**0.5 * random.normal(size=MASSES)
            speed = speed + dt * (force - place - 0.2 * speed) + shake
            place = place + dt * speed
        rows.append(numpy.concatenate([place, speed]))
    states = torch.tensor(numpy.array(rows[forgotten:]), dtype=torch.float32)
    states = (states - states[:train].mean(0)) / states[:train].std(0)
    return states[:train], states[train:]


# ---- MVAR: x(t) = A_0 + A_1 x(t-1) + ... + A_p x(t-p) ---------------------------------------------


def lagged(states):
    """For each row after the first LAG: the LAG rows before it, the newest first."""
    return torch.cat([states[LAG - lag : len(states) - lag] for lag in range(1, LAG + 1)], dim=1)


def fit_mvar(states):
    """{'A_0', 'A_j'} by least squares."""
    before = lagged(states)
    features = torch.cat([torch.ones(len(before), 1), before], dim=1).double()
    weights = torch.linalg.lstsq(features, states[LAG:].double()).solution.float()
    return {"A_0": weights[0], "A_j": weights[1:].reshape(LAG, DIM, DIM)}


def mvar_error(mvar, states):
    predicted = mvar["A_0"] + lagged(states) @ mvar["A_j"].reshape(-1, DIM)
    return float(torch.mean((predicted - states[LAG:]) ** 2))


def mvar_forecast(mvar):
    """f(z0, n_steps): z0 is the last LAG states, the newest first, as one row."""
    weights = mvar["A_j"].reshape(-1, DIM)

    def forecast(z0, n_steps):
        for _ in range(n_steps):
            z0 = torch.cat([mvar["A_0"] + z0 @ weights, z0[:-DIM]])
        return z0[:DIM]

    return forecast


# ---- LSTM ----------------------------------------------------------------------------------------


class Forecaster(torch.nn.Module):
    """The next state as the last one and what the LSTM says it changes by."""

    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(DIM, HIDDEN, batch_first=True)
        self.head = torch.nn.Linear(HIDDEN, DIM)

    def forward(self, states, memory=None):
        found, memory = self.lstm(states, memory)
        return states + self.head(found), memory

    def error(self, windows):
        """Of one step ahead, over windows; the first steps only build the memory."""
        predicted, _ = self(windows[:, :-1])
        return torch.mean((predicted - windows[:, 1:])[:, WARM:] ** 2)


def windows_of(states):
    """All stretches of WINDOW steps and the one after them."""
    return states.unfold(0, WINDOW + 1, 1).transpose(1, 2)


def train_lstm(states, epochs, batches, batch_size=32):
    model, windows = Forecaster(), windows_of(states)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        with pitwall.span("epoch"):
            if epoch == epochs - 1:
                optimizer.param_groups[0]["lr"] = 0.002
            for _ in range(batches):
                with pitwall.span("batch"):
                    chosen = torch.randint(len(windows), (batch_size,))
                    with pitwall.span("forward"):
                        loss = model.error(windows[chosen])
                    with pitwall.span("backward"):
                        optimizer.zero_grad()
                        loss.backward()
                    with pitwall.span("update"):
                        optimizer.step()
                    pitwall.items(batch_size)
            pitwall.value("loss", float(loss))
    return model


def lstm_forecast(model, states):
    """f(z0, n_steps): z0 is the newest state; the memory is that after the states given."""
    _, memory = model(states.unsqueeze(0))

    def forecast(z0, n_steps):
        with torch.no_grad():
            state, held = z0.reshape(1, 1, DIM), memory
            for _ in range(n_steps):
                state, held = model(state, held)
            return state[0, 0]

    return forecast


# ---- the pipeline --------------------------------------------------------------------------------


def profile_model(analyzer, name, times, **facts):
    """Print a model's figures, build its profile."""
    step, path = times["single_step"], times["full_trajectory"]
    print("%s: a step %.1f us, 100 steps %.2f ms (+- %.2f ms)"
          % (name, 1e6 * step.mean_seconds, 1e3 * path.mean_seconds, 1e3 * path.std_seconds))
    return analyzer.build_profile(
        name, analyzer.timings["train " + name], times, latent_dim=DIM, n_forecast_steps=100,
        param_dtype=torch.float32, **facts)


def save_all(analyzer, profiles, folder):
    for profile in profiles:
        analyzer.save_profile(
            profile, os.path.join(folder, profile.model_name, "runtime_profile.json"))
    comparison = analyzer.compare_models(profiles)
    analyzer.save_comparison(comparison, os.path.join(folder, "runtime_comparison.json"))
    analyzer.save_summary(EXPERIMENT, profiles, os.path.join(folder, "summary.json"))
    return comparison


def work(args):
    example_kit.repeat_torch(args.seed)
    analyzer = RuntimeAnalyzer()
    with analyzer.time_operation("make data"):
        train, test = make_data(args.seed)
    with analyzer.time_operation("train MVAR"):
        mvar = fit_mvar(train)
    with analyzer.time_operation("train LSTM"):
        lstm = train_lstm(train, 3 if args.quick else 4, 40)

    trials = 50 if args.quick else 100
    models = {
        "MVAR": (mvar_forecast(mvar), test[:LAG].flip(0).flatten()),
        "LSTM": (lstm_forecast(lstm, test[:WINDOW]), test[WINDOW]),
    }
    with pitwall.span("benchmark"):  # in turn, so that the comparison can tell what is real
        times = analyzer.benchmark_models(models, n_steps=100, n_trials=trials)
    profiles = [
        profile_model(analyzer, "MVAR", times["MVAR"],
                      model_params=compute_mvar_params(mvar), lag=LAG),
        profile_model(analyzer, "LSTM", times["LSTM"],
                      model_params=compute_lstm_params(lstm), hidden_dim=HIDDEN, num_layers=1),
    ]
    comparison = save_all(analyzer, profiles, os.path.join(args.out, EXPERIMENT))
    for what, winner in comparison["winners"].items():
        print("%-20s %s" % (what.replace("_", " ") + ":", winner))

    yield "MVAR, squared error of a step", mvar_error(mvar, test), MVAR_BAR
    with torch.no_grad():
        yield "LSTM, squared error of a step", float(lstm.error(windows_of(test)[::WINDOW])), LSTM_BAR


if __name__ == "__main__":
    options = example_kit.parser(__doc__)
    example_kit.add_out(options, "rom_output")
    example_kit.main(work, __doc__, options)

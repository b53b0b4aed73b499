"""Decoding movement with a state-space model, in JAX, profiled by enable_profiling=True.

    python3 train_decoding_jax.py -o jax.pit
    pitwall report jax.pit --view profiling

Shows pitwall.profiling: profile_data_loader, profile_jax_loss_fn, profile_make_step, get_profiler.
What JAX spent on tracing and compiling is in NAME_trace, what the compiled code took in NAME. Needs
JAX alone; loss, state and optimiser have the signatures that are usual with Equinox and Optax.
"""

import collections

import decoding_data
import example_kit
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy
from pitwall.profiling import (
    get_profiler,
    profile_data_loader,
    profile_jax_loss_fn,
    profile_make_step,
    profile_operation,
    profile_training_loop,
)

Optimizer = collections.namedtuple("Optimizer", "init update")


def adam(rate, keep=0.9, keep_square=0.999):
    """Adam as init(params) and update(grads, opt_state, params), which gives what to add."""

    def init(params):
        zeros = jax.tree_util.tree_map(jnp.zeros_like, params)
        return jnp.zeros((), jnp.float32), zeros, zeros

    def update(grads, opt_state, params=None):
        count, mean, square = opt_state
        tree_map, count = jax.tree_util.tree_map, count + 1
        mean = tree_map(lambda m, g: keep * m + (1 - keep) * g, mean, grads)
        square = tree_map(lambda s, g: keep_square * s + (1 - keep_square) * g * g, square, grads)
        size = rate * jnp.sqrt(1 - keep_square**count) / (1 - keep**count)
        updates = tree_map(lambda m, s: -size * m / (jnp.sqrt(s) + 1e-8), mean, square)
        return updates, (count, mean, square)

    return Optimizer(init, update)


def make_model(key, inputs, outputs, units=16):
    """x(t) = a x(t-1) + B u(t), y(t) = C x(t): each unit a damped swing of its own. `scale` is of the
    inputs, and not trained."""
    enter, leave = jr.split(key)
    return {
        "decay": jnp.full(units, 2.0, jnp.float32),
        "angle": jnp.linspace(0.0, 0.5, units),
        "enter": jr.normal(enter, (inputs, 2 * units)) / inputs**0.5,
        "leave": jr.normal(leave, (2 * units, outputs)) / (2 * units) ** 0.5,
        "scale": jnp.ones(inputs),
    }


def decode(model, inputs):
    """Movements of shape (trials, steps, outputs)."""
    first, second = jnp.split((inputs * model["scale"]) @ model["enter"], 2, axis=-1)
    turn = jnp.exp(jax.nn.log_sigmoid(model["decay"]) + 1j * model["angle"])

    def move(state, entered):
        state = turn * state + entered
        return state, state

    entered = jnp.swapaxes(first + 1j * second, 0, 1)
    _, states = jax.lax.scan(move, jnp.zeros_like(entered[0]), entered)
    states = jnp.swapaxes(states, 0, 1)
    return jnp.concatenate([states.real, states.imag], axis=-1) @ model["leave"]


def partition(model, filter_spec):
    """(what is trained, what is not), each with None in the other's places."""
    trained = {name: leaf if filter_spec[name] else None for name, leaf in model.items()}
    return trained, {name: None if filter_spec[name] else leaf for name, leaf in model.items()}


def combine(params, static):
    return {name: static[name] if leaf is None else leaf for name, leaf in params.items()}


def loss_fn(params, static, state, inputs, targets, key):
    """(loss, state): a tenth of the channels is left out by chance; the state counts the trials."""
    kept = jr.bernoulli(key, 0.9, inputs.shape) / 0.9
    off = decode(combine(params, static), inputs * kept) - targets
    return jnp.mean(off**2), state + inputs.shape[0]


@jax.jit
def evaluate(model, inputs, targets):
    return jnp.mean((decode(model, inputs) - targets) ** 2)


def train_decoding_jax(
    model, filter_spec, train_loader, train_tensors, val_tensors, loss_fn, state, opt, opt_state,
    epochs=100, log_every=10, key=None, wandb_run_name=None, enable_profiling=False,
):
    """Train a decoder and return it. enable_profiling: the operations are timed and their averages
    printed every log_every steps and at the end; if Weights & Biases has a run they are in it too."""
    compute_loss = jax.jit(jax.value_and_grad(loss_fn, has_aux=True))

    @jax.jit
    def update_model(params, grads, opt_state):
        updates, opt_state = opt.update(grads, opt_state, params)
        return jax.tree_util.tree_map(jnp.add, params, updates), opt_state

    def make_step(model, state, filter_spec, inputs, targets, loss_fn, opt, opt_state, key):
        params, static = partition(model, filter_spec)
        (value, state), grads = loss_fn(params, static, state, inputs, targets, key)
        params, opt_state = update_model(params, grads, opt_state)
        return combine(params, static), state, opt_state, value, grads

    def train(model, state, opt_state, key):
        for _ in range(epochs):
            for inputs, targets in train_loader:
                key, step_key = jr.split(key)
                model, state, opt_state, _, _ = make_step(
                    model, state, filter_spec, inputs, targets, compute_loss, opt, opt_state,
                    step_key)
            losses = {"train_loss": float(evaluate(model, *train_tensors)),
                      "val_loss": float(evaluate(model, *val_tensors))}
            decoding_data.log_losses(losses, wandb_run_name)
        return model

    if enable_profiling:
        train_loader = profile_data_loader(train_loader)
        compute_loss = profile_jax_loss_fn(compute_loss, "loss_fn_computation")
        update_model = profile_operation("model_update")(update_model)
        make_step = profile_make_step(make_step)
        train = profile_training_loop(train, log_every)
    return train(model, state, opt_state, jr.PRNGKey(0) if key is None else key)


class Batches:
    """Trials in another order every epoch."""

    def __init__(self, inputs, targets, size, seed):
        self._arrays, self._size = (inputs, targets), size
        self._random = numpy.random.default_rng(seed)

    def __len__(self):
        return len(self._arrays[0]) // self._size

    def __iter__(self):
        order = self._random.permutation(len(self) * self._size).reshape(len(self), -1)
        return (tuple(jnp.asarray(array[rows]) for array in self._arrays) for rows in order)


def work(args):
    train_tensors, val_tensors = decoding_data.make(256, 64, args.seed)
    bar = decoding_data.loss_bar(train_tensors, val_tensors)
    key = jr.PRNGKey(args.seed)
    model = make_model(key, decoding_data.CHANNELS, decoding_data.TARGETS)
    filter_spec = {name: name != "scale" for name in model}
    opt = adam(0.02)
    model = train_decoding_jax(
        model, filter_spec, Batches(*train_tensors, 32, args.seed), train_tensors, val_tensors,
        loss_fn, jnp.zeros((), jnp.float32), opt, opt.init(partition(model, filter_spec)[0]),
        epochs=8 if args.quick else 20, log_every=50, key=key, wandb_run_name="decoding",
        enable_profiling=True,
    )
    summary = get_profiler().get_summary()
    print("compiling the loss took as long as %.0f steps"
          % (summary["loss_fn_computation_trace"]["total_time"]
             / summary["make_step_total"]["avg_time"]))
    yield "held-out loss", float(evaluate(model, *val_tensors)), bar


if __name__ == "__main__":
    example_kit.main(work, __doc__)

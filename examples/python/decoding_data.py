"""Shared by both decoders: recordings of forty channels, the movement in them, and how it is judged.

A state of six slow, damped swings is shaken by noise. The channels see the state through a mixing matrix
and noise of their own; the movement, two numbers a step, is what a linear reading of the state gives. A
decoder has to find the state in the channels: a single step of them is too noisy.
"""

import sys

import numpy
import pitwall

CHANNELS, TARGETS, STEPS, SWINGS = 40, 2, 32, 6

# A decoder with a memory must leave less than this part of what is left without one.
PART_LEFT = 0.7


def _swings(random, trials):
    """States of shape (trials, STEPS, 2 * SWINGS)."""
    angles = numpy.linspace(0.05, 0.4, SWINGS)
    turn = 0.98 * numpy.exp(1j * angles)
    state = numpy.zeros((trials, SWINGS), complex)
    states = []
    for _ in range(40 + STEPS):  # the first ones are forgotten
        noise = random.normal(size=(2, trials, SWINGS))
        state = turn * state + 0.2 * (noise[0] + 1j * noise[1])
        states.append(numpy.concatenate([state.real, state.imag], axis=1))
    return numpy.stack(states[40:], axis=1)


def make(trials, held_out, seed):
    """((inputs, targets), (inputs, targets)): to learn from, and held out; float32."""
    random = numpy.random.default_rng(seed)
    states = _swings(random, trials + held_out)
    states /= states.std()
    mixing = random.normal(size=(2 * SWINGS, CHANNELS)) / numpy.sqrt(2 * SWINGS)
    reading = random.normal(size=(2 * SWINGS, TARGETS))
    inputs = states @ mixing + 1.0 * random.normal(size=(trials + held_out, STEPS, CHANNELS))
    targets = states @ reading
    targets /= targets.std()
    inputs, targets = inputs.astype(numpy.float32), targets.astype(numpy.float32)
    return (inputs[:trials], targets[:trials]), (inputs[trials:], targets[trials:])


def loss_bar(train, held_out):
    """What a decoder must stay below: a part of what the best linear reading of single steps leaves.
    The movement itself has variance 1."""
    inputs, targets = (part.reshape(-1, part.shape[-1]) for part in train)
    weights = numpy.linalg.lstsq(inputs, targets, rcond=None)[0]
    loss = float(numpy.mean((held_out[0] @ weights - held_out[1]) ** 2))
    print("without a memory: held-out loss %.4f" % loss)
    return PART_LEFT * loss


def log_losses(losses, wandb_run_name=None):
    """Into the run, and into that of Weights & Biases if the program has begun one."""
    for name, loss in losses.items():
        pitwall.value(name, loss)
    wandb_run = getattr(sys.modules.get("wandb"), "run", None)
    if wandb_run is not None:
        wandb_run.name = wandb_run_name or wandb_run.name
        wandb_run.log(losses)

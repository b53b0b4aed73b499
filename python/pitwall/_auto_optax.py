"""Hooks of optax: a function that applies updates while it is traced is a training step."""

from . import _auto
from ._auto import AS_LEARNING, PLAIN
from ._auto_jax import UPDATES


def install(optax):
    _auto.hook(optax, "apply_updates", None, PLAIN, role=AS_LEARNING, flags=UPDATES)

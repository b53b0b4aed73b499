"""Hooks of the Trainer of transformers, which define where steps begin and end.

step         one step of the optimiser: from fetching its batches (several with gradient accumulation) to
             the end of its callbacks, before it evaluates, logs or saves
eval_step    one batch of evaluate() or predict()
"""

import sys

from . import _auto
from ._auto import BEGINS_STEP, ENDS_STEP, EVALUATES_LOADER, TRAINS

_TRAINER = (
    ("_inner_training_loop", TRAINS), ("get_batch_samples", BEGINS_STEP),
    ("evaluation_loop", EVALUATES_LOADER), ("prediction_step", BEGINS_STEP),
)
_CALLBACKS = (("on_step_end", ENDS_STEP), ("on_prediction_step", ENDS_STEP))


def install(module):
    for name, role in _TRAINER:
        _auto.attempt("transformers.Trainer." + name, _auto.hook_trainer, module.Trainer, name, role)
    handler = sys.modules["transformers.trainer_callback"].CallbackHandler
    for name, role in _CALLBACKS:
        _auto.attempt("transformers: " + name, _auto.hook_trainer, handler, name, role)

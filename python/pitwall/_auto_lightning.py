"""Hooks of Lightning 2 (lightning.pytorch, pytorch_lightning): its loops define where steps begin and end.

    step         one batch of training, from fetching it to the end of its callbacks
    eval_step    one batch of validation, test or prediction; the sanity check's too

The closure passed to an optimiser contains the forward and the backward pass: they are siblings of
`optimizer`, not inside it.
"""

import sys

from . import _auto
from ._auto import AS_CLOSURE, AS_STEP, BEGINS_STEP, ENDS_STEP, EVALUATES, OPTIMIZER, TRAINS

_PLACES = (
    ("loops.fit_loop", "_FitLoop", "run", TRAINS),
    ("loops.training_epoch_loop", "_TrainingEpochLoop", "advance", AS_STEP),
    ("loops.evaluation_loop", "_EvaluationLoop", "run", EVALUATES),
    ("loops.evaluation_loop", "_EvaluationLoop", "_evaluation_step", ENDS_STEP),
    ("loops.prediction_loop", "_PredictionLoop", "run", EVALUATES),
    ("loops.prediction_loop", "_PredictionLoop", "_predict_step", ENDS_STEP),
    ("loops.fetchers", "_PrefetchDataFetcher", "__next__", BEGINS_STEP),
    ("loops.fetchers", "_DataLoaderIterDataFetcher", "__next__", BEGINS_STEP),
)


def _place(module, name, owner):
    return getattr(sys.modules["%s.%s" % (module.__name__, name)], owner)


def _hook(module, name, owner, function, role):
    _auto.hook_trainer(_place(module, name, owner), function, role)


def _hook_closure(module):
    closure = _place(module, "loops.optimization.automatic", "Closure")
    _auto.hook_trainer(closure, "__call__", AS_CLOSURE, OPTIMIZER)


def install(module):
    for place in _PLACES:
        _auto.attempt(".".join((module.__name__, *place[:3])), _hook, module, *place)
    _auto.attempt(module.__name__ + ".loops.optimization", _hook_closure, module)

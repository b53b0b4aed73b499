"""Hooks of Keras 3: fit, evaluate and predict define where steps begin and end.

    step           one batch of fit(), from asking for it to the end of its callbacks; the first one has the
                   compilation of the model in it
    build          making the model's variables, before the first step
    eval_step      the same of evaluate(), of fit()'s validation, and of predict()
                   train_on_batch() is a step, test_on_batch() and predict_on_batch() an eval_step
    data_loading   waiting for a batch, where no loader of PyTorch has its own
    loss, optimizer   where they run one operation after the other (PyTorch): compiled, they are in `dispatch`
"""

import functools
import sys

from . import _auto, _pitwall
from ._auto import (
    AS_STEP,
    BEGINS_STEP,
    COMPILE,
    ENDS_STEP,
    EVALUATES,
    FORWARD,
    LOADING,
    OPTIMIZER,
    TRAINS,
)


def install(keras):
    _auto.attempt("keras.Model", _hook_model, keras)
    _auto.attempt("keras.callbacks", _hook_callbacks)
    _auto.attempt("keras: data", _hook_data)
    backend = keras.config.backend() if hasattr(keras, "config") else ""
    _auto.fact("keras_backend", backend)
    if backend == "torch":
        _auto.attempt("keras.losses", _auto.hook, keras.losses.Loss, "__call__", "loss", FORWARD, LOADING)
        optimizer = sys.modules["keras.src.optimizers.base_optimizer"].BaseOptimizer
        _auto.attempt("keras.optimizers", _auto.hook, optimizer, "apply", "optimizer", OPTIMIZER)


def _owner(cls, name):
    """The class that has the method: the trainer of the backend."""
    return next(base for base in cls.__mro__ if name in vars(base))


def _hook_model(keras):
    for name, role in (("fit", TRAINS), ("evaluate", EVALUATES), ("predict", EVALUATES)):
        _auto.hook_trainer(_owner(keras.Model, name), name, role)
    for name, role in (("train_on_batch", TRAINS), ("test_on_batch", EVALUATES), ("predict_on_batch", EVALUATES)):
        for each in (AS_STEP, role):  # a loop of one step
            _auto.hook_trainer(_owner(keras.Model, name), name, each)
    build = "_symbolic_build"
    if hasattr(keras.Model, build):
        _auto.hook(_owner(keras.Model, build), build, "build", FORWARD | COMPILE)


def _hook_callbacks():
    callbacks = sys.modules["keras.src.callbacks.callback_list"].CallbackList
    for kind in ("train", "test", "predict"):
        _auto.hook_trainer(callbacks, "on_%s_batch_end" % kind, ENDS_STEP)


def _subclasses(cls):
    yield cls
    for one in cls.__subclasses__():
        yield from _subclasses(one)


def _hook_data():
    for cls in _subclasses(sys.modules["keras.src.trainers.epoch_iterator"].EpochIterator):
        if "__next__" in vars(cls):
            _auto.hook_trainer(cls, "__next__", BEGINS_STEP)
        if "_get_iterator" in vars(cls):
            _auto.put(cls, "_get_iterator", _timed_iterator(vars(cls)["_get_iterator"]))


def _timed_iterator(function):
    @functools.wraps(function)
    def get_iterator(self):
        iterator = function(self)
        if type(iterator).__module__.startswith("torch."):
            return iterator
        return _pitwall._iter(iterator, "data_loading", 0)

    return get_iterator

"""A callback for the Trainer of transformers: Trainer(..., callbacks=[pitwall.transformers.Callback()]).

Records optimiser steps, evaluation and their phases as spans, like `pitwall run`, the items of each step, and the
logged figures (loss, learning rate) as values. file: record into this file. Default: the recorder that the program
has opened, or memory."""

from . import _callbacks, _pitwall


def _on_step_end(self, args, state, control, **more):
    _pitwall.items(args.train_batch_size * args.gradient_accumulation_steps)


def _on_log(self, args, state, control, logs=None, **more):
    _callbacks.values(logs)


_METHODS = {"on_step_end": _on_step_end, "on_log": _on_log}


def __getattr__(name):
    if name != "Callback":
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    made = _callbacks.make(("transformers.trainer_callback",), _METHODS, __name__)
    globals()["Callback"] = made
    return made

"""A callback for Keras 3: model.fit(..., callbacks=[pitwall.keras.Callback()]).

Records steps, evaluation and their phases as spans, like `pitwall run`, and the metrics of each epoch as values.
file: record into this file. Default: the recorder that the program has opened, or memory."""

from . import _auto, _callbacks, _pitwall


def _on_train_begin(self, logs=None):
    """In `model.fit(callbacks=[Callback()])` the method was looked up before the hooks came."""
    self.is_scope = _pitwall._trainer_begin(_auto.TRAINER)


def _on_train_end(self, logs=None):
    if self.is_scope:
        _pitwall._trainer_end(_auto.TRAINER)


def _on_epoch_end(self, epoch, logs=None):
    _callbacks.values(logs)


_METHODS = {
    "on_train_begin": _on_train_begin, "on_train_end": _on_train_end, "on_epoch_end": _on_epoch_end,
}


def __getattr__(name):
    if name != "Callback":
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    made = _callbacks.make(("keras.callbacks",), _METHODS, __name__)
    globals()["Callback"] = made
    return made

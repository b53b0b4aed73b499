"""A callback for Lightning: trainer = Trainer(callbacks=[pitwall.lightning.Callback()]).

Records steps, evaluation and their phases as spans, like `pitwall run`, the items of each batch, and the logged
metrics as values. file: record into this file. Default: the recorder that the program has opened, or memory."""

from . import _callbacks


def _on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
    _callbacks.items(batch)


def _on_train_epoch_end(self, trainer, module):
    _callbacks.values({name: float(value) for name, value in trainer.callback_metrics.items()})


def _on_validation_epoch_end(self, trainer, module):
    if not trainer.sanity_checking:
        _on_train_epoch_end(self, trainer, module)


_METHODS = {
    "on_train_batch_end": _on_train_batch_end,
    "on_train_epoch_end": _on_train_epoch_end,
    "on_validation_epoch_end": _on_validation_epoch_end,
}


def __getattr__(name):
    if name != "Callback":
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    made = _callbacks.make(("lightning.pytorch", "pytorch_lightning"), _METHODS, __name__)
    globals()["Callback"] = made
    return made

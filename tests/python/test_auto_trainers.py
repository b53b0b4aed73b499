"""Trainers of libraries, under `pitwall run`: training and evaluation are separate, and every count equals that
of the script itself. `make test` uses small packages with the same names and interfaces (stub_lightning,
stub_transformers); `make test-all` uses current versions of the real ones."""

import json
import os

import auto_case
import py_frameworks
from auto_case import SMALL

# Available in all scripts.
START = """
import collections, json, logging, os, warnings
warnings.filterwarnings("ignore")
os.environ["HF_HUB_OFFLINE"] = "1"
import torch
torch.manual_seed(1); torch.set_num_threads(1)
seen = collections.Counter()
def tell(**more): print(json.dumps({**seen, **more}))
"""

LIGHTNING = START + """
import lightning as L
from torch.utils.data import DataLoader, IterableDataset, TensorDataset
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net, self.criterion = torch.nn.Linear(8, 2), torch.nn.CrossEntropyLoss()
    def training_step(self, batch, i):
        seen["step"] += 1
        return self.criterion(self.net(batch[0]), batch[1])
    def validation_step(self, batch, i):
        seen["eval_step"] += 1
        self.criterion(self.net(batch[0]), batch[1])
    test_step = validation_step
    def predict_step(self, batch, i):
        seen["eval_step"] += 1; seen["predicted"] += 1
        return self.net(batch[0])
    def optimizer_step(self, *args, **kwargs):
        seen["optimizer"] += 1
        super().optimizer_step(*args, **kwargs)
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), lr=0.1)
class Endless(IterableDataset):
    def __iter__(self):
        return iter([(torch.ones(8), 1)] * 24)
data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
quiet = dict(accelerator="cpu", logger=False, enable_progress_bar=False, enable_model_summary=False,
             enable_checkpointing=False)
"""

LIGHTNING_RUNS = """
loader, checked = DataLoader(data, batch_size=8), DataLoader(data, batch_size=16)
L.Trainer(max_epochs=2, accumulate_grad_batches=2, **quiet).fit(Lit(), loader, checked)
trainer, lit = L.Trainer(max_epochs=1, val_check_interval=3, **quiet), Lit()  # within an epoch
trainer.fit(lit, loader, checked)
trainer.test(lit, checked, verbose=False); trainer.predict(lit, checked)
trainer = L.Trainer(max_epochs=2, **quiet)  # of unknown length: batches are fetched one ahead
trainer.fit(Lit(), DataLoader(Endless(), batch_size=8), DataLoader(Endless(), batch_size=8))
trainer = L.Trainer(max_epochs=1, precision="bf16-mixed", num_sanity_val_steps=0, **quiet)
trainer.fit(Lit(), loader, checked)
tell()
"""

TRANSFORMERS = START + """
import transformers
from transformers import Trainer, TrainingArguments
transformers.logging.set_verbosity_error()
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.criterion = torch.nn.Linear(8, 2), torch.nn.CrossEntropyLoss()
    def forward(self, x, labels):
        seen["forward" if self.training else "eval_step"] += 1
        out = self.net(x)
        return {"loss": self.criterion(out, labels), "logits": out}
class Data(torch.utils.data.Dataset):
    def __len__(self): return 64
    def __getitem__(self, i): return {"x": torch.full((8,), i / 64), "labels": i & 1}
def train(**more):
    options = TrainingArguments(
        output_dir="out", num_train_epochs=2, per_device_train_batch_size=8, use_cpu=True,
        per_device_eval_batch_size=16, report_to=[], disable_tqdm=True,
        **{"save_strategy": "no", "logging_strategy": "no", **more})
    trainer = Trainer(model=Net(), args=options, train_dataset=Data(), eval_dataset=Data())
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()
    return trainer
"""

KERAS = START.replace("import torch\ntorch.manual_seed(1); torch.set_num_threads(1)", "") + """
import numpy, keras
if keras.config.backend() == "jax":
    import jax.monitoring
    jax.monitoring.register_event_duration_secs_listener(lambda event, *_, **__: seen.update(
        compiles=trains and event.endswith("/backend_compile_duration")))
trains = False
keras.utils.set_random_seed(1)
x, y = numpy.random.rand(64, 8).astype("float32"), numpy.random.randint(0, 2, 64)
model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(2)])
model.compile(optimizer="sgd", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
class Count(keras.callbacks.Callback):
    def on_train_batch_begin(self, *_, **__): global trains; trains = True
    def on_train_batch_end(self, *_, **__): global trains; trains = False; seen["step"] += 1
    def on_test_batch_end(self, *_, **__): seen["eval_step"] += 1
    def on_predict_batch_end(self, *_, **__): seen["eval_step"] += 1; seen["predicted"] += 1
count = dict(verbose=0, callbacks=[Count()])
model.fit(x, y, batch_size=8, epochs=2, validation_data=(x, y), validation_batch_size=16, **count)
model.evaluate(x, y, **count); model.predict(x, **count)
trains = True
for _ in range(3):
    model.train_on_batch(x[:8], y[:8]); seen["step"] += 1; seen["fetched"] -= 1
trains = False
model.test_on_batch(x[:8], y[:8]); seen["eval_step"] += 1; seen["checked"] -= 1
tell()
"""


@py_frameworks.only_with_all
class Real(auto_case.Case, py_frameworks.AllCase):
    def tree(self, program, **env):
        """(counts of paths, the script's own counts); nothing is lost, nothing is left open."""
        found = self.hooked(program, same_errors=False, timeout=300, JAX_PLATFORMS="cpu", **env)
        self.assertEqual([key for key, n in self.run_read["losses"].items() if n], [])
        self.assertEqual([t["open"] for t in self.run_read["threads"] if t["open"]], [])
        self.assertEqual(self.journal("auto_failed"), [])
        seen = json.loads(self.stdout.splitlines()[-1])
        self.assertFalse([path for path in found if path.count("step") > 1], found)
        self.assertEqual({key: seen.get(key, 0) for key in ("step", "eval_step")},
                         {key: found.get(key, 0) for key in ("step", "eval_step")})
        return found, seen

    def phases(self, found, step, **counts):
        self.assertEqual({key: found.get("%s/%s" % (step, key), 0) for key in counts}, counts)

    def test_lightning(self):
        found, seen = self.tree(LIGHTNING + LIGHTNING_RUNS)
        n, m = seen["step"], seen["eval_step"]
        self.phases(found, "step", forward=n, loss=n, backward=n, optimizer=seen["optimizer"])
        self.phases(found, "eval_step", forward=m, loss=m - seen["predicted"], backward=0, optimizer=0)
        self.assertFalse([path for path in found if "optimizer/" in path], found)
        # Batches fetched ahead before the first step are outside.
        self.assertEqual(sum(found.get(path, 0) for path in (
            "step/data_loading", "eval_step/data_loading", "data_loading")), n + m)
        self.assertLessEqual(found.get("data_loading", 0), 2 * 2 + 1)
        self.assertRegex(self.run_read["facts"]["framework"], r"^torch 2.*, lightning 2")

    def test_transformers(self):
        found, seen = self.tree(TRANSFORMERS + """
trainer = train(gradient_accumulation_steps=2, eval_strategy="epoch")
steps = trainer.state.global_step
trainer.evaluate(); trainer.predict(Data())
steps += train(eval_strategy="steps", eval_steps=3, save_strategy="steps", save_steps=4,
               bf16=True).state.global_step
tell(step=steps)
""")
        n, m = seen["step"], seen["eval_step"]
        self.phases(found, "step", forward=seen["forward"], backward=seen["forward"], optimizer=n)
        self.phases(found, "eval_step", forward=m, backward=0, optimizer=0, data_loading=m)
        self.assertRegex(self.run_read["facts"]["framework"], r"^torch 2.*, transformers \d")
        self.assertGreater(found["checkpoint"], 0)

    def test_a_loop_like_that_of_nanogpt(self):
        """Accumulation, autocast with a scaler, torch.compile, evaluation and checkpoints in between."""
        found, seen = self.tree(NANOGPT)
        micro = seen["micro"]
        self.phases(found, "step", forward=micro, backward=micro, optimizer=seen["step"], checkpoint=0)
        self.phases(found, "eval_step", forward=seen["eval_step"], backward=0)
        self.assertEqual(found["checkpoint"], seen["checkpoint"])
        facts = self.run_read["facts"]
        self.assertEqual((facts["accumulation"], facts["dtype"], facts["compiled"]),
                         ("4", "bfloat16", "1"))

    def test_accelerate(self):
        """It fetches one batch ahead; its optimiser steps in every second one."""
        found, seen = self.tree(ACCELERATE)
        n, m = seen["step"], seen["eval_step"]
        self.phases(found, "step", forward=n, loss=n, backward=n, optimizer=n // 2, data_loading=n)
        self.phases(found, "eval_step", forward=m, loss=m, data_loading=m)

    def test_flax_with_optax(self):
        found, seen = self.tree(FLAX)
        self.phases(found, "step", dispatch=seen["step"])
        self.phases(found, "eval_step", dispatch=seen["eval_step"])
        self.assertEqual((found["step/dispatch/compile"], found["eval_step/dispatch/compile"]), (2, 1))
        self.assertEqual(sum(n for path, n in found.items() if path.endswith("blocking")), 16 + 6)

    def test_keras(self):
        found, seen = self.tree(KERAS, KERAS_BACKEND="jax")
        n, m = seen["step"], seen["eval_step"]
        self.phases(found, "step", dispatch=n, data_loading=n + seen["fetched"])
        self.phases(found, "eval_step", dispatch=m, data_loading=m + seen["checked"])
        self.assertEqual(found["step/dispatch/compile"], seen["compiles"])  # train_on_batch() compiles too
        found, seen = self.tree(KERAS, KERAS_BACKEND="torch")
        n, m = seen["step"], seen["eval_step"]
        self.phases(found, "step", forward=n, loss=n, backward=n, optimizer=n,
                    data_loading=n + seen["fetched"])
        self.phases(found, "eval_step", forward=m, loss=m - seen["predicted"],
                    data_loading=m + seen["checked"])


ACCELERATE = START + """
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model, criterion = torch.nn.Linear(8, 2), torch.nn.CrossEntropyLoss()
data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
model, optimizer, loader, checked = accelerator.prepare(
    model, torch.optim.AdamW(model.parameters()), DataLoader(data, batch_size=8),
    DataLoader(data, batch_size=16))
for epoch in range(2):
    model.train()
    for x, y in loader:
        with accelerator.accumulate(model):
            accelerator.backward(criterion(model(x), y))
            optimizer.step(); optimizer.zero_grad()
        seen["step"] += 1
    model.eval()
    for x, y in checked:
        with torch.no_grad(): criterion(model(x), y)
        seen["eval_step"] += 1
tell()
"""

FLAX = START.replace("import torch\ntorch.manual_seed(1); torch.set_num_threads(1)", "") + """
import jax, numpy, optax
from flax import linen, nnx
from flax.training import train_state
rng = numpy.random.default_rng(0)
def batch(): return rng.random((8, 8), dtype=numpy.float32), rng.integers(0, 2, 8)
def loss_of(out, y): return optax.softmax_cross_entropy_with_integer_labels(out, y).mean()
class Net(nnx.Module):
    def __init__(self, rngs): self.a = nnx.Linear(8, 2, rngs=rngs)
    def __call__(self, x): return self.a(x)
model = Net(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda m: loss_of(m(x), y))(model)
    optimizer.update(model, grads)
    return loss
@nnx.jit
def eval_step(model, x, y): return loss_of(model(x), y)
net = linen.Dense(2)
state = train_state.TrainState.create(
    apply_fn=net.apply, params=net.init(jax.random.PRNGKey(0), batch()[0]), tx=optax.sgd(0.1))
@jax.jit
def update(state, x, y):
    grads = jax.grad(lambda p: loss_of(state.apply_fn(p, x), y))(state.params)
    return state.apply_gradients(grads=grads)
for epoch in range(2):
    for _ in range(8):
        train_step(model, optimizer, *batch()).block_until_ready(); seen["step"] += 1
    for _ in range(3):
        eval_step(model, *batch()).block_until_ready(); seen["eval_step"] += 1
    for _ in range(5):
        state = update(state, *batch()); seen["step"] += 1
tell()
"""

NANOGPT = START + """
from torch.nn import functional
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.head = torch.nn.Embedding(32, 16), torch.nn.Linear(16, 32)
    def forward(self, x, y=None):
        out = self.head(self.wte(x))
        return out, None if y is None else functional.cross_entropy(out.view(-1, 32), y.view(-1))
model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", enabled=True)
model = torch.compile(model, backend="aot_eager")
tokens = torch.randint(0, 32, (512,))
def get_batch():
    at = torch.randint(500, (4,))
    return (torch.stack([tokens[i + k : i + k + 8] for i in at]) for k in (0, 1))
@torch.no_grad()
def estimate_loss():
    model.eval()
    for _ in range(3):
        with torch.autocast("cpu", dtype=torch.bfloat16): model(*get_batch())
        seen["eval_step"] += 1
    model.train()
x, y = get_batch()
for i in range(8):
    if i % 4 == 0:
        estimate_loss()
        torch.save(model.state_dict(), "ckpt.pt"); seen["checkpoint"] += 1
    for _ in range(4):
        with torch.autocast("cpu", dtype=torch.bfloat16): _, loss = model(x, y)
        x, y = get_batch()
        scaler.scale(loss / 4).backward(); seen["micro"] += 1
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer); scaler.update(); optimizer.zero_grad(set_to_none=True)
    seen["step"] += 1
tell()
"""

CALLBACKS = {
    "lightning": LIGHTNING + """
import pitwall
callback = pitwall.lightning.Callback(file="run.pit")
class Logs(Lit):
    def training_step(self, batch, i):
        loss = super().training_step(batch, i)
        self.log("train_loss", loss)
        return loss
L.Trainer(max_epochs=2, callbacks=[callback], **quiet).fit(Logs(), DataLoader(data, batch_size=8))
tell(items=64 * 2, value="train_loss")
""",
    "transformers": TRANSFORMERS.replace("eval_dataset=Data())", "eval_dataset=Data(),\n"
                                         "        callbacks=[pitwall.transformers.Callback('run.pit')])") + """
import pitwall
trainer = train(logging_steps=1, logging_strategy="steps")
tell(step=trainer.state.global_step, items=64 * 2, value="loss")
""",
    "keras": KERAS.replace("callbacks=[Count()]", "callbacks=[Count(), pitwall.keras.Callback('run.pit')]")
    .replace("import numpy, keras", "import numpy, keras, pitwall")
    .replace("tell()", "tell(items=0, value='loss')"),
}


@py_frameworks.only_with_all
class Callbacks(py_frameworks.AllCase):
    """Without `pitwall run`: the same trees, and what only the trainer knows."""

    def test_each(self):
        for name, program in CALLBACKS.items():
            with self.subTest(name):
                folder = self.folder()
                self.python(program, start="", cwd=folder, timeout=600, KERAS_BACKEND="torch",
                            JAX_PLATFORMS="cpu")
                seen = json.loads(self.stdout.splitlines()[-1])
                run = self.python("tell(pitwall.read(%r))" % os.path.join(folder, "run.pit"))
                rows = {node["path"]: node for node in run["nodes"]}
                for step in ("step", "eval_step"):
                    self.assertEqual(rows.get(step, {"count": 0})["count"], seen.get(step, 0), step)
                self.assertEqual(rows["step/optimizer"]["count"], seen.get("optimizer", seen["step"]))
                self.assertEqual(rows["step"]["items"] or 0, seen["items"])
                self.assertIn(seen["value"], [v["name"] for t in run["threads"] for v in t["values"]])


# The loops of Lightning and transformers, with nothing around them.
STUB_LIGHTNING = {
    "lightning/__init__.py": "__version__ = '2.0.stub'\n",
    "lightning/pytorch/__init__.py": """
from .loops import evaluation_loop, fetchers, fit_loop, prediction_loop, training_epoch_loop
from .loops.optimization import automatic
""",
    "lightning/pytorch/loops/__init__.py": "",
    "lightning/pytorch/loops/optimization/__init__.py": "",
    "lightning/pytorch/loops/optimization/automatic.py": """
class Closure:
    def __init__(self, work): self.work = work
    def __call__(self): return self.work()
""",
    "lightning/pytorch/loops/fetchers.py": """
class _PrefetchDataFetcher:
    def __init__(self, loader): self.loader = iter(loader); self.left = len(loader)
    def __next__(self):
        if not self.left: raise StopIteration
        self.left -= 1
        return next(self.loader)
class _DataLoaderIterDataFetcher(_PrefetchDataFetcher):
    def __next__(self): return super().__next__()
""",
    "lightning/pytorch/loops/evaluation_loop.py": """
class _EvaluationLoop:
    def __init__(self, fetcher, step): self.fetcher, self.step = fetcher, step
    def run(self):
        while True:
            try: self._evaluation_step(next(self.fetcher))
            except StopIteration: break
    def _evaluation_step(self, batch): self.step(batch)
""",
    "lightning/pytorch/loops/prediction_loop.py": """
class _PredictionLoop:
    def run(self): pass
    def _predict_step(self): pass
""",
    "lightning/pytorch/loops/training_epoch_loop.py": """
class _TrainingEpochLoop:
    def __init__(self, fetcher, step): self.fetcher, self.step = fetcher, step
    def advance(self): self.step(next(self.fetcher))
""",
    "lightning/pytorch/loops/fit_loop.py": """
class _FitLoop:
    def __init__(self, loop, validate): self.loop, self.validate = loop, validate
    def run(self):
        while True:
            try: self.loop.advance()
            except StopIteration: break
            self.validate()
""",
}

STUB_TRANSFORMERS = {
    "transformers/__init__.py": "__version__ = '5.0.stub'\n",
    "transformers/trainer_callback.py": """
class CallbackHandler:
    def on_step_end(self): pass
    def on_prediction_step(self): pass
""",
    "transformers/trainer.py": """
from .trainer_callback import CallbackHandler
def one_ahead(loader):
    batches = iter(loader)
    batch = next(batches)
    while True:
        try: following = next(batches)
        except StopIteration:
            yield batch
            return
        yield batch
        batch = following
class Trainer:
    def __init__(self, step, look, loader): self.step, self.look, self.loader = step, look, loader
    def get_batch_samples(self, batches): return [next(batches), next(batches)]
    def _inner_training_loop(self):
        self.handler, batches = CallbackHandler(), one_ahead(self.loader)
        for _ in range(len(self.loader) // 2):
            for batch in self.get_batch_samples(batches): self.step(batch)
            optimiser.step()
            self.handler.on_step_end()
            self.evaluation_loop()
    def evaluation_loop(self):
        for batch in one_ahead(self.loader):
            self.prediction_step(batch)
            self.handler.on_prediction_step()
    def prediction_step(self, batch): self.look(batch)
""",
}


class Stubs(auto_case.Case):
    def check(self, program, files, expected):
        found = self.hooked(SMALL + program, files=files)
        self.assertEqual(found, expected)
        self.assertEqual([key for key, n in self.run_read["losses"].items() if n], [])
        self.assertEqual([t["open"] for t in self.run_read["threads"] if t["open"]], [])
        self.assertEqual(self.journal("auto_failed"), [])

    def test_loops_of_lightning(self):
        self.check("""
import lightning.pytorch
from lightning.pytorch.loops.optimization.automatic import Closure
from lightning.pytorch.loops.fetchers import _PrefetchDataFetcher
from lightning.pytorch.loops.evaluation_loop import _EvaluationLoop
from lightning.pytorch.loops.training_epoch_loop import _TrainingEpochLoop
from lightning.pytorch.loops.fit_loop import _FitLoop
def closure_of(x):
    def work():
        optimiser.zero_grad(); loss = model(x).sum(); loss.backward(); return loss
    return Closure(work)
def look(x):
    with torch.no_grad(): model(x)
def validate(): _EvaluationLoop(_PrefetchDataFetcher(loader), look).run()
learn(data[0])
kept = _PrefetchDataFetcher(loader)
_EvaluationLoop(kept, look).run()
_FitLoop(_TrainingEpochLoop(_PrefetchDataFetcher(loader), lambda x: optimiser.step(closure_of(x))),
         validate).run()
learn(data[0])
lbfgs = torch.optim.LBFGS(model.parameters(), max_iter=2)
lbfgs.step(closure_of(data[0]))           # its later calls of the closure stay inside
def fail(x): learn(x); raise ValueError
try: _FitLoop(_TrainingEpochLoop(_PrefetchDataFetcher(loader), fail), None).run()
except ValueError: pass
def break_off(): raise ValueError
def fail_inside(x): optimiser.step(Closure(break_off))  # the optimiser does nothing
try: _FitLoop(_TrainingEpochLoop(_PrefetchDataFetcher(loader), fail_inside), None).run()
except ValueError: pass
""", STUB_LIGHTNING, {
            "step": 1 + 3 + 1 + 1 + 1 + 1, "step/data_loading": 3 + 1 + 1, "step/forward": 7,
            "step/backward": 7, "step/optimizer": 7, "step/optimizer/forward": 1,
            "step/optimizer/backward": 1, "loader_start": 7, "eval_step": 12,
            "eval_step/data_loading": 12, "eval_step/forward": 12})

    def test_loops_of_transformers(self):
        self.check("""
import builtins; builtins.optimiser = optimiser
loader = DataLoader(data, batch_size=3)
from transformers.trainer import Trainer
def look(x):
    with torch.no_grad(): model(x)
trainer = Trainer(lambda x: model(x).sum().backward(), look, loader)
trainer._inner_training_loop()
trainer.evaluation_loop()
""", STUB_TRANSFORMERS, {
            "step": 2, "step/data_loading": 4, "step/forward": 4, "step/backward": 4,
            "step/optimizer": 2, "step/loader_start": 1, "loader_start": 3, "eval_step": 12,
            "eval_step/data_loading": 12, "eval_step/forward": 12})


if __name__ == "__main__":
    auto_case.main(plain_build_only=True)

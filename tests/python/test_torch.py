"""The compatibility modules with real PyTorch: loaders with workers, memory of tensors, the mode of a model."""

import py_case


class Torch(py_case.Case):
    def test_a_loader_with_workers_is_really_timed(self):
        found = self.python("""
            import torch
            from torch.utils.data import DataLoader, TensorDataset
            from pitwall.profiling import profile_data_loader, get_profiler
            data = TensorDataset(torch.arange(32.0))
            loader = profile_data_loader(DataLoader(data, batch_size=8, num_workers=2))
            seen = [float(batch[0].sum()) for epoch in range(2) for batch in loader]
            tell([sum(seen), len(loader), loader.dataset is data, loader.num_workers,
                  get_profiler().get_summary()["data_batch_production"]])
        """, timeout=120)
        self.assertEqual(found[:4], [992, 4, True, 2])
        self.assertEqual(found[4]["count"], 8)
        self.assertGreater(found[4]["total_time"], 0)

    def test_a_tensors_memory_is_seen(self):
        found = self.python("""
            import torch
            from pitwall.timing import track_time_and_memory
            timers = {}
            kept = track_time_and_memory(timers, "t", lambda: torch.ones(50 << 20))
            tell(timers["t"])
        """, timeout=120)
        self.assertAlmostEqual(found["peak_memory_mb"], 200, delta=8)

    def test_every_part_of_a_model_is_left_in_its_mode(self):
        found = self.python("""
            import torch
            from pitwall.timing import benchmark_inference
            modes, grads = [], []
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.a, self.b = torch.nn.Dropout(), torch.nn.Linear(2, 2)
                def forward(self, x):
                    modes.append(self.a.training); grads.append(torch.is_grad_enabled())
                    return self.b(self.a(x))
            net = Net(); net.b.eval()
            result = benchmark_inference(net, torch.ones(4, 2), num_iterations=5, warmup=1)
            rate = result["throughput_samples_per_sec"] * result["mean_ms"] / 1e3
            tell([net.training, net.a.training, net.b.training, any(modes), any(grads), rate])
        """, timeout=120)
        self.assertEqual(found[:5], [True, True, False, False, False])
        self.assertAlmostEqual(found[5], 4, places=5)

    def test_a_training_that_profiles_where_it_is_asked_to(self):
        found = self.python("""
            import torch
            from torch.utils.data import DataLoader, TensorDataset
            from pitwall.profiling import get_profiler, log_profiling_metrics, profile_data_loader
            def train_decoding_torch(model, train_loader, train_tensors, val_tensors, optimizer, loss_fn,
                                     num_epochs, wandb_run_name, enable_profiling=False):
                profiler = get_profiler()
                loader = profile_data_loader(train_loader) if enable_profiling else train_loader
                for epoch in range(num_epochs):
                    for inputs, targets in loader:
                        if enable_profiling: start = profiler.start_timer("training_step")
                        optimizer.zero_grad()
                        loss_fn(model(inputs), targets).backward()
                        optimizer.step()
                        if enable_profiling: profiler.end_timer("training_step", start)
                    if enable_profiling: log_profiling_metrics(epoch + 1)
                with torch.no_grad(): return float(loss_fn(model(val_tensors[0]), val_tensors[1]))
            torch.manual_seed(0)
            x = torch.randn(64, 4); y = x @ torch.ones(4, 1)
            train_tensors = val_tensors = (x, y)
            train_loader = DataLoader(TensorDataset(x, y), batch_size=16)
            loss_fn, losses = torch.nn.MSELoss(), []
            for enable_profiling in (False, True):
                model = torch.nn.Linear(4, 1)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                losses.append(train_decoding_torch(
                    model,
                    train_loader,
                    train_tensors,
                    val_tensors,
                    optimizer,
                    loss_fn,
                    num_epochs=10,
                    wandb_run_name="my_experiment",
                    enable_profiling=enable_profiling  # Enable profiling
                ))
                print("--")
            tell([losses, {k: v["count"] for k, v in get_profiler().get_summary().items()}])
        """, timeout=120)
        for loss in found[0]:
            self.assertLess(loss, 0.1)
        self.assertEqual(found[1], {"data_batch_production": 40, "training_step": 40})
        lines = self.stdout.splitlines()
        self.assertEqual(lines[0], "--")
        self.assertEqual(lines[1::3][:10], ["--- Profiling Metrics (Step %d) ---" % n
                                            for n in range(1, 11)])
        self.assertRegex(lines[29], r"^data_batch_production: avg=\d+\.\d{4,}s, total=\d+\.\d\d+s, count=40$")
        self.assertRegex(lines[30], r"^training_step: avg=\d+\.\d{4,}s, total=\d+\.\d\d+s, count=40$")

    def test_what_the_guide_advises_under_its_own_monitor(self):
        """Workers and prefetching, a batch before the clock starts, mixed precision, checkpoints,
        gradients of several small batches."""
        found = self.python("""
            import torch, warnings
            from torch.utils.data import DataLoader, TensorDataset
            from pitwall.memory_monitor import PerformanceMonitor
            warnings.simplefilter("ignore")  # what it says of a machine without CUDA
            device = "cpu"
            model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            dataset = torch.randn(96, 4)
            monitor, batches = PerformanceMonitor(), []

            with monitor.track("workers"):
                dataloader = DataLoader(dataset, batch_size=32, num_workers=4)
                batches.append(len(list(dataloader)))
            with monitor.track("pinned"):
                dataloader = DataLoader(dataset, batch_size=32, pin_memory=True)
                batches.append(len(list(dataloader)))
            with monitor.track("prefetched"):
                dataloader = DataLoader(dataset, batch_size=32, num_workers=1, prefetch_factor=2)
                batches.append(len(list(dataloader)))

            dataloader = DataLoader(dataset, batch_size=32)
            with torch.no_grad():
                dummy_batch = next(iter(dataloader))
                model(dummy_batch.to(device))
            for batch in dataloader:
                with monitor.track("batch", aggregate=True):
                    output = model(batch)

            from torch.cuda.amp import autocast
            from torch.utils.checkpoint import checkpoint
            input = dataset.clone().requires_grad_()
            with monitor.track("mixed precision"):
                with autocast():
                    output = model(input)
            with monitor.track("checkpoint"):
                output = checkpoint(model, input)
                output.mean().backward()
            has_gradient = input.grad is not None

            with monitor.track("accumulation"):
                mini_batches = list(dataloader)
                optimizer.zero_grad()
                for i, batch in enumerate(mini_batches):
                    loss = model(batch).mean() / len(mini_batches)
                    loss.backward()
                optimizer.step()
            torch.cuda.empty_cache()
            with monitor.track("scaled"):
                scaler = torch.cuda.amp.GradScaler()
                with autocast():
                    loss = model(dataset).mean()
                scaler.scale(loss).backward()
            monitor.print_summary()
            tell([batches, has_gradient, list(output.shape),
                  [(m.operation, m.call_count) for m in monitor.get_metrics()], counts(), losses()])
        """, timeout=180)
        operations = ["workers", "pinned", "prefetched", "batch", "mixed precision", "checkpoint",
                      "accumulation", "scaled"]
        calls = {name: 3 if name == "batch" else 1 for name in operations}
        self.assertEqual(found[:3], [[3, 3, 3], True, [96, 1]])
        self.assertEqual(found[3], [[name, count] for name, count in calls.items()])
        self.assertEqual(found[4:], [calls, {}])
        for name in operations:
            self.assertRegex(self.stdout, r"(?m)^%s +\d+\.\d{3,} " % name)


if __name__ == "__main__":
    py_case.main(plain_build_only=True)

"""The faces with real PyTorch: loaders with workers, tensors' memory, the mode a model is left in."""

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
        self.assertGreater(found[4]["total_time"], 0.001)

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


if __name__ == "__main__":
    py_case.main(plain_build_only=True)

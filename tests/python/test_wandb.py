"""Real Weights & Biases, offline: the documented keys; the user's step counter is unchanged."""

import os

import py_case
import py_frameworks


class Wandb(py_frameworks.Case):
    def test_keys_and_step(self):
        found = self.python("""
            import wandb
            from pitwall.profiling import TrainingProfiler
            run = wandb.init(project="my_project", name="profiled_training", mode="offline")
            profiler = TrainingProfiler(log_every=2)
            steps = []
            for i in range(4):
                profiler.end_timer("make_step_total", profiler.start_timer("make_step_total"))
                steps.append(run.step)
                wandb.log({"loss": 1.0 / (i + 1)})
            after = run.step
            summary = {k: v for k, v in dict(run.summary).items() if k.startswith("profiling/")}
            run.finish()
            profiler.log_metrics()
            tell([steps, after, summary])
        """, timeout=120, **py_frameworks.WANDB)
        steps, after, summary = found
        self.assertEqual([steps, after], [[0, 1, 2, 3], 4])
        self.assertEqual(sorted(summary), ["profiling/make_step_total_" + key
                                           for key in ("avg_time", "count", "total_time")])
        self.assertEqual(summary["profiling/make_step_total_count"], 4)

    def test_the_last_block_needs_no_log_after_it(self):
        found = self.python("""
            import glob, wandb
            from wandb.proto import wandb_internal_pb2
            from wandb.sdk.internal.datastore import DataStore
            from pitwall.profiling import TrainingProfiler
            run = wandb.init(project="my_project", mode="offline")
            profiler = TrainingProfiler()
            wandb.log({"loss": 1.0})
            profiler.end_timer("a", profiler.start_timer("a"))
            profiler.log_metrics()
            step, summary = run.step, dict(run.summary)
            run.finish()
            wandb.teardown()  # waits for the process that writes the file
            store = DataStore()
            store.open_for_scan(glob.glob("wandb/latest-run/*.wandb")[0])
            rows = []
            for data in iter(store.scan_data, None):
                record = wandb_internal_pb2.Record()
                record.ParseFromString(data)
                if record.WhichOneof("record_type") == "history":
                    rows.append(sorted(item.key or item.nested_key[0]
                                       for item in record.history.item))
            tell([step, summary["profiling/a_count"], rows])
        """, timeout=120, **py_frameworks.WANDB)
        step, count, rows = found
        self.assertEqual([step, count, len(rows)], [1, 1, 2])
        self.assertNotIn("profiling/a_count", rows[0])
        self.assertIn("profiling/a_count", rows[1])

    ROWS = """
        import glob, wandb
        from wandb.proto import wandb_internal_pb2
        from wandb.sdk.internal.datastore import DataStore
        from pitwall.profiling import TrainingProfiler
        run = wandb.init(project="my_project", mode="offline")
        profiler = TrainingProfiler(log_every=10)
        for i in range(50):
            profiler.end_timer("make_step_total", profiler.start_timer("make_step_total"))
            %s
        run.finish()
        wandb.teardown()  # waits for the process that writes the file
        store = DataStore()
        store.open_for_scan(glob.glob("wandb/latest-run/*.wandb")[0])
        rows, metrics = [], []
        for data in iter(store.scan_data, None):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(data)
            if record.WhichOneof("record_type") == "history":
                rows.append({item.key or item.nested_key[0]: json.loads(item.value_json)
                             for item in record.history.item})
            elif record.WhichOneof("record_type") == "metric":
                metrics.append([record.metric.glob_name, record.metric.step_metric])
        tell([rows, metrics])
    """

    def rows(self, user):
        return self.python(self.ROWS % user, timeout=120, **py_frameworks.WANDB)

    def test_a_row_for_each_block(self):
        users = ["pass", "i % 25 or wandb.log({'loss': i}, step=i)", "wandb.log({'loss': i})",
                 "wandb.log({'loss': i}, step=i)"]
        for user in users if os.environ.get("PITWALL_TEST_ALL") == "1" else users[:2]:
            rows, metrics = self.rows(user)
            ours = [(row["profiling/step"], row["profiling/make_step_total_count"]) for row in rows
                    if "profiling/step" in row]
            self.assertEqual(ours, [(n, n) for n in (10, 20, 30, 40, 50)], user)
            self.assertIn(["profiling/*", "profiling/step"], metrics)
            losses = [row["loss"] for row in rows if "loss" in row]
            self.assertEqual(losses, {"p": [], "i": [0, 25]}.get(user[0], list(range(50))), user)

    def test_without_a_run_nothing_is_logged(self):
        found = self.python("""
            import wandb
            from pitwall.profiling import TrainingProfiler
            profiler = TrainingProfiler()
            profiler.end_timer("a", profiler.start_timer("a"))
            profiler.log_metrics(3)
            tell(wandb.run)
        """, timeout=120)
        self.assertIsNone(found)
        self.assertIn("--- Profiling Metrics (Step 3) ---", self.stdout)


if __name__ == "__main__":
    py_case.main(plain_build_only=True)

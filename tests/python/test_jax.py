"""Real JAX: what tracing took and what running took are told apart, and jit takes what we wrap."""

import py_case
import py_frameworks


class Jax(py_frameworks.Case):
    def test_trace_time_and_run_time_are_told_apart(self):
        found = self.python("""
            import jax, jax.numpy as jnp
            from pitwall.profiling import profile_jax_loss_fn, profile_make_step, get_profiler
            loss = jax.jit(jax.value_and_grad(lambda w, x: jnp.mean(jnp.tanh(x @ w) ** 2)))
            profiled = profile_jax_loss_fn(loss, "loss_fn_computation")
            step = profile_make_step(lambda w, x: (w - 0.1 * profiled(w, x)[1], "state"))
            w, x = jnp.ones((64, 8)), jnp.ones((32, 64))
            with pitwall.open("run.pit"):
                for _ in range(10): w, state = step(w, x)
                found = [get_profiler().get_summary(), state, list(w.shape), counts(), losses()]
                get_profiler().log_metrics()
            nodes = {node["name"]: node["total"] for node in pitwall.read("run.pit")["nodes"]}
            rows = json.loads(pitwall.report("run.pit", view="profiling", form="json"))["rows"]
            tell([*found, nodes, rows])
        """, timeout=120, JAX_PLATFORMS="cpu")
        summary, state, shape, spans, lost, nodes, rows = found
        self.assertEqual([state, shape, lost], ["state", [64, 8], {}])
        self.assertEqual(summary["loss_fn_computation"]["count"], 10)
        self.assertEqual(summary["make_step_total"]["count"], 10)
        self.assertEqual(summary["loss_fn_computation_trace"]["count"], 1)
        self.assertGreater(summary["loss_fn_computation_trace"]["total_time"],
                           summary["loss_fn_computation"]["avg_time"])
        self.assertEqual(spans["make_step_total/loss_fn_computation"], 10)
        # The view of the run is the block that was printed.
        rows = {row["operation"]: row for row in rows}
        self.assertEqual({name: row["count"] for name, row in rows.items()},
                         {name: figures["count"] for name, figures in summary.items()})
        for name, total in nodes.items():
            trace = rows[name + "_trace"]["total_time"]
            self.assertEqual(trace, summary[name + "_trace"]["total_time"])
            self.assertAlmostEqual(rows[name]["total_time"] + trace, total)

    def test_jit_takes_a_profiled_function(self):
        found = self.python("""
            import jax, jax.numpy as jnp
            from pitwall.profiling import profile_operation, get_profiler
            @jax.jit
            @profile_operation("inner")
            def f(x, k=2): return x * k
            results = [float(f(jnp.float32(3))) for _ in range(4)]
            tell([results, {k: v["count"] for k, v in get_profiler().get_summary().items()}])
        """, timeout=120, JAX_PLATFORMS="cpu")
        self.assertEqual(found, [[6, 6, 6, 6], {"inner_trace": 1}])


if __name__ == "__main__":
    py_case.main(plain_build_only=True)

"""The planted suite: which program has which cause, and what a report has to say first.

A cause counts as right if its rule comes first, with the place in the program's source if the case
requires one. Next to burners "starved" may come before it. A healthy program counts as right if nothing
more severe than "know" is reported, next to burners nothing except "starved". bench/planted.py runs
them.
"""

import dataclasses
import os
import re
from typing import Any, Dict, List, Mapping, Sequence, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
QUIET_RULES = ("nothing", "compute")  # reported for a healthy program
RULES = (
    "starved", "throttled", "swapping", "oversubscribed", "leak", "first_step", "input_waiting",
    "input_processor", "input_storage", "input_few_slow", "input_few_workers", "input_restarts",
    "validation", "checkpoint", "logging", "unmarked", "overhead", "optimizer", "odd_ratio",
    "concentrated", "waiting", "recompile", "float64", "drift", "slowdown", "periodic_stall", "high_variance", "runs_vary", "cache",
    "mutex", "python_lock", "copying", "kernel", "imbalance", "debugging",
    *QUIET_RULES,
)


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    kind: str  # c, python, jax
    program: str
    expert: str  # the cause in the words of an expert
    expect: Tuple[str, ...] = ()  # rules, one of which must come first; none: healthy
    never: Tuple[str, ...] = ()  # rules that are wrong as the first one, whatever comes second
    # For Python: parts of source lines, one of which must be named; for C: functions.
    place: Tuple[str, ...] = ()
    arguments: Tuple[str, ...] = ()
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    limits: Mapping[str, float] = dataclasses.field(default_factory=dict)  # planted_limits
    burners: int = 0  # other programs that use a processor each, on a quiet machine too

    @property
    def healthy(self) -> bool:
        return not self.expect

    @property
    def planted(self) -> str:
        return "/".join(self.expect) or "healthy"


def lines_of(case: Case) -> List[int]:
    """The numbers of the source lines that have a piece of the place in them."""
    with open(os.path.join(HERE, case.program), encoding="utf-8") as file:
        return [number for number, line in enumerate(file, 1)
                if any(piece in line for piece in case.place)]


def names_place(case: Case, finding: Mapping[str, Any]) -> bool:
    """Does the sentence name the place that the case requires?"""
    text = " ".join(str(finding.get(key) or "") for key in ("headline", "evidence", "remedy"))
    if not case.place:
        return True
    if case.kind == "c":
        return any(re.search(r"\b%s\b" % name, text) for name in case.place)
    return any(re.search(r"%s:%d\b" % (re.escape(case.program), line), text)
               for line in lines_of(case))


def judge(case: Case, load: str, advice: Mapping[str, Any]) -> str:
    """right, half or wrong, of the document's "advice" under a load: quiet or loaded."""
    findings: Sequence[Dict[str, Any]] = advice["findings"]
    if load == "loaded" and "starved" not in case.expect:
        if findings and findings[0]["rule"] == "starved":
            findings = findings[1:]
            if case.healthy and not any(finding["severity"] > 0 for finding in findings):
                return "right"  # next to a cause, the report does not say that nothing stands out
    rules = [finding["rule"] for finding in findings]
    if case.healthy:
        if any(finding["severity"] > 0 for finding in findings):
            return "wrong"
        return "right" if rules and rules[0] in QUIET_RULES else "half"
    if rules and rules[0] in case.expect:
        return "right" if names_place(case, findings[0]) else "half"
    if rules and rules[0] in case.never:
        return "wrong"
    return "half" if set(rules) & set(case.expect) else "wrong"


SYMPTOMS = ("high_variance", "periodic_stall", "slowdown", "drift")  # caused by a machine in trouble
PARTS = ("compute", "concentrated", "unmarked")  # true for many runs, and not a cause

SMALL_RING = {"PITWALL_RING": "262144"}  # for recorded runs that are small, where totals decide

CASES: Tuple[Case, ...] = (
    # ---- the machine -------------------------------------------------------------------------
    Case("starved_mlp", "python", "train_digits.py",
         "Three other programs use the processors: this one was ready to run and had to wait.",
         ("starved",), SYMPTOMS, burners=3),
    Case("starved_jacobi", "c", "jacobi",
         "The solver waits for a processor for about half of the time.",
         ("starved",), SYMPTOMS, burners=3),
    Case("starved_numpy", "python", "conjugate_gradient.py",
         "Five other programs use the processors.",
         ("starved",), SYMPTOMS, burners=5),
    Case("throttled_numpy", "python", "bootstrap.py",
         "Its control group allows a quarter of a processor and stops it for the rest of a period.",
         ("throttled",), ("starved", *SYMPTOMS), limits={"processors": 0.25}),
    Case("throttled_jacobi", "c", "jacobi",
         "A quota of a fifth of a processor stops the solver in every period.",
         ("throttled",), ("starved", *SYMPTOMS), arguments=("400",), limits={"processors": 0.2}),
    Case("swapping_lookup", "c", "lookup_mapped",
         "Its memory limit is far below the table: almost every query reads a page from the disk.",
         ("swapping",), PARTS, limits={"memory_mb": 24}),
    Case("swapping_columns", "python", "columns_mapped.py",
         "The matrix does not fit into the allowed memory, and its pages are read again and again.",
         ("swapping",), PARTS, limits={"memory_mb": 64}),
    Case("oversubscribed_torch", "python", "train_wide_threads.py",
         "Sixteen compute threads share two processors.",
         ("oversubscribed",), ("starved", *SYMPTOMS, *PARTS)),
    Case("oversubscribed_team", "c", "spmv_threads",
         "A team of sixteen threads meets at a barrier on two processors.",
         ("oversubscribed",), ("starved", *SYMPTOMS, *PARTS)),

    # ---- threads that wait for one another ---------------------------------------------------
    Case("lock_book", "c", "order_book",
         "The threads wait for the lock of the book, which is held for most of an order.",
         ("mutex",), (*SYMPTOMS, *PARTS)),
    Case("lock_python", "python", "count_primes.py",
         "Python's lock lets one of the four threads run: processes would use all processors.",
         ("python_lock",), (*SYMPTOMS, *PARTS, "waiting")),

    Case("lock_quotes", "c", "quotes_rwlock",
         "The threads wait for a reader-writer lock, which a writer holds for most of a request.",
         ("mutex",), (*SYMPTOMS, *PARTS, "waiting"), environment=SMALL_RING),

    Case("imbalance_triangle", "c", "triangle_rows",
         "Of two threads one has three quarters of the work, and the other waits for it.",
         ("imbalance",), (*SYMPTOMS, *PARTS, "waiting", "starved"), environment=SMALL_RING),

    # ---- child processes ---------------------------------------------------------------------
    Case("copying_blocks", "python", "pool_blocks.py",
         "Sending the blocks to the processes and back takes far longer than scaling them.",
         ("copying",), (*SYMPTOMS, *PARTS, "waiting"), place=("pool.map(",)),
    Case("copying_images", "python", "pool_images.py",
         "filter copies all images to other processes and back, for an addition.",
         ("copying",), (*SYMPTOMS, *PARTS, "waiting")),
    Case("copying_squares", "python", "pool_squares.py",
         "A message for every number: larger chunks would need far fewer.",
         ("copying",), (*SYMPTOMS, *PARTS, "waiting", "starved")),

    # ---- memory ------------------------------------------------------------------------------
    Case("leak_walks", "python", "random_walks.py",
         "Each walk is kept in a list, in a script without spans: memory grows to the end.",
         ("leak",), ("kernel", "unmarked", *PARTS)),
    Case("leak_losses", "python", "train_running_loss.py",
         "The list of losses keeps each step's graph: memory grows with every step.",
         ("leak",), ("optimizer", *PARTS)),
    Case("leak_outputs", "python", "train_keep_outputs.py",
         "Every batch's code is kept in a list: memory grows with every step.",
         ("leak",), ("optimizer", *PARTS)),
    Case("leak_cache", "python", "cache_frames.py",
         "The cache has no bound: each frame adds 1.5 MB.",
         ("leak",), ("cache", *PARTS)),
    Case("leak_malloc", "c", "parse_events",
         "Every chunk allocates an index that is never freed.",
         ("leak",), PARTS),
    Case("leak_shouted", "c", "shout_messages",
         "What shouted() hands out is never freed: 94 kB a message.",
         ("leak",), PARTS),

    # ---- the first step ----------------------------------------------------------------------
    Case("jit_compile", "jax", "fit_unrolled.py",
         "Most of the run is the compilation in the first step; the other steps are fine.",
         ("first_step",), (*SYMPTOMS, *PARTS)),
    Case("lazy_first_call", "python", "train_lazy_basis.py",
         "The first forward makes a basis and takes longer than all others together.",
         ("first_step",), (*SYMPTOMS, *PARTS)),
    Case("tuned_first_call", "c", "tuned_blocks",
         "The first step tries all block sizes and takes most of the run.",
         ("first_step",), (*SYMPTOMS, *PARTS)),

    Case("recompile_lengths", "jax", "fit_lengths.py",
         "Every sentence has another length, and the step is compiled again for each.",
         ("recompile",), ("leak", "first_step", *SYMPTOMS, *PARTS)),

    # ---- input -------------------------------------------------------------------------------
    Case("input_remote", "python", "train_remote.py",
         "Each batch waits for a server: the processor idles while it loads.",
         ("input_waiting",), ("input_processor", "input_storage")),
    Case("input_pipe", "c", "train_from_pipe",
         "fetch waits for a producer that is slower than the learning.",
         ("input_waiting",), ("input_processor", "input_storage")),
    Case("input_tasks", "python", "crawl_pages.py",
         "Four tasks wait for pages, and the processor idles for most of the time: more could wait at once.",
         ("input_waiting",), ("input_processor", "input_storage", "unmarked")),
    Case("input_threads", "python", "fetch_tiles.py",
         "Three threads wait for tiles, and the processor idles for most of the time: more could wait at once.",
         ("input_waiting",), ("input_processor", "input_storage", "mutex", "python_lock")),
    Case("input_transform", "python", "train_augment.py",
         "Augmentation runs in the training process and takes more than the training.",
         ("input_processor",), ("input_waiting", "input_storage")),
    Case("input_parse", "python", "regress_csv.py",
         "Parsing text takes most of each iteration, and the processor is busy with it.",
         ("input_processor",), ("input_waiting", "input_storage")),
    Case("input_direct", "c", "train_direct_reads",
         "get_batch waits for the disk: reads go past the page cache, 4 MB each.",
         ("input_storage",), ("input_processor",)),
    Case("input_volumes", "python", "train_volumes.py",
         "Each sample is 4 MB from the disk, past the page cache, and loading waits for it.",
         ("input_storage",), ("input_processor", "input_few_slow")),
    # A fast disk leaves only opening and closing, which is processor work.
    Case("input_small_files", "python", "train_small_files.py",
         "Each sample is a file of its own: opening and reading them takes most of the step.",
         ("input_storage", "input_processor"), ("input_few_slow", "input_waiting")),
    Case("input_every_50th", "python", "train_shards.py",
         "Most of all loading time is the four batches that open the next shard.",
         ("input_few_slow",), ("input_processor", "input_storage", "periodic_stall")),
    Case("input_one_worker", "python", "train_one_worker.py",
         "One worker cannot keep up; it waits for most of its time, so more of them would help.",
         ("input_few_workers",), ("input_processor", "input_storage", "input_restarts")),
    Case("input_restarts", "python", "train_short_epochs.py",
         "The workers are restarted for each short epoch, and prepare everything again.",
         ("input_restarts",), ("input_processor", "input_storage", "periodic_stall")),
    Case("input_collate", "python", "train_collate.py",
         "Looking up words in a list as each batch is put together takes most of the step.",
         ("input_processor",), ("input_waiting", "input_storage")),

    Case("input_store", "python", "train_two_waiting.py",
         "The workers, as many as processors, wait for the store for nearly all of their time.",
         ("input_waiting",), ("input_processor", "input_storage", "input_restarts")),
    Case("input_blocks", "c", "checksum_blocks",
         "read_block waits for the disk for most of each iteration.",
         ("input_storage",), ("input_processor", "waiting")),

    # ---- beside the training -----------------------------------------------------------------
    Case("validation_often", "python", "train_validate_often.py",
         "Validation takes more time than the ten steps between.",
         ("validation",), (*SYMPTOMS, *PARTS)),
    Case("validation_marked", "python", "perceptron_eval.py",
         "evaluate takes about half of the run, every 20 updates.",
         ("validation",), (*SYMPTOMS, *PARTS)),
    Case("validation_each", "python", "train_validate_each.py",
         "Validation after every step takes more than nine tenths of the time.",
         ("validation",), (*SYMPTOMS, *PARTS)),
    Case("checkpoint_torch", "python", "train_save_often.py",
         "Saving the model every five steps takes most of the time.",
         ("checkpoint",), SYMPTOMS),
    Case("checkpoint_marked", "c", "wave_checkpoint",
         "save_state takes most of the run, every five steps.",
         ("checkpoint",), (*SYMPTOMS, *PARTS)),
    Case("validation_untold", "python", "train_accuracy_often.py",
         "Accuracy on all held-out samples takes about half of the time.",
         ("validation",), (*SYMPTOMS, *PARTS, "input_processor")),
    Case("checkpoint_pickled", "python", "relax_pickle.py",
         "dump_state pickles the whole history every five iterations: most of the time.",
         ("checkpoint",), (*SYMPTOMS, *PARTS, "logging"), place=("pickle.dump(",)),
    Case("checkpoint_zipped", "python", "relax_zipped.py",
         "save_blocks compresses all blocks after each round: about half of the run.",
         ("checkpoint",), (*SYMPTOMS, *PARTS), place=("np.savez_compressed(",)),
    Case("log_histograms", "python", "train_log_histograms.py",
         "Histograms of all weights and gradients take most of the step, outside its marked parts.",
         ("unmarked", "logging"), ("first_step", "overhead", "optimizer"),
         place=("ordered = ", "torch.histc", "events.write")),
    Case("log_items", "python", "train_log_scalars.py",
         "Most of the step is .item() on every channel, outside its marked parts.",
         ("unmarked", "logging"), ("first_step", "overhead", "optimizer"), place=(".item()",)),
    Case("log_json", "python", "diffuse_metrics.py",
         "log_metrics writes JSON for most of each step.",
         ("logging",), PARTS),
    Case("log_trace", "c", "walkers_trace",
         "print_trace flushes every line and takes most of the step.",
         ("logging",), PARTS),

    # ---- unmarked time -----------------------------------------------------------------------
    Case("unmarked_loop", "python", "kmeans_steps.py",
         "Most of the step is a Python loop outside its marked parts.",
         ("unmarked",), SYMPTOMS,
         place=("for point, centre in", "members[centre]", "sums[centre] =")),
    Case("unmarked_native", "c", "particles_step",
         "Most of the step is wall_series, which is not marked.",
         ("unmarked",), SYMPTOMS, place=("wall_series",)),
    Case("unmarked_script", "python", "nearest_pairs.py",
         "The whole run is a Python loop over pairs; NumPy does it in one expression.",
         ("unmarked",), (), place=("def distance", "return math.sqrt", "if other != index",
                                   "best, least = other", "for other in range")),
    Case("unmarked_search", "python", "unique_words.py",
         "Nearly all time is the search in a list; a set or a dict has no search.",
         ("unmarked",), (), place=("if word not in seen",)),
    Case("unmarked_averages", "python", "train_average_weights.py",
         "More than half of the step is average_weights, outside its marked parts.",
         ("unmarked",), SYMPTOMS, place=("copy.deepcopy(model", "return {name: sum(")),
    Case("unmarked_vocabulary", "python", "train_vocabulary.py",
         "Most of the run is count_words, before the training begins.",
         ("unmarked",), (*SYMPTOMS, "compute"),
         place=("word = draw", "counts[word] =", "for _ in range(amount)")),

    Case("unmarked_tool", "python", "train_ask_tool.py",
         "Most of the step is a tool that is started after each one.",
         ("unmarked",), SYMPTOMS, place=("subprocess.run(",)),

    # ---- parts out of proportion -------------------------------------------------------------
    Case("overhead_batch", "python", "train_batch_one.py",
         "One sample a step: the framework around the work takes far more than the work.",
         ("overhead",), (*SYMPTOMS, "optimizer", "compute")),
    Case("overhead_dispatch", "jax", "integrate_tiny.py",
         "Each call hands over fifty numbers, which takes far longer than their few operations.",
         ("overhead",), (*SYMPTOMS, "compute")),
    Case("overhead_spans", "c", "harmonic_spans",
         "Every addition has a span of its own: measuring takes far longer than the sum.",
         ("overhead",), (*SYMPTOMS, "unmarked", "compute"), environment=SMALL_RING),
    Case("optimizer_embedding", "python", "train_embedding.py",
         "Dense Adam updates the whole table for the few rows that a batch uses.",
         ("optimizer",), (*SYMPTOMS, *PARTS)),
    Case("optimizer_factors", "c", "factors_adam",
         "adam_step goes over the whole table and takes most of each iteration.",
         ("optimizer",), (*SYMPTOMS, *PARTS)),
    Case("odd_ratio_matmul", "c", "gpt_layer",
         "matmul_backward takes many times matmul_forward, where two is usual.",
         ("odd_ratio",), PARTS),
    Case("odd_ratio_generate", "c", "net_generate",
         "A call of dense_backward takes many times one of dense_forward, which also generates.",
         ("odd_ratio",), PARTS),
    Case("odd_ratio_conv", "python", "conv_numpy.py",
         "conv_backward takes many times conv_forward, where two is usual.",
         ("odd_ratio",), PARTS),
    Case("float64_mlp", "python", "train_float64.py",
         "The model computes in float64, as NumPy does; float32 takes about half as long.",
         ("float64",), (*SYMPTOMS, *PARTS)),
    Case("debugging_anomaly", "python", "train_checked.py",
         "Anomaly detection checks every gradient for NaN and keeps a trace of each operation.",
         ("debugging",), ("odd_ratio", "compute", *SYMPTOMS), environment=SMALL_RING),
    # ---- waiting for something else than data
    Case("waiting_backend", "python", "serve_backend.py",
         "Each request waits for the backend's answer: the processor idles.",
         ("waiting",), (*SYMPTOMS, "compute"), place=("client.recv", "client.send(b\"get")),
    Case("waiting_commit", "c", "commit_locked",
         "commit waits for the ledger, which a second thread has locked.",
         ("waiting",), (*SYMPTOMS, "compute")),

    Case("waiting_poll", "python", "poll_queue.py",
         "The script sleeps between two looks into a folder, for most of the run.",
         ("waiting",), (*SYMPTOMS, "compute", "unmarked"), place=("time.sleep(",)),

    Case("waiting_fsync", "c", "journal_fsync",
         "append waits for the disk in every transaction: several could be brought there at once.",
         ("waiting",), (*SYMPTOMS, *PARTS)),
    Case("waiting_archive", "python", "archive_sync.py",
         "Each state of the field is written with O_DSYNC: the script waits for the disk.",
         ("waiting",), (*SYMPTOMS, *PARTS)),
    Case("waiting_converter", "python", "call_converter.py",
         "convert waits for a tool that is started for each record.",
         ("waiting",), (*SYMPTOMS, *PARTS), place=("subprocess.run(",)),
    Case("kernel_buffers", "python", "new_buffers.py",
         "Each array is in new pages, which the kernel has to provide and clear.",
         ("kernel",), (*SYMPTOMS, *PARTS, "leak")),
    Case("kernel_settings", "python", "settings_files.py",
         "The script looks for, opens and reads a file for every setting, again and again.",
         ("kernel",), (*SYMPTOMS, *PARTS),
         place=("if not (os.path", "os.open(", "os.read(", "os.close(handle)")),

    # ---- distributions and courses -----------------------------------------------------------
    Case("concentrated_rehash", "c", "hash_inserts",
         "A few inserts of ten thousand, those that rebuild the table, take most of the time.",
         ("concentrated",), ("unmarked", "compute")),
    Case("concentrated_peaks", "python", "quadrature.py",
         "Two dozen intervals of a thousand take nearly all of the time.",
         ("concentrated",), ("unmarked", "compute")),
    Case("drift_visited", "python", "visited_list.py",
         "remember takes longer with every step: it searches a list that grows.",
         ("drift",), ("slowdown", *PARTS)),
    Case("drift_queue", "c", "event_queue",
         "schedule takes longer with every tick: the list it walks grows.",
         ("drift",), ("slowdown", *PARTS)),
    Case("drift_leaderboard", "python", "leaderboard.py",
         "rank takes longer with every event: it sorts a list that grows.",
         ("drift",), ("slowdown", *PARTS)),
    Case("drift_append", "python", "collect_paths.py",
         "collect takes longer with every step: it copies an array that grows.",
         ("drift",), ("slowdown", *PARTS)),
    Case("drift_graph", "python", "train_recurrent_by_hand.py",
         "Each backward goes through the graph of all steps before: it takes longer every time.",
         ("drift",), ("slowdown", "odd_ratio", "leak", *PARTS)),
    Case("drift_collect", "python", "graph_collected.py",
         "collect takes longer with every block: the collector looks at all objects that live.",
         ("drift",), ("slowdown", "leak", *PARTS)),
    Case("slowdown_refined", "c", "refine_half",
         "From step 300 on each step takes four times as long.",
         ("slowdown",), ("drift", *PARTS)),
    Case("slowdown_unfrozen", "python", "train_unfreeze.py",
         "From step 100 on each step takes several times as long.",
         ("slowdown",), ("drift", *PARTS)),
    Case("stall_neighbours", "python", "atoms_neighbours.py",
         "Every 25th step rebuilds the list of neighbours and takes many times as long.",
         ("periodic_stall", "unmarked"), ("high_variance", "first_step")),
    Case("stall_collect", "python", "ticks_collected.py",
         "Every 40th tick collects garbage and takes many times as long.",
         ("periodic_stall", "unmarked"), ("high_variance", "first_step")),
    Case("stall_refill", "c", "monte_carlo_pool",
         "Every 32nd step refills the pool of random numbers.",
         ("periodic_stall",), ("high_variance", "first_step")),
    Case("variance_lengths", "python", "train_ragged.py",
         "Steps differ by the lengths of the sentences in them: sort by length or use buckets.",
         ("high_variance",), ("periodic_stall", *PARTS)),

    # ---- healthy -----------------------------------------------------------------------------
    Case("healthy_mlp", "python", "train_digits.py",
         "Forward, backward and optimizer in their usual shares."),
    Case("healthy_cnn", "python", "train_cnn.py", "A convolutional network in its usual shares."),
    Case("healthy_transformer", "python", "train_transformer.py",
         "A training loop without a DataLoader, in its usual shares."),
    Case("healthy_accumulation", "python", "train_accumulate.py",
         "Gradients over four batches: the optimizer comes with every fourth, as it should."),
    Case("healthy_validation", "python", "train_validate_rarely.py",
         "Validation takes about 5 %."),
    Case("healthy_loaded_model", "python", "train_pretrained.py",
         "A model is loaded before the loop, once."),
    Case("healthy_worker", "python", "train_fed_well.py",
         "One worker is ahead of the training."),
    Case("healthy_jacobi", "c", "jacobi", "A solver whose sweeps are all alike."),
    Case("healthy_matmul", "c", "matmul_steps",
         "The first step is a bit slower, as first steps are."),
    Case("healthy_pair", "c", "jacobi_pair",
         "Two threads for two processors, with equal shares."),
    Case("healthy_team", "c", "team_rounds",
         "The main thread waits for two threads that use both processors."),
    Case("healthy_pool", "python", "pool_simulations.py",
         "The processes of a pool simulate, and hardly anything is sent."),
    Case("healthy_cg", "python", "conjugate_gradient.py",
         "A NumPy solver that does nothing but solve."),
    Case("healthy_bootstrap", "python", "bootstrap.py",
         "Resamples that differ by some percent, as their sizes do."),
    Case("healthy_gan", "python", "train_gan.py",
         "Two models with two optimizers, in their usual shares."),
    Case("healthy_wgan", "python", "train_wgan.py",
         "The generator is trained with every fifth step of the critic, as it should."),
    Case("healthy_lstm", "python", "train_lstm.py",
         "A recurrent model whose state is cut from its graph, in its usual shares."),
    Case("healthy_evolution", "python", "evolve_routes.py",
         "To evaluate candidates is what a genetic algorithm does."),
    Case("healthy_ring", "c", "capture_ring",
         "A ring of frames fills up once and is used again."),
    Case("healthy_cache", "python", "tiles_cache.py",
         "The cache fills up and stays at its bound."),
    Case("healthy_head", "python", "train_head.py",
         "Only the last layer is trained: backward is far below forward, as it should."),
    Case("healthy_inference", "python", "classify_images.py",
         "A trained network classifies images; nothing is trained."),
    Case("healthy_lbfgs", "python", "fit_lbfgs.py",
         "The optimizer calls forward and backward itself."),
    Case("healthy_jax", "jax", "train_jax.py",
         "A jitted step; its compilation is a small part of the run."),
)

// verdict.js: the answer: state of the run, findings and their possible gain, five figures.
import {make, put, attrs, missing, on, visible} from "./dom.js";
import {
    NS,
    durationParts,
    durationText,
    bytesParts,
    bytesText,
    countText,
    percentWords,
    ageText,
    upperFirst,
    digits3,
} from "./format.js";
import {state, hashOf} from "./state.js";

// ---- the bar at the top

export class TopBar {
    constructor(search) {
        this.element = make("header.top");
        this.title = make("h1");
        this.pill = make("span.pill");
        this.meta = make("span.meta");
        this.brand = make("a.brand", "Pitwall");
        this.brand.href = "#";
        this.input = attrs(make("input"), {
            type: "search",
            placeholder: "Filter spans",
            "aria-label": "Filter spans",
        });
        on(this.input, "input", () => search(this.input.value));
        this.box = make("label.search", this.input, make("kbd", "/"));
        this.element.append(
            make("div", this.brand, make("span.sep", "/"), this.title, this.pill, this.meta, this.box),
        );
    }

    show(model) {
        const doc = model.doc,
            runs = doc.runs,
            run = model.run,
            f = run.facts;
        const states = new Set(runs.map(r => r.state)),
            word = ["died", "live", "closed"].find(s => states.has(s)) || "ended";
        this.title.textContent = visible(doc.title);
        document.title = doc.title + " · Pitwall";
        this.pill.className = "pill " + word;
        this.pill.textContent = word === "closed" ? "done" : word;
        this.meta.textContent = "";
        const when =
            word === "live"
                ? "running for " + durationText(model.wall)
                : {died: "died ", closed: "ended ", ended: "ended by its parent "}[word] +
                  ageText(run.end_wall_ns / 1e6);
        const parts = [
            when,
            f.host,
            [f.cpu, f.cpus ? f.cpus + " CPUs" : ""].filter(Boolean).join(", "),
            runs.length > 1 ? runs.length + " runs" : "pid " + run.pid,
        ].filter(Boolean);
        put(this.meta, parts.join("  ·  "));
        this.meta.title = this.meta.textContent;
        if (document.activeElement !== this.input) this.input.value = state.q || "";
    }
}

// ---- what stands out

function split(model, headline) {
    const at = headline.indexOf(": "),
        label = at > 0 ? headline.slice(0, at).replace(/^\W+/, "") : "";
    if (!label || label !== label.toUpperCase()) return {label: "", text: model.sentence(headline)};
    const rest = headline.slice(at + 2);
    return {label: upperFirst(label.toLowerCase()), rest, text: model.sentence(rest)};
}

function gain(label, parts, sub) {
    return make(
        "div.gain",
        make("p.l", label),
        make("p.n", parts[0], make("small", parts[1])),
        make("p.s", sub),
    );
}

function lines(list) {
    return make(
        "dl",
        list.filter(l => l[1]).map(([k, v]) => [make("dt", k), make("dd", upperFirst(v))]),
    );
}

function others(model, findings) {
    const more = make("div.more");
    more.append(make("span.u", "Also"));
    for (const f of findings) {
        const at = f.path ? model.at(f.path) : null,
            part = split(model, f.headline);
        if (!f.severity && model.died()) part.label = ""; // do not print "nothing stands out" for a run that died
        const words = [
            part.label ? part.label + ": " + part.rest : part.text.replace(/\.$/, ""),
            f.savings_ns > 0 && model.advised(f) > 0
                ? [", at most ", make("b", percentWords(Math.min(1, f.savings_ns / model.advised(f)))), " shorter"]
                : null,
        ];
        if (at == null) more.append(make("span", words));
        else {
            const a = make("a", words);
            a.href = hashOf({node: f.path});
            a.dataset.path = f.path;
            more.append(a);
        }
    }
    return more;
}

function diedPanel(model) {
    const run = model.doc.runs.find(r => r.state === "died"),
        pm = run.post_mortem;
    const open = run.threads.flatMap(t => t.open.map(o => ({...o, thread: t.name})));
    const tip = open.filter(o => !o.detached).pop();
    const [head, rest] = pm.verdict.split(/: (?=RSS )/);
    const w = make("section.panel verdict bad"),
        v = make("div.v");
    put(v, [
        make("p.k", "Died"),
        make(
            "p.t",
            upperFirst(tip ? head.replace(/^ended without a close/, "stopped inside " + tip.name) : head) +
                ".",
        ),
        lines([
            [
                "Evidence",
                [
                    rest,
                    "ended without a close " + durationText(model.wall) + " after its start",
                    run.ended_words,
                ]
                    .filter(Boolean)
                    .join("; "),
            ],
            [
                "Next",
                pm.is_memory
                    ? "less memory at once, or a higher limit; the memory chart below shows how it got there"
                    : "check what ended it: the job scheduler’s log, a time limit, dmesg, a kill from a shell",
            ],
        ]),
    ]);
    w.append(v);
    w.append(
        tip
            ? gain(
                  "Inside",
                  [tip.name, ""],
                  tip.open_ns > 0
                      ? "open for " + durationText(tip.open_ns) + " on thread " + tip.thread
                      : "just begun on thread " + tip.thread,
              )
            : gain("Inside", ["no span", ""], "none was open when it ended"),
    );
    return w;
}

export function verdictPanel(model) {
    const doc = model.doc,
        advice = doc.advice,
        findings = advice.findings;
    if (model.died()) {
        const w = diedPanel(model);
        if (findings.length) w.append(others(model, findings));
        return labelled(w);
    }
    const w = make("section.panel verdict"),
        v = make("div.v"),
        first = findings[0];
    w.append(v);
    if (!first) {
        w.classList.add("ok");
        const [what, ...rest] = doc.summary.headline.split("; ");
        put(v, [
            make("p.k", advice.too_little_data ? "Too little to judge" : "No finding"),
            make("p.t", model.sentence(what)),
            lines([
                ["Reason", advice.reason],
                ["Evidence", rest.join("; ")],
            ]),
        ]);
        w.append(
            gain(
                "Time in spans",
                durationParts(doc.summary.in_spans_ns || 0),
                countText(doc.summary.spans) + " spans",
            ),
        );
        return labelled(w);
    }
    const part = split(model, first.headline);
    if (!first.severity) w.classList.add("ok");
    put(v, [
        make("p.k", part.label || "What stands out"),
        make("p.t", part.text),
        lines([
            ["Evidence", first.evidence],
            ["Try", (first.remedy || "").replace(/^try /, "")],
        ]),
    ]);
    if (first.savings_ns > 0 && model.advised(first) > 0) {
        const share = Math.min(1, first.savings_ns / model.advised(first));
        w.append(
            gain(
                "At most",
                [share < 0.01 ? "<1" : String(Math.round(share * 100)), "% shorter"],
                "without it: " + durationText(first.savings_ns) + " of " + durationText(model.advised(first)),
            ),
        );
    } else
        w.append(
            gain(
                "Time in spans",
                durationParts(doc.summary.in_spans_ns || 0),
                countText(doc.summary.spans) + " spans",
            ),
        );
    if (findings.length > 1) w.append(others(model, findings.slice(1)));
    return labelled(w);
}

function labelled(w) {
    return attrs(w, {"aria-label": "What stands out"});
}

// ---- five figures

export function figuresPanel(model) {
    const doc = model.doc,
        run = model.run,
        s = doc.summary,
        w = attrs(make("dl.panel figs"), {"aria-label": "The run in figures"});
    const add = (label, parts, sub, why) =>
        w.append(
            make(
                "div",
                make("dt", label),
                make("dd.n", parts ? [parts[0], make("span.u", parts[1])] : missing(why)),
                make("dd.s", parts ? sub : why),
            ),
        );
    const inSpans =
        s.busy_threads > 1
            ? countText(s.busy_threads) + " threads with spans"
            : s.wall_ns > 0 && s.in_spans_ns != null
              ? (s.in_spans_ns / s.wall_ns > 0.9995
                    ? ">99.9"
                    : ((s.in_spans_ns / s.wall_ns) * 100).toFixed(1)) +
                NS +
                "% inside spans"
              : "";
    add("Wall time", durationParts(model.wall), inSpans);
    const i = s.step,
        count = i == null ? 0 : model.col("count")[i];
    add(
        "Step time, p50",
        i == null
            ? null
            : ["~" + durationParts(model.col("p50_ns")[i])[0], durationParts(model.col("p50_ns")[i])[1]],
        i == null
            ? ""
            : "p95 ~" +
                  durationText(model.col("p95_ns")[i]) +
                  " · " +
                  countText(count) +
                  " × " +
                  model.name[i],
        "nothing was repeated",
    );
    const x = run.samples && run.samples.newest,
        none = run.samples ? "not read here" : "the sampler was off, or the run too short for it";
    const many = doc.runs.length > 1,
        cores = model.cores(),
        switches = model.rateOf(run, "forced_switches");
    add(
        "Processor",
        cores == null
            ? null
            : [
                  cores.toFixed(2),
                  new Set(doc.runs.map(r => r.facts.host)).size > 1
                      ? "cores"
                      : "of " +
                        (x.processors != null
                            ? digits3(x.processors).replace(/\.0+$/, "")
                            : run.facts.cpus || "?") +
                        " cores",
              ],
        many
            ? "all " + doc.runs.length + " runs together"
            : switches == null
              ? ""
              : digits3(switches * 1e9) + " forced switches/s",
        none,
    );
    const top = model.peak(),
        peak = top.peak,
        limit = top.limit;
    add(
        many ? "Peak memory, largest" : "Peak memory",
        peak == null ? null : bytesParts(peak),
        (many && top.run.facts.rank != null ? "rank " + top.run.facts.rank + ", " : "") +
            (limit ? percentWords(peak / limit) + " of " + bytesText(limit) : "no limit known") +
            (top.run.growth || ""),
        none,
    );
    add(
        "Cost of measuring",
        s.cost_share == null ? null : [(s.cost_share * 100).toPrecision(2), "%"],
        Math.round(run.span_cost_ns) + NS + "ns a span, " + countText(s.spans) + " spans",
        "it was not measured",
    );
    return w;
}

// Losses, if there are any.
export function lossesPanel(model) {
    const words = model.doc.summary.losses_words,
        un = model.doc.summary.unmarked,
        parts = [];
    const outside = ["before", "between", "after"]
        .map(k => [k, un[k + "_ns"]])
        .filter(p => p[1] > model.wall * 0.01);
    if (outside.length)
        parts.push(
            "Outside of all spans of the main thread: " +
                outside
                    .map(
                        ([k, ns]) =>
                            durationText(ns) +
                            " " +
                            {before: "before the first", between: "between them", after: "after the last"}[k],
                    )
                    .join(", ") +
                ".",
        );
    if (words) parts.push("Lost: " + words);
    return parts.length
        ? make(
              "section.panel lost",
              parts.map(p => make("p", p)),
          )
        : null;
}

export function footLine(model) {
    const run = model.run,
        f = run.facts;
    return make(
        "footer.foot",
        make("span", [f.program, f.arguments].filter(Boolean).join(" ")),
        make("span", f.kernel || ""),
        make("span", "started " + (run.start || "").replace("T", " ").replace("Z", " UTC")),
        make("span", "run file " + bytesText(run.used_bytes)),
        make("span", "pitwall " + model.doc.pitwall_version),
    );
}

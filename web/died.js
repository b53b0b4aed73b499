// died.js: where the run died: open spans, the last reading, and the spans that finished last.
import {make, put, panel} from "./dom.js";
import {durationText, bytesText, unitText, percentWords, countText} from "./format.js";

function line(tip, ...kids) {
    return make("div.ln" + (tip ? " tip" : ""), kids);
}

function openSpans(run) {
    const box = make("div", make("h3", "Open spans and for how long"));
    const threads = run.threads.filter(t => t.open.length);
    if (!threads.length) box.append(line(false, make("span.mut", "none was open")));
    for (const t of threads.slice(0, 6)) {
        if (threads.length > 1) box.append(line(false, make("span.mut", "thread " + t.name)));
        t.open.forEach((o, k) => {
            const nm = make("div.nm");
            if (!o.detached) for (let d = 0; d < k; d++) nm.append(make("i"));
            nm.append(make("span.x", o.name + (o.detached ? " (detached)" : "")));
            box.append(
                line(
                    k === t.open.length - 1,
                    nm,
                    make("span.w", o.open_ns > 0 ? durationText(o.open_ns) : "just begun"),
                ),
            );
        });
    }
    if (threads.length > 6)
        box.append(line(false, make("span.mut", "and " + (threads.length - 6) + " more threads")));
    return box;
}

function lastReading(model, run) {
    const s = run.samples,
        pm = run.post_mortem;
    const before = pm && pm.last_reading_before_end_ns;
    const box = make(
        "div",
        make("h3", "Last reading" + (before != null ? ", " + durationText(before) + " before the end" : "")),
    );
    if (!s) {
        box.append(line(false, make("span.mut", "n/a: there was no reading")));
        return box;
    }
    const x = s.newest,
        rows = [
            ["RSS", x.rss_bytes, bytesText, run.limit_bytes ? "of " + bytesText(run.limit_bytes) : ""],
            ["Left on the machine", x.available_bytes, bytesText, ""],
            ["Memory pressure", x.memory_pressure, percentWords, ""],
            [
                "Processor",
                model.rateOf(run, "cpu_ns"),
                v => v.toFixed(2),
                x.processors != null ? "of " + unitText("", x.processors) + " cores" : "",
            ],
            ["Threads", x.threads, countText, ""],
        ];
    for (const [label, v, text, of] of rows)
        box.append(
            line(
                false,
                make("span", label),
                make("span.mut", v == null ? "" : of),
                make("span.w", v == null ? "n/a" : text(v)),
            ),
        );
    return box;
}

function finishedLast(model, runIndex) {
    const box = make("div", make("h3", "Finished last, newest first")),
        e = model.events();
    const end = model.doc.runs[runIndex].duration_ns;
    let shown = 0;
    for (let k = e.count; k-- > 0 && shown < 5;) {
        if (e.run[k] !== runIndex) continue;
        const i = e.node[k],
            p99 = model.col("p99_ns")[i],
            odd = p99 > 0 && e.duration_ns[k] > 3 * p99;
        const name = make("span", model.name[i]);
        name.title = model.names(i).join(" › ");
        box.append(
            line(
                false,
                name,
                odd ? make("span.odd", "~" + Math.round(e.duration_ns[k] / p99) + " × its p99") : null,
                make("span.w", durationText(e.duration_ns[k])),
                make(
                    "span.w w2 mut",
                    durationText(Math.max(0, end - e.begin_ns[k] - e.duration_ns[k])) + " before",
                ),
            ),
        );
        shown++;
    }
    if (!shown) box.append(line(false, make("span.mut", "n/a: the flight recorder kept no span")));
    return box;
}

export function diedPanels(model) {
    const out = [];
    model.doc.runs.forEach((run, r) => {
        if (run.state !== "died" || out.length >= 4) return;
        const tip = run.threads.find(t => t.open.length);
        const w = panel(
            "Where it died" +
                (model.doc.runs.length > 1
                    ? ": " + (run.facts.rank != null ? "rank " + run.facts.rank : "run " + (r + 1))
                    : ""),
            (tip ? "thread " + tip.name + ", " : "") + durationText(run.duration_ns) + " after the start",
        );
        w.classList.add("diedat");
        put(w, make("div.dead", openSpans(run), lastReading(model, run), finishedLast(model, r)));
        out.push(w);
    });
    return out;
}

// charts.js: the charts over the run: a span, values, memory, processors, devices, every channel.
import {make, put, button, colour, panel, on} from "./dom.js";
import {
    NS,
    durationText,
    bytesText,
    bytesParts,
    durationParts,
    rateParts,
    countText,
    unitText,
    plainText,
    upperFirst,
} from "./format.js";
import {zeroBased, decades, wholeDecades, extent, high, merged, few} from "./chart_data.js";
import {Plots} from "./plots.js";
import {columnOf} from "./run.js";
import {state, setState} from "./state.js";

const MAIN_CHANNELS = ["rss_bytes", "cpu_ns"];

export class ChartsPanel extends Plots {
    constructor() {
        super();
        this.whole = button("Whole run", () => this.zoom(null), "Esc");
        this.whole.hidden = true;
        this.element = panel(
            "Over time",
            "one cursor for all; drag to zoom, Esc or double-click for the whole run",
            this.whole,
        );
        this.box = make("div.charts");
        this.element.append(this.box);
        this.moreBox = make("div.charts more4");
        this.more = make("details");
        this.summary = make("summary", "All channels");
        put(this.more, [this.summary, this.moreBox]);
        this.element.append(this.more);
        on(this.more, "toggle", () => {
            setState({more: this.more.open ? "1" : ""});
            this.drawMore();
        });
        on(matchMedia("(prefers-color-scheme:dark)"), "change", () => this.draw());
    }

    show(model, node) {
        this.model = model;
        this.node = node;
        this.span = Math.max(model.wall * 1e-9, 1e-9);
        const t = (state.t || "").split("-").map(Number);
        this.range = t.length === 2 && t[1] > t[0] ? t : null;
        if (this.more.open !== (state.more === "1")) this.more.open = state.more === "1";
        this.draw();
    }

    choose(node) {
        this.node = node;
        this.draw();
    }

    draw() {
        if (!this.model) return;
        this.ink = {
            ink3: colour("--ink3"),
            line: colour("--line"),
            line2: colour("--line2"),
            acc: colour("--acc"),
            bad: colour("--bad"),
            c: [colour("--c1"), colour("--c2"), colour("--c3")],
            f: colour("--f"),
        };
        this.marks = this.model.phases();
        this.cell = 0;
        const {cursor} = this.plots.find(u => u.cursor.left >= 0) || {};
        this.clear(this.box);
        const values = this.values();
        this.spanTime();
        if (values.length) this.valueChart(values[0], this.box);
        else this.throughput(this.box);
        this.memory();
        this.processor();
        this.devices();
        this.drawMore();
        if (cursor) for (const u of this.plots) u.setCursor({left: cursor.left, top: cursor.top}, true, false);
        this.whole.hidden = !this.range;
        this.element.dataset.drawn = this.plots.length;
    }

    // ---- the charts

    // A span over time, or all spans of its name that follow one another, such as the batches of three models.
    course(i) {
        const m = this.model,
            own = m.series(i);
        if (!own || state.node) return own && {...own, of: [i]};
        const peers = m.alike(i).filter(k => m.series(k)),
            all = peers.map(k => ({k, s: m.series(k), x: m.seriesTimes(k)})).sort((a, b) => a.x[0] - b.x[0]);
        const follow = all.every((p, n) => !n || p.x[0] >= all[n - 1].x[all[n - 1].x.length - 1]);
        if (all.length < 2 || all.length > 6 || !follow) return {...own, of: [i]};
        const joined = key => all.flatMap(p => p.s[key]);
        return {
            width: own.width,
            of: all.map(p => p.k),
            x: all.flatMap(p => p.x),
            p50: joined("p50"),
            p95: joined("p95"),
            mean: joined("mean"),
            max: joined("max"),
        };
    }

    spanTime() {
        const m = this.model,
            i = this.node,
            {acc, c} = this.ink;
        if (i == null) return this.empty(this.box, "Span time", "nothing was repeated");
        const s = this.course(i),
            title = "Time of " + m.name[i];
        if (!s || !s.p50.length) return this.empty(this.box, title, m.whyNoSeries(i));
        const known = s.p50.filter(v => v != null).length,
            isKnown = known > s.p50.length / 2;
        const keys = isKnown ? ["p50", "p95"] : ["mean", "max"];
        const list = keys.map((key, k) => ({
            label: key,
            stroke: k ? c[1] : acc,
            dash: k ? [2, 2] : null,
            y: s[key],
            gaps: false,
            idle: (isKnown ? "~" : "") + durationText(m.col(key + "_ns")[i]),
        }));
        const of = s.of.length > 1 ? "of " + m.apart(s.of).join(", ") : "";
        const sub = !isKnown
            ? "slices of " + durationText(s.width) + "; p50 and p95 n/a: single spans were not kept"
            : known < s.p50.length
              ? "where the flight recorder kept every span: " + known + " of " + s.p50.length + " slices"
              : of || "in slices of " + durationText(s.width);
        this.add(this.box, title, sub, [s.x || m.seriesTimes(i), ...list.map(l => l.y)], list, {
            y: zeroBased(),
            read: durationText,
            parts: durationParts,
        });
    }

    throughput(box) {
        const m = this.model,
            i = this.node,
            s = i == null ? null : m.series(i);
        if (!s) return this.empty(box, "Throughput", i == null ? "nothing was repeated" : m.whyNoSeries(i));
        const items = m.col("items")[i],
            each = items > 0 ? items / m.col("count")[i] : 1;
        const y = s.count.map(n => (n * each) / (s.width * 1e-9)),
            what = items > 0 ? "items" : "spans";
        const read = v => rateParts(v).join(NS).trim() + "/s";
        const mean = m.col(items > 0 ? "items_per_s" : "count")[i];
        this.add(
            box,
            "Throughput",
            what + " of " + m.name[i] + " a second" + (items > 0 ? ", by the mean of items a span" : ""),
            [s.at.map(k => (k + 0.5) * s.width * 1e-9), y],
            [
                {
                    label: "",
                    stroke: this.ink.acc,
                    idle: items > 0 ? read(mean) : countText(mean) + " in all",
                    gaps: false,
                },
            ],
            {y: zeroBased(), read, axis: v => rateParts(v).join(NS).trim()},
        );
    }

    nameOf(run, r) {
        if (this.model.doc.runs.length < 2) return "";
        return run.facts.rank != null ? "rank " + run.facts.rank : "run " + (r + 1);
    }

    // Charts of values: [{title, lines}]. Losses of one run share a chart, and so does a value of several
    // runs; the losses come first.
    values() {
        const groups = new Map(),
            single = this.model.doc.runs.length === 1;
        this.model.doc.runs.forEach((run, r) =>
            run.values.forEach(v => {
                const n = (v.columns.at_ns || []).length,
                    isLoss = /loss/i.test(v.name);
                if (!n) return;
                let key = single && isLoss ? "loss" : v.name;
                if (single && groups.has(key) && groups.get(key).lines.length === 3) key = v.name;
                if (!groups.has(key)) groups.set(key, {isLoss, lines: [], names: new Set()});
                groups.get(key).names.add(v.name);
                groups.get(key).lines.push({
                    name: single ? v.name : this.nameOf(run, r),
                    thread: (run.threads[v.thread] || {}).name || "thread " + v.thread,
                    last: v.last,
                    reason: v.reason,
                    x: v.columns.at_ns.map(t => t * 1e-9),
                    y: columnOf(v.columns, "mean", n),
                });
            }),
        );
        return [...groups.values()]
            .sort((a, b) => b.isLoss - a.isLoss)
            .map(g => {
                // Lines of one name in one run are of different threads.
                const ofThreads = single && g.lines.length > g.names.size;
                if (ofThreads) for (const l of g.lines) l.name += " " + l.thread;
                return {title: g.names.size > 1 ? "loss" : [...g.names][0], lines: few(g.lines)};
            });
    }

    valueChart({title, lines}, box) {
        const {acc, c} = this.ink,
            [low, top] = extent(lines.map(l => l.y)),
            log = low > 0 && top / low > 10;
        const read = v => (log ? v.toExponential(1).replace("e+", "e") : plainText(v));
        const short = n => (lines.length > 1 ? n.replace(/[ _]?loss[ _]?/i, "") || n : "");
        this.add(
            box,
            upperFirst(title),
            this.ofMany(lines) + (log ? "logarithmic" : "linear, from zero"),
            merged(lines),
            lines.map((v, k) => ({
                label: short(v.name),
                stroke: lines.length > 1 ? c[k % 3] : acc,
                idle:
                    v.last != null
                        ? v.of || this.model.doc.runs.length === 1
                            ? read(v.last)
                            : ""
                        : v.reason || (v.of ? "" : "n/a"),
            })),
            log
                ? {
                      y: decades(),
                      read,
                      axis: x => "1e" + Math.round(Math.log10(x)),
                      space: 22,
                      filter: wholeDecades,
                  }
                : {y: zeroBased(), read, axis: plainText},
        );
    }

    // Three lines represent many.
    ofMany(lines) {
        return lines[0].of ? lines[0].of + " ranks; " : "";
    }

    // The lines of a channel, one per run; for many runs the lowest, the median and the highest.
    readings(key) {
        const list = [];
        this.model.doc.runs.forEach((run, r) => {
            const c = this.model.channel(run, key);
            if (c && c.y.some(v => v != null)) list.push({...c, name: this.nameOf(run, r)});
        });
        return few(list);
    }

    whyNone(key) {
        const s = this.model.run.samples;
        if (!s) return "the sampler was off, or the run ended before its first reading";
        const c = s.channels.find(x => x.key === key);
        return c ? c.missing || "no reading" : "this run has no such channel";
    }

    strokes(list, k) {
        return list.length > 1 ? this.ink.c[k % 3] : this.ink.acc;
    }

    memory() {
        const list = this.readings("rss_bytes"),
            {peak, limit} = this.model.peak();
        if (!list.length) return this.empty(this.box, "Memory", this.whyNone("rss_bytes"));
        const data = merged(list),
            isNear = limit && peak && limit < high(data.slice(1)) * 1.25,
            times = limit / peak;
        const sub = !limit
            ? "no limit is known"
            : isNear
              ? "red line: the limit, " + bytesText(limit)
              : "limit " +
                bytesText(limit) +
                (peak ? ": " + (times >= 10 ? countText(times) : times.toFixed(1)) + " × the peak" : "") +
                ", not drawn";
        this.add(
            this.box,
            "Memory",
            this.ofMany(list) + sub,
            data,
            list.map((c, k) => ({
                label: c.name || "RSS",
                stroke: this.strokes(list, k),
                idle: peak && list.length === 1 ? "peak " + bytesText(peak) : "",
            })),
            {y: zeroBased(), read: bytesText, parts: bytesParts, limit},
        );
    }

    processor() {
        const list = this.readings("cpu_ns"),
            run = this.model.run;
        if (!list.length) return this.empty(this.box, "Processor", this.whyNone("cpu_ns"));
        const cores = this.model.channel(run, "processors"),
            n = cores ? cores.y[cores.y.length - 1] : +run.facts.cpus || null;
        for (const c of list) c.y = c.y.map(v => (v == null ? null : v * 1e-9));
        const data = merged(list),
            top = Math.max(n || 0, high(data.slice(1))),
            mean = list.length === 1 ? this.model.cores() : null;
        this.add(
            this.box,
            "Processor",
            this.ofMany(list) + (n ? "grey line: all " + plainText(n) + " processors" : "processors in use"),
            data,
            list.map((c, k) => ({
                label: c.name || "cores",
                stroke: this.strokes(list, k),
                idle: mean == null ? "" : mean.toFixed(2),
            })),
            {
                y: {range: [0, top * 1.3 || 1]},
                read: v => v.toFixed(2),
                axis: plainText,
                limit: n,
                limitColour: this.ink.ink3,
            },
        );
    }

    // GPUs, if there are any: utilization, memory, and power together with that of the processors.
    devices() {
        const kinds = [
            ["Device busy", /^(gpu\d+)_busy$/, "share", "share of the time that a kernel ran"],
            ["Device memory", /^(gpu\d+)_memory_bytes$/, "bytes", ""],
            [
                "Power",
                /^(gpu\d+)_power_w$|^((?:package|dram)_\d+)_energy_j$/,
                "W",
                "GPUs as reported; package and dram by RAPL",
            ],
        ];
        for (const [title, pattern, unit, sub] of kinds) {
            const keys = this.model.channelKeys(pattern),
                named = key => pattern.exec(key).slice(1).join("").replace("_", " ") + " ",
                lines = few(
                    keys.flatMap(key =>
                        this.readings(key).map(l => ({...l, name: (named(key) + l.name).trim()})),
                    ),
                );
            if (!lines.length) continue;
            const read = v => unitText(unit, v),
                isBytes = unit === "bytes",
                total =
                    isBytes && keys.length === 1
                        ? this.model
                              .readingsOf(this.model.run, keys[0].replace("_bytes", "_total_bytes"))
                              .pop()
                        : null;
            this.add(
                this.box,
                title,
                total ? "of " + bytesText(total) : sub,
                merged(lines),
                this.series(lines, read),
                {y: zeroBased(), read, parts: isBytes ? bytesParts : null, axis: read, limit: total},
            );
        }
    }

    // Lines in the form of uPlot; the legend shows the last reading if there is only one line.
    series(lines, read) {
        return lines.map((l, k) => ({
            label: l.name,
            stroke: this.strokes(lines, k),
            idle: lines.length > 1 ? "" : read(l.y.filter(v => v != null).pop()),
        }));
    }

    // ---- every channel, on demand

    drawMore() {
        const m = this.model;
        this.clear(this.moreBox);
        if (!m) return;
        const values = this.values(),
            s = m.run.samples,
            channels = s ? s.channels : [];
        this.summary.textContent =
            "All channels" +
            (s ? " (" + channels.filter(c => !c.missing).length + ")" : "") +
            (values.length > 1 ? " and values (" + values.length + ")" : "");
        if (!this.more.open) return;
        const still = [],
            none = [];
        if (values.length) this.throughput(this.moreBox);
        for (const v of values.slice(1)) this.valueChart(v, this.moreBox);
        for (const c of channels) {
            if (c.missing) none.push([c, c.missing]);
            else if (!MAIN_CHANNELS.includes(c.key)) {
                const list = this.readings(c.key),
                    seen = list.flatMap(l => l.y.filter(v => v != null));
                if (!seen.length) none.push([c, "no reading"]);
                else if (seen.every(v => v === seen[0]))
                    still.push([c, list[0].rate ? "0 a second" : unitText(c.unit, seen[0])]);
                else this.channelChart(c, list);
            }
        }
        for (const [key, what] of [
            ["no_gpu", "GPUs"],
            ["no_rapl", "energy of the processors"],
        ])
            if (m.run.facts[key]) none.push([{help: what}, m.run.facts[key]]);
        if (still.length || none.length)
            this.moreBox.append(
                make(
                    "dl.ch chlist",
                    still.map(([c, text]) => [
                        make("dt", c.help),
                        make("dd", text + (text === "0 a second" ? "" : " all along")),
                    ]),
                    none.map(([c, why]) => [make("dt", c.help), make("dd", "n/a: " + why)]),
                ),
            );
        this.element.dataset.drawn = this.plots.length;
    }

    channelChart(c, list) {
        const isTime = c.unit === "ns" && list[0].rate,
            rate = list[0].rate ? (c.unit === "J" ? "W" : "/s") : "";
        if (isTime) for (const l of list) l.y = l.y.map(v => (v == null ? null : v * 1e-9));
        const read = v =>
            isTime ? unitText("share", v) : rate === "W" ? unitText("W", v) : unitText(c.unit, v) + rate;
        this.add(
            this.moreBox,
            c.key.replace(/_(bytes|ns)$/, "").replace(/_/g, " "),
            this.ofMany(list) +
                upperFirst(c.help) +
                (isTime ? ", share of the time" : rate === "W" ? ", as power" : rate ? ", a second" : ""),
            merged(list),
            this.series(list, read),
            {
                y: zeroBased(),
                read,
                parts: c.unit === "bytes" ? bytesParts : null,
                axis: v => read(v).replace("/s", ""),
            },
        );
    }
}

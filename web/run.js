// run.js: the document of a run (docs/page.md), with accessors for the page.
import {upperFirst} from "./format.js";
import {visible} from "./dom.js";

export function columnOf(columns, key, rows) {
    const c = columns && columns[key];
    if (c == null) return new Array(rows).fill(null);
    if (Array.isArray(c)) return c;
    if ("same" in c) return columnOf(columns, c.same, rows);
    return new Array(rows).fill(c.all);
}

const EMPTY = [];

export class RunModel {
    constructor(doc) {
        this.doc = doc;
        this.count = doc.nodes.count;
        this.cols = new Map();
        this.fields = new Map(doc.fields.map(f => [f.key, f]));
        this.raw = this.col("name");
        this.name = this.raw.map(visible); // as it is shown
        this.parent = this.col("parent");
        this.depth = this.col("depth");
        this.share = this.col("share");
        this.kidsOf = new Map();
        this.roots = [];
        for (let i = 0; i < this.count; i++) {
            const p = this.parent[i];
            if (p == null) this.roots.push(i);
            else if (this.kidsOf.has(p)) this.kidsOf.get(p).push(i);
            else this.kidsOf.set(p, [i]);
        }
        this.wall = doc.summary.wall_ns || 0;
        this.run = doc.runs[0];
        this.findSeries();
    }

    col(key) {
        if (!this.cols.has(key)) this.cols.set(key, columnOf(this.doc.nodes.columns, key, this.count));
        return this.cols.get(key);
    }

    has(key) {
        const c = this.doc.nodes.columns[key];
        return c != null && !(c.all === null) && this.col(key).some(x => x != null);
    }

    kids(i) {
        return this.kidsOf.get(i) || EMPTY;
    }

    reason(key, i) {
        const own = this.doc.nodes.reasons[key];
        return (own && own[i]) || (this.fields.get(key) || {}).why || "not known";
    }

    inside(i) {
        let n = 0;
        const stack = [i];
        while (stack.length)
            for (const k of this.kids(stack.pop())) {
                n++;
                stack.push(k);
            }
        return n;
    }

    names(i, list = this.name) {
        const out = [];
        for (let n = i; n != null; n = this.parent[n]) out.unshift(list[n]);
        return out;
    }

    // The same format as pit_node.path.
    path(i) {
        return this.names(i, this.raw)
            .map(x => x.replace(/[\\/]/g, "\\$&"))
            .join("/");
    }

    at(path) {
        let list = this.roots,
            found = null;
        for (const part of path.match(/(?:\\.|[^\\/])+|(?<=^|\/)(?=\/|$)/g) || []) {
            const name = part.replace(/\\(.)/g, "$1");
            found = list.find(i => this.raw[i] === name);
            if (found == null) return null;
            list = this.kids(found);
        }
        return found;
    }

    findSeries() {
        const s = this.doc.series,
            n = s.node ? (Array.isArray(s.node) ? s.node : [s.node.all]) : [];
        const nodes = columnOf(s, "node", n.length),
            lengths = columnOf(s, "length", nodes.length);
        const widths = columnOf(s, "width_ns", nodes.length);
        let first = 0;
        this.seriesAt = new Map();
        nodes.forEach((node, k) => {
            this.seriesAt.set(node, {first, length: lengths[k], width: widths[k]});
            first += lengths[k];
        });
        this.stretches = first;
    }

    // {start, width, count[], mean[], max[], p50[], p95[]} of a node, or null.
    series(i) {
        const at = this.seriesAt.get(i),
            s = this.doc.series;
        if (!at || !at.length) return null;
        const part = key => columnOf(s, key, this.stretches).slice(at.first, at.first + at.length);
        const count = part("count"),
            total = part("total_ns");
        return {
            width: at.width,
            at: part("at"),
            count,
            total,
            min: part("min_ns"),
            max: part("max_ns"),
            p50: part("p50_ns"),
            p95: part("p95_ns"),
            mean: total.map((t, k) => t / count[k]),
        };
    }

    // The middles of the slices of a node's series, in seconds.
    seriesTimes(i) {
        const s = this.series(i);
        return s.at.map(k => (k + 0.5) * s.width * 1e-9);
    }

    // Nodes of the same name and depth: the batches of several models.
    alike(i) {
        const out = [];
        for (let k = 0; k < this.count; k++)
            if (this.name[k] === this.name[i] && this.depth[k] === this.depth[i]) out.push(k);
        return out;
    }

    // Labels that distinguish nodes of one depth: their names at the first level where they differ.
    apart(list) {
        const paths = list.map(i => this.names(i)),
            level = paths[0].findIndex((name, d) => paths.some(p => p[d] !== name));
        return paths.map(p => p[level]);
    }

    whyNoSeries(i) {
        return (this.col("count")[i] || 0) < 2
            ? "it " + (this.col("count")[i] ? "ran once" : "never finished")
            : "left out of this document: larger spans have theirs";
    }

    // Readings of a channel: {x: seconds, y}; for a counter its growth per second.
    channel(run, key) {
        const s = run.samples;
        if (!s) return null;
        const info = s.channels.find(c => c.key === key);
        if (!info || info.missing || !s.columns || s.columns[key] == null) return null;
        const x = columnOf(s, "at_ns", s.count).map(t => t * 1e-9);
        const own = columnOf({...s.columns, at_ns: s.at_ns}, key, s.count);
        if (info.kind !== "counter") return {info, x, y: own};
        // Two readings close together, as at the end, give no useful rate.
        const least = ((x[x.length - 1] - x[0]) / x.length) * 0.3;
        const y = own.map((v, k) =>
            k && v != null && own[k - 1] != null && x[k] - x[k - 1] > least
                ? (v - own[k - 1]) / (x[k] - x[k - 1])
                : null,
        );
        if (y.length > 1) y[0] = y[1];
        return {info, x, y, rate: true};
    }

    // Keys of channels of any run that have readings.
    channelKeys(pattern) {
        const keys = new Set();
        for (const run of this.doc.runs)
            for (const c of run.samples ? run.samples.channels : [])
                if (!c.missing && pattern.test(c.key)) keys.add(c.key);
        return [...keys];
    }

    // The readings without gaps.
    readingsOf(run, key) {
        const c = this.channel(run, key);
        return c ? c.y.filter(v => v != null) : [];
    }

    // A headline as a sentence. The name of a span stays as it is.
    sentence(text) {
        return (this.name.some(n => n && text.startsWith(n)) ? text : upperFirst(text)) + ".";
    }

    // The time that a finding's savings are a part of, when the advice was made: of the run, or of all threads.
    advised(finding) {
        const s = this.doc.summary,
            isOfRanks = /^(hang|straggler|rotating|comm_bound|ranks_.*)$/.test(finding.rule);
        return Math.max(s.advice_wall_ns || 0, isOfRanks ? 0 : s.advice_in_spans_ns || 0);
    }

    died() {
        return this.doc.runs.some(r => r.state === "died");
    }

    // Growth of a counter per nanosecond, from the first to the last reading; null if unknown.
    rateOf(run, key) {
        const s = run.samples;
        if (!s || !s.columns[key] || s.count < 2) return null;
        const y = columnOf(s.columns, key, s.count),
            at = columnOf(s, "at_ns", s.count),
            last = s.count - 1;
        return y[0] == null || y[last] == null || !(at[last] > at[0])
            ? null
            : (y[last] - y[0]) / (at[last] - at[0]);
    }

    // Processors in use, summed over all runs; null if one is unknown.
    cores() {
        const all = this.doc.runs.map(run => this.rateOf(run, "cpu_ns"));
        return all.includes(null) ? null : all.reduce((a, b) => a + b);
    }

    // The highest peak of memory of any run, that run and its limit.
    peak() {
        let found = this.run;
        for (const run of this.doc.runs)
            if (run.memory.rss_peak_bytes > (found.memory.rss_peak_bytes || 0)) found = run;
        return {run: found, peak: found.memory.rss_peak_bytes, limit: found.limit_bytes};
    }

    // The largest parts of the run that follow one another, to mark the time axis with.
    phases() {
        if (this.doc.runs.length > 1) return [];
        let list = this.roots;
        const first = this.col("first_ns"),
            total = this.col("total_ns"),
            count = this.col("count"),
            open = this.col("open");
        for (let depth = 0; depth < 4; depth++) {
            const big = list.filter(
                i => this.share[i] >= 0.05 && count[i] + (open[i] || 0) === 1 && first[i] != null,
            );
            if (big.length > 1)
                return big
                    .map(i => ({name: this.name[i], from: first[i] * 1e-9, to: (first[i] + total[i]) * 1e-9}))
                    .sort((a, b) => a.from - b.from);
            if (big.length !== 1) return [];
            list = this.kids(big[0]);
        }
        return [];
    }

    events() {
        const e = this.doc.events;
        let n = 0;
        for (const key of ["begin_ns", "duration_ns", "node"])
            if (Array.isArray(e[key])) n = Math.max(n, e[key].length);
        const out = {count: n, of: e.of};
        for (const key of ["run", "thread", "node", "depth", "begin_ns", "duration_ns"])
            out[key] = columnOf(e, key, n);
        return out;
    }
}

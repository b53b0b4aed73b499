// timeline.js: the flight recorder as a time line: the newest single spans, one lane per thread.
import {make, attrs, button, colour, panel, on, visible} from "./dom.js";
import {NS, durationText, countText} from "./format.js";

const LANE = 17,
    LABEL = 96,
    LANES = 24,
    DEEPEST_LANE = 12, // levels drawn of each
    SHOWN_FIRST = 300;

export class TimelinePanel {
    constructor(hooks) {
        this.hooks = hooks;
        this.read = make("span");
        this.element = panel("Flight recorder", "the newest single spans; drag to zoom", [this.read]);
        this.read.parentNode.classList.add("full");
        this.canvas = make("canvas.line");
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "img");
        this.controls = make(
            "div.ft",
            make("span", (this.note = make("span"))),
            make(
                "span.btns",
                button("All kept", () => this.to(this.bounds)),
                button("Newest", () => this.newest()),
                [
                    ["+", () => this.scale(0.5), "closer"],
                    ["−", () => this.scale(2), "further away"],
                    ["‹", () => this.move(-0.4), "earlier"],
                    ["›", () => this.move(0.4), "later"],
                ].map(([sign, act, name]) => attrs(button(sign, act, name), {"aria-label": name})),
            ),
        );
        this.element.append(make("div.linebox", this.canvas), this.controls);
        on(this.canvas, "mousemove", e => this.point(e));
        on(this.canvas, "mouseleave", () => {
            this.drag = null;
            this.said(null);
            this.hooks.hover(null);
        });
        on(this.canvas, "mousedown", e => {
            this.drag = this.timeAt(e.offsetX);
        });
        on(this.canvas, "mouseup", e => this.release(e));
        on(this.canvas, "dblclick", () => this.to(this.bounds));
        on(this.canvas, "keydown", e => this.key(e));
        new ResizeObserver(() => this.paint()).observe(this.element);
        on(matchMedia("(prefers-color-scheme:dark)"), "change", () => this.paint());
    }

    show(model) {
        const e = model.events(),
            lanes = new Map(),
            kept = this.model && this.view;
        this.model = model;
        this.spans = [];
        for (let k = 0; k < e.count; k++)
            this.spans.push({
                run: e.run[k],
                thread: e.thread[k],
                node: e.node[k],
                depth: e.depth[k] - 1,
                from: e.begin_ns[k],
                to: e.begin_ns[k] + e.duration_ns[k],
            });
        model.doc.runs.forEach((run, r) =>
            run.threads.forEach((t, k) =>
                t.open.forEach((o, depth) => {
                    const node = model.at(o.path);
                    if (node != null && !o.detached)
                        this.spans.push({
                            run: r,
                            thread: k,
                            node,
                            depth,
                            from: run.duration_ns - o.open_ns,
                            to: run.duration_ns,
                            open: true,
                        });
                }),
            ),
        );
        this.spread(model);
        for (const s of this.spans)
            if (!lanes.has(s.lane))
                lanes.set(s.lane, {run: s.run, thread: s.thread, apart: s.apart, key: s.lane});
        this.all = [...lanes.values()].sort(
            (x, y) => x.run - y.run || x.thread - y.thread || x.apart - y.apart,
        );
        for (const l of this.all) {
            const run = model.doc.runs[l.run],
                t = run.threads[l.thread];
            l.name =
                (model.doc.runs.length > 1
                    ? run.facts.rank != null
                        ? "r" + run.facts.rank + " "
                        : l.run + 1 + " "
                    : "") +
                (!l.apart && run.threads.some((o, k) => k !== l.thread && o.name === t.name)
                    ? l.thread + 1 + " "
                    : "") +
                (l.apart ? "· apart" : t.name || "thread");
        }
        this.laneOf = new Map(this.all.map(l => [l.key, l]));
        this.element.hidden = !this.spans.length;
        if (!this.spans.length) return;
        this.bounds = [
            this.spans.reduce((a, s) => Math.min(a, s.open ? a : s.from), Infinity),
            this.spans.reduce((a, s) => Math.max(a, s.to), 0),
        ];
        if (!isFinite(this.bounds[0])) this.bounds[0] = this.spans[0].from;
        this.kept = countText(e.count) + " of " + countText(e.of) + " spans are here, the newest";
        this.canvas.setAttribute(
            "aria-label",
            "Time line of the newest " + e.count + " spans on " + this.all.length + " lanes",
        );
        if (kept && !this.isNewest) this.paint();
        else this.newest();
    }

    // The lane of a span. Detached spans and device work overlap others, so they have a separate lane, each in
    // its first free row.
    spread(model) {
        const detached = model.col("detached"),
            rows = new Map();
        this.spans.sort((a, b) => a.from - b.from);
        for (const s of this.spans) {
            s.apart = detached[s.node] ? 1 : 0;
            s.lane = s.run + ":" + s.thread + ":" + s.apart;
            if (!s.apart) continue;
            if (!rows.has(s.lane)) rows.set(s.lane, []);
            const ends = rows.get(s.lane);
            s.depth = ends.findIndex(end => end <= s.from);
            if (s.depth < 0) s.depth = ends.length;
            ends[s.depth] = s.to;
        }
        this.spans.sort((a, b) => a.to - b.to);
    }

    // The lanes with spans in view, each as high as those.
    layout() {
        const [a, b] = this.view;
        let top = 0;
        for (const l of this.all) l.deepest = l.top = -1;
        for (const s of this.spans) {
            const l = this.laneOf.get(s.lane);
            if (s.to >= a && s.from <= b)
                l.deepest = Math.max(l.deepest, Math.min(s.depth, DEEPEST_LANE));
        }
        const inView = this.all.filter(l => l.deepest >= 0);
        this.lanes = inView.slice(0, LANES);
        this.note.textContent =
            this.kept +
            (inView.length > LANES ? "; " + LANES + " of " + inView.length + " threads are drawn" : "");
        for (const l of this.lanes) {
            l.top = top;
            top += (l.deepest + 1) * LANE + 6;
        }
        this.height = top + 20;
    }

    newest() {
        const last = this.spans.filter(s => !s.open).slice(-SHOWN_FIRST);
        const from = last.length ? Math.max(this.bounds[0], last[0].from) : this.bounds[0];
        this.to([Math.min(from, this.bounds[1] - 1), this.bounds[1]]);
        this.isNewest = true;
    }

    to(view) {
        this.isNewest = false;
        this.view = view[1] > view[0] ? view : [view[0], view[0] + 1];
        this.paint();
    }

    scale(by) {
        const [a, b] = this.view,
            middle = (a + b) / 2,
            half = ((b - a) / 2) * by;
        this.to([Math.max(this.bounds[0], middle - half), Math.min(this.bounds[1], middle + half)]);
    }

    move(by) {
        const [a, b] = this.view,
            d = (b - a) * by,
            shift = Math.max(this.bounds[0] - a, Math.min(this.bounds[1] - b, d));
        this.to([a + shift, b + shift]);
    }

    key(e) {
        const act = {
            ArrowLeft: () => this.move(-0.2),
            ArrowRight: () => this.move(0.2),
            "+": () => this.scale(0.5),
            "-": () => this.scale(2),
            Home: () => this.to(this.bounds),
            End: () => this.newest(),
        }[e.key];
        if (!act) return;
        e.preventDefault();
        act();
    }

    timeAt(x) {
        const [a, b] = this.view;
        return a + ((x - LABEL) / Math.max(1, this.width - LABEL)) * (b - a);
    }

    release(e) {
        const to = this.timeAt(e.offsetX),
            from = this.drag;
        this.drag = null;
        if (from == null) return;
        if (Math.abs(to - from) > (this.view[1] - this.view[0]) * 0.01)
            this.to([Math.min(from, to), Math.max(from, to)]);
        else {
            const s = this.at(e);
            if (s) this.hooks.select(s.node, true);
        }
    }

    at(e) {
        const t = this.timeAt(e.offsetX),
            slack = ((this.view[1] - this.view[0]) / this.width) * 2;
        return this.spans
            .filter(s => s.from - slack <= t && s.to + slack >= t)
            .find(s => {
                const {top} = this.laneOf.get(s.lane),
                    y = top + s.depth * LANE;
                return top >= 0 && e.offsetY >= y && e.offsetY < y + LANE;
            });
    }

    point(e) {
        const s = this.at(e);
        this.said(s);
        this.hooks.hover(s ? s.node : null);
        if (this.drag != null) this.paint([this.drag, this.timeAt(e.offsetX)]);
    }

    said(s) {
        this.read.textContent = s
            ? this.model.names(s.node).slice(-4).join(" › ") +
              " · " +
              (s.open ? "open for " : "") +
              durationText(s.to - s.from) +
              " · from " +
              durationText(s.from)
            : "";
    }

    paint(selection) {
        const width = this.canvas.parentNode.clientWidth,
            p = devicePixelRatio || 1;
        if (!width || !this.view || this.element.hidden) return;
        this.layout();
        this.width = width;
        this.canvas.width = width * p;
        this.canvas.height = this.height * p;
        this.canvas.style.height = this.height + "px";
        const x = this.canvas.getContext("2d"),
            [a, b] = this.view,
            at = t => LABEL + ((t - a) / (b - a)) * (width - LABEL);
        const fill = ["--h1", "--h2", "--h3", "--h4", "--h5"].map(colour),
            ink = colour("--ink"),
            ink3 = colour("--ink3"),
            state = this.model.died() ? "--bad" : "--ok",
            edge = colour(state),
            ground = colour(state + "-bg");
        x.scale(p, p);
        x.font = "11px " + colour("--f");
        x.textBaseline = "middle";
        x.fillStyle = ink3;
        for (const l of this.lanes) {
            x.save();
            x.beginPath();
            x.rect(0, l.top, LABEL - 8, LANE);
            x.clip();
            x.fillText(visible(l.name), 0, l.top + LANE / 2);
            x.restore();
        }
        for (const s of this.spans) {
            const l = this.laneOf.get(s.lane);
            if (l.top < 0 || s.to < a || s.from > b || s.depth > DEEPEST_LANE) continue;
            const from = Math.max(LABEL, at(s.from)),
                to = Math.min(width, at(s.to)),
                y = l.top + s.depth * LANE;
            x.fillStyle = s.open ? ground : fill[s.apart ? 0 : Math.min(4, s.depth)];
            x.fillRect(from, y, Math.max(0.75, to - from - 0.5), LANE - 1.5);
            if (s.open) {
                x.strokeStyle = edge;
                x.strokeRect(from + 0.5, y + 0.5, Math.max(1, to - from - 1), LANE - 2.5);
            }
            const name = this.model.name[s.node];
            if (to - from > 24 && x.measureText(name).width < to - from - 6) {
                x.fillStyle = ink;
                x.fillText(name, from + 4, y + LANE / 2);
            }
        }
        x.fillStyle = ink3;
        x.textBaseline = "alphabetic";
        const ticks = width < 600 ? 2 : 4;
        for (let k = 0; k <= ticks; k++) {
            x.textAlign = k === 0 ? "left" : k === ticks ? "right" : "center";
            x.fillText(
                (k ? "+" : "") + durationText(k ? ((b - a) * k) / ticks : a),
                LABEL + ((width - LABEL) * k) / ticks,
                this.height - 4,
            );
        }
        x.textAlign = "left";
        if (selection) {
            x.globalAlpha = 0.16;
            x.fillStyle = colour("--acc");
            x.fillRect(
                Math.min(at(selection[0]), at(selection[1])),
                0,
                Math.abs(at(selection[1]) - at(selection[0])),
                this.height - 18,
            );
            x.globalAlpha = 1;
        }
        this.element.dataset.view = Math.round(b - a) + NS + "ns";
    }
}

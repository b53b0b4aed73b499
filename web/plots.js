// plots.js: one chart: axes, cursor, zoom, marks; all charts of a page share cursor and zoom.
import {make, put, attrs, say, on, visible} from "./dom.js";
import {NS, digits3} from "./format.js";
import {unitOf, high} from "./chart_data.js";
import {setState} from "./state.js";

const HEIGHT = 128;

const asGiven = (u, splits) => splits;

// The panel around them sets box, span, range, marks, ink and whole.
export class Plots {
    constructor() {
        this.plots = [];
    }

    zoom(range) {
        this.range = range;
        this.setting = true;
        for (const u of this.plots)
            u.setScale("x", range ? {min: range[0], max: range[1]} : {min: 0, max: this.span});
        this.setting = false;
        this.whole.hidden = !range;
        setState({t: range ? range.map(x => +x.toPrecision(6)).join("-") : ""});
        say(range ? "zoomed to " + digits3(range[0]) + " to " + digits3(range[1]) + " s" : "the whole run");
    }

    clear(box) {
        for (const u of this.plots.filter(p => box.contains(p.root))) u.destroy();
        this.plots = this.plots.filter(p => !box.contains(p.root));
        box.textContent = "";
    }

    add(box, title, sub, data, series, o) {
        if (o.parts) {
            const [size, unit] = unitOf(o.parts, high(data.slice(1))),
                read = o.read;
            data = [data[0], ...data.slice(1).map(y => y.map(v => (v == null ? null : v / size)))];
            o = {
                ...o,
                read: v => read(v * size),
                axis: v => +v.toPrecision(3) + NS + unit,
                limit: o.limit == null ? null : o.limit / size,
            };
        }
        const c = make("div.ch"),
            legend = make("span.lg"),
            host = make("div");
        put(c, [make("div.ct", make("h3", title), legend), host, make("p.sub", sub)]);
        c.lastChild.title = sub;
        attrs(host, {
            role: "img",
            "aria-label": title + ": " + series.map(s => (s.label || "") + " " + (s.idle || "")).join(", "),
        });
        box.append(c);
        const labels = series.map(s => {
            const e = make(s.dash ? "span.d" : "span");
            e.style.setProperty("--k", s.stroke);
            legend.append(e);
            return e;
        });
        const readOut = u =>
            series.forEach((s, k) => {
                const at = u.cursor.idxs ? u.cursor.idxs[k + 1] : null,
                    v = at == null ? null : data[k + 1][at];
                labels[k].textContent =
                    (s.label ? visible(s.label) + " " : "") +
                    (v != null ? o.read(v) : u.cursor.left >= 0 ? "\u2013" : s.idle || "");
            });
        const u = new uPlot(this.options(host, series, data, o, readOut), data, host);
        readOut(u);
        this.plots.push(u);
        on(u.over, "dblclick", () => this.zoom(null));
        new ResizeObserver(() => {
            if (host.clientWidth && host.clientWidth !== u.width)
                u.setSize({width: host.clientWidth, height: HEIGHT});
        }).observe(host);
    }

    options(host, series, data, o, readOut) {
        const {ink3, line, line2, f} = this.ink,
            font = "11px " + f;
        const range = this.range || [0, this.span];
        return {
            width: (this.cell = this.cell || host.clientWidth || 300),
            height: HEIGHT,
            padding: [8, 20, 0, 0],
            legend: {show: false},
            cursor: {
                sync: {key: "run", setSeries: false},
                drag: {x: true, y: false, setScale: true},
                points: {size: 5},
                y: false,
                dataIdx: (u, si, at) => {
                    const y = data[si];
                    if (!si || y[at] != null) return at;
                    for (let k = 1; k < 6; k++) {
                        if (y[at - k] != null) return at - k;
                        if (y[at + k] != null) return at + k;
                    }
                    return null;
                },
            },
            scales: {
                x: {
                    time: false,
                    min: range[0],
                    max: range[1],
                    range: (u, a, b) => (a == null ? [0, this.span] : [a, b]),
                },
                y: o.y,
            },
            axes: [
                {
                    stroke: ink3,
                    font,
                    grid: {show: false},
                    ticks: {stroke: line2, size: 4, width: 1},
                    size: 24,
                    gap: 3,
                    space: 56,
                    border: {show: true, stroke: line2, width: 1},
                    values: (u, v) => this.times(v),
                },
                {
                    stroke: ink3,
                    font,
                    grid: {stroke: line, width: 1, filter: o.filter || asGiven},
                    ticks: {show: false},
                    size: 54,
                    gap: 6,
                    space: o.space || 26,
                    values: (u, v) => v.map(x => (x == null ? "" : o.axis(x))),
                    filter: o.filter || asGiven,
                },
            ],
            series: [
                {},
                ...series.map(s => ({
                    stroke: s.stroke,
                    width: 1.5,
                    dash: s.dash,
                    spanGaps: s.gaps !== false,
                    points: {show: data[0].length < 2, size: 4},
                })),
            ],
            hooks: {
                setCursor: [readOut],
                setScale: [(u, key) => this.scaled(u, key)],
                draw: [u => this.decorate(u, o)],
            },
        };
    }

    times(list) {
        const top = Math.max(...list.map(x => x || 0));
        const [size, unit] =
            top >= 1e4 ? [3600, "h"] : top >= 200 ? [60, "min"] : top < 0.5 ? [1e-3, "ms"] : [1, "s"];
        return list.map(x => (x == null ? "" : +(x / size).toPrecision(4) + NS + unit));
    }

    scaled(u, key) {
        if (key !== "x" || this.setting) return;
        const {min, max} = u.scales.x;
        if (min > this.span * 1e-5 || max < this.span * (1 - 1e-5)) {
            if (
                !this.range ||
                Math.abs(min - this.range[0]) + Math.abs(max - this.range[1]) > this.span * 1e-6
            )
                this.zoom([min, max]);
        }
    }

    // Phases, and a limit that is on the scale.
    decorate(u, o) {
        const x = u.ctx,
            p = devicePixelRatio || 1,
            {left, top, width, height} = u.bbox;
        x.save();
        x.beginPath();
        x.rect(left, top - 8 * p, width + 20 * p, height + 8 * p);
        x.clip();
        x.font = 10.5 * p + "px " + this.ink.f;
        x.fillStyle = this.ink.ink3;
        x.textBaseline = "top";
        x.textAlign = "left";
        x.strokeStyle = this.ink.line2;
        x.lineWidth = p;
        x.setLineDash([2 * p, 3 * p]);
        for (const m of o.marks === false ? [] : this.marks) {
            const from = u.valToPos(Math.max(m.from, u.scales.x.min), "x", true),
                to = u.valToPos(Math.min(m.to, u.scales.x.max), "x", true);
            if (to <= from) continue;
            if (m.from > this.span * 0.01 && m.from > u.scales.x.min) {
                x.beginPath();
                x.moveTo(Math.round(from) + 0.5, top);
                x.lineTo(Math.round(from) + 0.5, top + height);
                x.stroke();
            }
            let text = m.name;
            const room = to - from - 6 * p;
            if (x.measureText(text).width > room) text = text.split(/[\s_]/)[0];
            if (x.measureText(text).width <= room) x.fillText(text, from + 4 * p, top + 2 * p);
        }
        if (o.limit != null && o.limit <= u.scales.y.max) {
            const y = Math.round(u.valToPos(o.limit, "y", true)) + 0.5;
            x.setLineDash([]);
            x.strokeStyle = o.limitColour || this.ink.bad;
            x.beginPath();
            x.moveTo(left, y);
            x.lineTo(left + width, y);
            x.stroke();
        }
        x.restore();
    }

    empty(box, title, why) {
        const c = make("div.ch");
        put(c, [
            make("div.ct", make("h3", title)),
            make("div.nochart", make("span", "n/a"), make("span", why)),
        ]);
        box.append(c);
    }
}

// tree.js: the call tree: rows of 26 px; only visible rows exist as elements.
import {make, put, attrs, drawn, button, figure, missing, panel, say, sparkline, on} from "./dom.js";
import {kindParts, durationParts, rateParts, countText, percentText, heatOf, upperFirst} from "./format.js";
import {state, setState} from "./state.js";

const ROW = 26,
    ALL_ROWS = 150,
    AHEAD = 15;

// [key, title, class, how]
const COLUMNS = [
    ["name", "Span", "", "name"],
    ["bar", "Share", "", "bar"],
    ["self_share", "Self %", "", "heat"],
    ["share", "Total %", "", "share"],
    ["self_ns", "Self", "sm", "time"],
    ["total_ns", "Total", "sm", "time"],
    ["count", "Count", "mid", "count"],
    ["mean_ns", "Mean", "lo", "time"],
    ["p50_ns", "p50", "mid", "time"],
    ["p95_ns", "p95", "mid", "time"],
    ["p99_ns", "p99", "lo", "time"],
    ["max_ns", "Max", "lo", "time"],
];
// Optional columns, shown if the run has such figures: all of APART, and one of EXTRA.
const APART = ["device_total_ns", "device_wait_ns", "energy_j"];
const EXTRA = ["items_per_s", "bytes_per_s", "flop_per_s", "memory_peak_bytes", "alloc_bytes"];
const ESTIMATED = {p50_ns: 1, p95_ns: 1, p99_ns: 1};

export class TreePanel {
    constructor(hooks) {
        this.hooks = hooks; // select(node), hover(node or null)
        this.toggled = new Set();
        this.element = panel(
            "Call tree",
            "where the time was spent; siblings are sorted, the hierarchy stays",
            [button("Unfold all", () => this.foldAll(true)), button("Fold", () => this.foldAll(false))],
        );
        this.table = attrs(make("table.tree"), {role: "treegrid", "aria-label": "Call tree"});
        this.head = make("tr");
        this.body = make("tbody");
        put(this.table, [make("thead", this.head), this.body]);
        this.none = make("p.none", "");
        this.none.hidden = true;
        put(this.element, [make("div.wide", this.table), this.none, this.footer()]);
        on(this.body, "keydown", e => this.key(e));
        on(this.body, "click", e => this.click(e));
        on(this.body, "dblclick", e => this.toggle(this.nodeOf(e)));
        on(this.body, "mouseover", e => this.hooks.hover(this.nodeOf(e)));
        on(this.body, "mouseleave", () => this.hooks.hover(null));
        const again = () => this.paintWindow();
        on(window, "scroll", again);
        on(window, "resize", again);
        on(window, "beforeprint", () => {
            this.printing = true;
            this.from = -1;
            this.paintWindow();
        });
        on(window, "afterprint", () => {
            this.printing = false;
            this.from = -1;
            this.paintWindow();
        });
    }

    footer() {
        return make(
            "div.ft",
            make("span", make("span.sw a"), "self"),
            make("span", make("span.sw b"), "with what it calls; full width is all time in spans"),
            make("span.sm", "shade of Self %: 1, 5, 10, 20, 40 %"),
            make("span.sm", "~ estimated from the histogram, within 1.6 %; all else measured"),
            make("span.sm", "n/a: point at it for the reason"),
        );
    }

    show(model) {
        this.model = model;
        const apart = APART.filter(key => model.has(key)),
            extra = [...apart, ...EXTRA.filter(key => model.has(key)).slice(0, apart.length ? 0 : 1)];
        this.columns = [
            ...COLUMNS.filter(c => !apart.length || c[0] !== "p99_ns"),
            ...extra.map(key => [key, upperFirst(model.fields.get(key).title), "lo", "kind"]),
            ["series", "Course", "mid", "spark"],
        ];
        this.lower = null;
        this.apply();
    }

    apply() {
        const [key, way] = (state.sort || "total_ns:d").split(":");
        this.sort = {key: this.columns.some(c => c[0] === key) ? key : "total_ns", down: way !== "a"};
        const folds = state.fold || "",
            all = /^[+-]/.test(folds);
        this.all = all ? folds[0] === "+" : null;
        this.toggled = new Set(
            folds
                .slice(all ? 1 : 0)
                .split(",")
                .filter(Boolean)
                .map(p => this.model.at(decodeURIComponent(p)))
                .filter(i => i != null),
        );
        this.chosen = state.node ? this.model.at(state.node) : null;
        this.paintHead();
        this.order();
    }

    isOpen(i) {
        const own = this.all != null ? this.all : this.model.share[i] == null || this.model.share[i] >= 0.2;
        return this.toggled.has(i) ? !own : own;
    }

    paintHead() {
        this.head.textContent = "";
        for (const [key, title, cls, how] of this.columns) {
            const th = attrs(make("th.c-" + key + " " + cls), {scope: "col"});
            if (how === "spark") put(th, title);
            else {
                const by = how === "bar" ? "share" : key;
                const b = make("button", title);
                const f = this.model.fields.get(by);
                if (f) b.title = f.help;
                b.type = "button";
                on(b, "click", () => this.sortBy(by));
                th.append(b);
                if (how !== "bar")
                    th.setAttribute(
                        "aria-sort",
                        this.sort.key === key ? (this.sort.down ? "descending" : "ascending") : "none",
                    );
            }
            this.head.append(th);
        }
    }

    sortBy(key) {
        const down = this.sort.key === key ? !this.sort.down : key !== "name";
        setState({sort: key === "total_ns" && down ? "" : key + ":" + (down ? "d" : "a")});
        this.sort = {key, down};
        this.paintHead();
        this.order();
        say("sorted by " + key + (down ? ", largest first" : ", smallest first"));
    }

    compare() {
        const c = this.model.col(this.sort.key),
            way = this.sort.down ? -1 : 1;
        if (this.sort.key === "name") return (a, b) => way * (c[a] < c[b] ? -1 : c[a] > c[b] ? 1 : a - b);
        return (a, b) => {
            if (c[a] == null || c[b] == null) return (c[a] == null) - (c[b] == null) || a - b;
            return way * (c[a] - c[b]) || a - b;
        };
    }

    // The rows in order; with a search, the matches and the spans around them.
    order() {
        const m = this.model,
            q = (state.q || "").toLowerCase(),
            by = this.compare(),
            rows = [];
        const isPlain = this.sort.key === "total_ns" && this.sort.down;
        let keep = null;
        this.matches = null;
        if (q) {
            if (!this.lower) this.lower = m.name.map(n => n.toLowerCase());
            keep = new Set();
            this.matches = new Set();
            for (let i = 0; i < m.count; i++) {
                if (q.includes("/") ? !m.path(i).toLowerCase().includes(q) : !this.lower[i].includes(q))
                    continue;
                this.matches.add(i);
                for (let n = i; n != null && !keep.has(n); n = m.parent[n]) keep.add(n);
            }
            say(this.matches.size + " of " + m.count + " spans match");
        }
        const stack = [];
        const pushAll = list => {
            const kids = keep ? list.filter(i => keep.has(i)) : list;
            const sorted = isPlain ? kids : kids.slice().sort(by);
            for (let k = sorted.length; k-- > 0;) stack.push(sorted[k]);
        };
        pushAll(m.roots);
        while (stack.length) {
            const i = stack.pop();
            rows.push(i);
            if (m.kids(i).length && (keep ? !this.toggled.has(i) : this.isOpen(i))) pushAll(m.kids(i));
        }
        this.rows = rows;
        this.place = null;
        this.none.hidden = rows.length > 0;
        this.none.textContent = q
            ? "No span has “" + state.q + "” in its name."
            : this.model.sentence(this.model.doc.summary.no_spans);
        this.from = -1;
        this.table.setAttribute("aria-rowcount", rows.length + 1);
        this.paintWindow();
    }

    placeOf(i) {
        if (!this.place) this.place = new Map(this.rows.map((n, k) => [n, k]));
        const at = this.place.get(i);
        return at == null ? -1 : at;
    }

    // The rows on the screen and some around them; a short list is complete.
    paintWindow() {
        if (!this.rows) return;
        let from = 0,
            to = this.rows.length;
        if (to > ALL_ROWS && !this.printing) {
            const top = this.body.getBoundingClientRect().top;
            from = Math.max(0, Math.floor(-top / ROW) - AHEAD);
            to = Math.min(to, Math.ceil((innerHeight - top) / ROW) + AHEAD);
            from = Math.min(from - (from % 10), Math.max(0, this.rows.length - 1));
            to = Math.max(from + 1, Math.min(this.rows.length, to + 10 - (to % 10)));
        } else if (this.printing) to = Math.min(to, 400);
        if (from === this.from && to === this.to) return;
        this.from = from;
        this.to = to;
        const focused = this.body.contains(document.activeElement)
            ? this.nodeOf({target: document.activeElement})
            : null;
        const list = document.createDocumentFragment();
        if (from > 0) list.append(this.spacer(from));
        for (let k = from; k < to; k++) list.append(this.row(this.rows[k], k));
        if (to < this.rows.length) list.append(this.spacer(this.rows.length - to));
        this.body.textContent = "";
        this.body.append(list);
        if (!this.body.querySelector('[tabindex="0"]')) {
            const first = this.body.querySelector("[data-i]");
            if (first) first.tabIndex = 0;
        }
        if (focused != null) {
            const e = this.rowOf(focused);
            if (e) e.focus({preventScroll: true});
        }
    }

    spacer(rows) {
        const td = attrs(make("td"), {colspan: this.columns.length});
        td.style.height = rows * ROW + "px";
        return attrs(make("tr.space", td), {"aria-hidden": "true"});
    }

    rowOf(i) {
        return this.body.querySelector('[data-i="' + i + '"]');
    }

    row(i, place) {
        const m = this.model,
            kids = m.kids(i).length,
            open = kids > 0 && (this.matches ? !this.toggled.has(i) : this.isOpen(i));
        const tr = attrs(make("tr"), {
            role: "row",
            "data-i": i,
            "aria-level": m.depth[i] + 1,
            "aria-rowindex": place + 2,
            "aria-selected": i === this.chosen,
        });
        tr.tabIndex = i === this.chosen ? 0 : -1;
        if (i === this.chosen) tr.classList.add("sel");
        if (this.matches && !this.matches.has(i)) tr.classList.add("dim");
        if (kids) tr.setAttribute("aria-expanded", open);
        for (const c of this.columns)
            tr.append(
                attrs(make("td.c-" + c[0] + " " + c[2], this.cell(i, c, kids, open)), {role: "gridcell"}),
            );
        return tr;
    }

    nameCell(i, kids, open) {
        const m = this.model,
            nm = make("div.nm");
        for (let k = 0; k < Math.min(m.depth[i], 40); k++) nm.append(make("i"));
        const cv = make("span.cv" + (open ? " open" : ""));
        if (kids)
            cv.append(
                drawn(
                    "svg",
                    {viewBox: "0 0 8 8", "aria-hidden": "true"},
                    drawn("path", {
                        d: "M2 .5 6 4 2 7.5",
                        fill: "none",
                        stroke: "currentColor",
                        "stroke-width": 1.4,
                    }),
                ),
            );
        const x = make("span.x", m.name[i].trim() ? m.name[i] : JSON.stringify(m.name[i]));
        x.title = m.names(i).join(" › ");
        put(nm, [cv, x]);
        if (kids && !open) nm.append(make("span.fold sm", countText(m.inside(i)) + " inside"));
        if (m.col("open")[i] > 0) nm.append(make(m.died() ? "span.op" : "span.op now", "open"));
        if (m.col("detached")[i]) {
            const isDevice = m.col("on_device")[i];
            nm.append(
                attrs(make("span.tag", isDevice ? "device" : "detached"), {
                    title: isDevice
                        ? "device work, parallel to the host"
                        : "overlaps others; not in its parent's time",
                }),
            );
        }
        return nm;
    }

    cell(i, [key, , , how], kids, open) {
        const m = this.model;
        if (how === "name") return this.nameCell(i, kids, open);
        if (how === "spark") return this.spark(i);
        if (how === "bar") {
            const b = make("span.bar"),
                total = make("b"),
                self = make("em");
            total.style.width = Math.min(1, m.share[i] || 0) * 100 + "%";
            self.style.width = Math.min(1, m.col("self_share")[i] || 0) * 100 + "%";
            return put(b, [total, self]);
        }
        const x = m.col(key)[i];
        if (x == null) return how === "kind" ? "" : missing(m.reason(key, i));
        if (how === "heat") {
            const g = heatOf(x);
            return make("span.ht num pc" + (g ? " g" + g : " z") + (g > 2 ? " lead" : ""), percentText(x));
        }
        if (how === "share") return make(x < 0.01 ? "span.z" : "span", percentText(x));
        if (how === "count") return countText(x);
        if (how === "time") return figure(durationParts(x), ESTIMATED[key] && m.col("count")[i] > 1);
        const kind = m.fields.get(key).kind;
        return figure(
            kind === "rate" ? rateParts(x) : kindParts(kind, x).map((t, k) => (k ? t.replace("/s", "") : t)),
        );
    }

    spark(i) {
        const s = this.model.series(i);
        return sparkline(s ? s.at : [], s ? s.mean : []);
    }

    nodeOf(e) {
        const tr = e.target.closest && e.target.closest("[data-i]");
        return tr ? +tr.dataset.i : null;
    }

    click(e) {
        const i = this.nodeOf(e);
        if (i == null) return;
        if (e.target.closest(".cv") && this.model.kids(i).length) this.toggle(i);
        else this.hooks.select(i);
    }

    keepFolds() {
        const list = [...this.toggled].slice(0, 60).map(i => encodeURIComponent(this.model.path(i)));
        setState({fold: (this.all == null ? "" : this.all ? "+" : "-") + list.join(",")});
    }

    toggle(i, want) {
        if (i == null || !this.model.kids(i).length) return;
        const now = this.matches ? !this.toggled.has(i) : this.isOpen(i);
        if (want != null && want === now) return;
        if (this.toggled.has(i)) this.toggled.delete(i);
        else this.toggled.add(i);
        if (!this.matches) this.keepFolds();
        this.order();
    }

    foldAll(open) {
        this.toggled.clear();
        this.all = open;
        this.keepFolds();
        this.order();
    }

    // Show a node: unfold the spans around it.
    choose(i, reveal) {
        this.chosen = i;
        if (i != null && reveal)
            for (let p = this.model.parent[i]; p != null; p = this.model.parent[p])
                if (!this.isOpen(p)) {
                    if (this.toggled.has(p)) this.toggled.delete(p);
                    else this.toggled.add(p);
                }
        if (reveal) this.order();
        for (const tr of this.body.querySelectorAll("[data-i]")) {
            const is = +tr.dataset.i === i;
            tr.classList.toggle("sel", is);
            tr.setAttribute("aria-selected", is);
            tr.tabIndex = is ? 0 : -1;
        }
        if (reveal && i != null) this.scrollTo(i, true);
    }

    scrollTo(i, center) {
        const place = this.placeOf(i);
        if (place < 0) return;
        const top = this.body.getBoundingClientRect().top + place * ROW;
        if (center || top < 60 || top > innerHeight - 2 * ROW)
            scrollBy(0, center ? top - innerHeight / 2 : top < 60 ? top - 100 : top - innerHeight + 3 * ROW);
        this.paintWindow();
        const e = this.rowOf(i);
        if (e) e.focus({preventScroll: true});
    }

    hot(i) {
        for (const tr of this.body.querySelectorAll(".hot")) tr.classList.remove("hot");
        const e = i == null ? null : this.rowOf(i);
        if (e) e.classList.add("hot");
    }

    key(e) {
        const i = this.nodeOf(e);
        if (i == null || e.ctrlKey || e.metaKey || e.altKey) return;
        const at = this.placeOf(i),
            kids = this.model.kids(i).length,
            open = kids && (this.matches ? !this.toggled.has(i) : this.isOpen(i));
        let to = {
            ArrowDown: at + 1,
            ArrowUp: at - 1,
            Home: 0,
            End: this.rows.length - 1,
            PageDown: at + 20,
            PageUp: at - 20,
        }[e.key];
        if (e.key === "ArrowRight") {
            if (kids && !open) this.toggle(i, true);
            else if (kids) to = at + 1;
        } else if (e.key === "ArrowLeft") {
            if (open) this.toggle(i, false);
            else if (this.model.parent[i] != null) to = this.placeOf(this.model.parent[i]);
        } else if (e.key === "Enter" || e.key === " ") this.hooks.select(i);
        else if (to == null) return;
        e.preventDefault();
        if (to == null) {
            const own = this.rowOf(i);
            if (own) own.focus();
            return;
        }
        to = Math.max(0, Math.min(this.rows.length - 1, to));
        for (const tr of this.body.querySelectorAll('[tabindex="0"]')) tr.tabIndex = -1;
        this.scrollTo(this.rows[to]);
        const e2 = this.rowOf(this.rows[to]);
        if (e2) e2.tabIndex = 0;
        this.hooks.hover(this.rows[to]);
    }
}

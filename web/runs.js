// runs.js: the runs of the folders; runs that need attention come first.
import {make, attrs, button, linkTo, missing, sparkline, on, morph, whenReleased} from "./dom.js";
import {durationText, bytesText, percentWords, ageText, countText} from "./format.js";
import {state, setState, hashOf} from "./state.js";
import {words} from "./live.js";

const SHOWN_RUNS = 400;
const NEED_WORD = {near_limit: "near its limit", act: "live: act", ended: "done"};
const NEED_CLASS = {died: "died", stalled: "died", near_limit: "warn", act: "warn", live: "live"};

export class RunsPage {
    constructor(root) {
        this.rows = new Map();
        this.version = "";
        this.more = false;
        this.chosen = new Map(); // id: "A" or "B"
        this.input = attrs(make("input"), {
            type: "search",
            placeholder: "Filter runs",
            "aria-label": "Filter runs",
        });
        this.input.value = state.q || "";
        on(this.input, "input", () => {
            setState({q: this.input.value});
            this.paint();
        });
        this.note = make("span.meta");
        this.compare = make("span.right");
        this.table = make("div.wide");
        this.notes = make("div.ft");
        const bar = make(
            "header.top",
            make(
                "div",
                make("a.brand", "Pitwall"),
                make("span.sep", "/"),
                make("h1", "Runs"),
                this.note,
                make("label.search", this.input, make("kbd", "/")),
            ),
        );
        bar.querySelector("a").href = "#";
        root.append(
            bar,
            make(
                "main",
                (this.panel = attrs(
                    make(
                        "section.panel runs",
                        make(
                            "div.hd",
                            make("h2", "Runs"),
                            make(
                                "span.note sm",
                                "runs that need attention first: died, stalled, near their limit",
                            ),
                            this.compare,
                        ),
                        this.table,
                        this.notes,
                    ),
                    {"aria-label": "Runs"},
                )),
            ),
        );
        document.title = "Runs · Pitwall";
    }

    // An answer of the server; null: nothing has changed.
    take(doc) {
        if (!doc) return;
        if (doc.all) this.rows.clear();
        const keys = Object.keys(doc.runs),
            count = doc.runs.id.length;
        for (let k = 0; k < count; k++) {
            const row = {};
            for (const key of keys) row[key] = doc.runs[key][k];
            this.rows.set(row.id, row);
        }
        for (const id of doc.gone || []) this.rows.delete(id);
        this.version = doc.v || "";
        this.unreadable = doc.unreadable;
        whenReleased(() => this.paint());
    }

    failed(error) {
        this.note.textContent = words(error);
    }

    ordered() {
        const q = (state.q || "").toLowerCase();
        const text = r =>
            [
                r.program,
                r.host,
                r.job,
                r.headline,
                r.state,
                r.need,
                r.path,
                r.rank != null ? "rank " + r.rank : "",
            ]
                .join(" ")
                .toLowerCase();
        return [...this.rows.values()]
            .filter(r => !q || text(r).includes(q))
            .sort(
                (a, b) =>
                    (a.order || 0) - (b.order || 0) || b.started_s - a.started_s || (a.id < b.id ? -1 : 1),
            );
    }

    paint() {
        const list = this.ordered(),
            shown = this.more ? list : list.slice(0, SHOWN_RUNS);
        const jobs = new Map();
        for (const r of list) if (r.job) jobs.set(r.job, (jobs.get(r.job) || 0) + 1);
        const head = make(
            "tr",
            ["A/B", "State", "Program", "Started", "Took", "What stands out", "Memory", "RSS", "Where"].map(
                (t, k) => {
                    const th = make(
                        "th." + ["pick", "", "", "", "mid num", "what", "mem", "lo spk", "mid"][k],
                        t,
                    );
                    th.scope = "col";
                    return th;
                },
            ),
        );
        const rows = [],
            groups = new Set();
        for (const r of shown) {
            if (r.job && jobs.get(r.job) > 1) {
                if (groups.has(r.job)) continue;
                groups.add(r.job);
                const ranks = shown
                    .filter(x => x.job === r.job)
                    .sort((a, b) => (+a.rank || 0) - (+b.rank || 0));
                const all = linkTo(hashOf({run: ranks[0].id, ranks: "all", q: ""}), "Job " + r.job),
                    td = attrs(make("td.job", all, ": " + ranks.length + " ranks, together"), {colspan: 9});
                rows.push(attrs(make("tr.jobrow", td), {"data-key": "job " + r.job}));
                rows.push(...ranks.map(x => this.row(x)));
            } else rows.push(this.row(r));
        }
        if (!this.body) {
            this.body = make("tbody");
            this.table.append(make("table.runlist", make("thead", head), this.body));
        }
        this.place(rows);
        this.note.textContent =
            countText(this.rows.size) +
            (this.rows.size === 1 ? " run" : " runs") +
            (list.length < this.rows.size ? ", " + countText(list.length) + " match" : "");
        this.notes.textContent = "";
        if (!list.length)
            this.notes.append(
                this.rows.size
                    ? "No run matches."
                    : "No runs yet: they appear here as soon as a program writes one.",
            );
        if (shown.length < list.length)
            this.notes.append(
                button("Show all " + countText(list.length), () => {
                    this.more = true;
                    this.paint();
                }),
            );
        const bad = this.unreadable ? this.unreadable.path : [];
        if (bad.length)
            this.notes.append(
                make(
                    "span",
                    (bad.length === 1 ? "1 file" : bad.length + " files") +
                        " cannot be read: " +
                        bad
                            .slice(0, 3)
                            .map((p, k) => p + " (" + this.unreadable.why[k] + ")")
                            .join(", "),
                ),
            );
        this.paintCompare();
        this.panel.dataset.rows = shown.length;
    }

    // A row that is shown already stays the same element, and moves only if the order changed.
    place(rows) {
        const shown = new Map([...this.body.children].map(e => [e.dataset.key, e])),
            keys = new Set(rows.map(e => e.dataset.key));
        for (const [key, e] of shown) if (!keys.has(key)) e.remove();
        rows.forEach((row, k) => {
            const old = shown.get(row.dataset.key),
                e = old || row;
            if (old) morph(old, row);
            if (this.body.children[k] !== e) this.body.insertBefore(e, this.body.children[k] || null);
        });
    }

    // The sides of a comparison: runs chosen as A and as B, one or several each.
    paintCompare() {
        this.compare.textContent = "";
        for (const id of this.chosen.keys()) if (!this.rows.has(id)) this.chosen.delete(id);
        const side = name => [...this.chosen.keys()].filter(id => this.chosen.get(id) === name),
            [a, b] = [side("A"), side("B")],
            many = list => (list.length > 1 ? " (" + list.length + " runs)" : "");
        if (a.length && b.length)
            this.compare.append(
                linkTo(
                    hashOf({run: a.join(), with: b.join(), q: ""}),
                    "Compare A" + many(a) + " with B" + many(b),
                ),
            );
        else if (a.length || b.length) this.compare.textContent = "choose a run for the other side";
    }

    // Cycles through none, A and B; the first chosen run becomes A, later ones B.
    choose(id) {
        const now = this.chosen.get(id);
        if (now === "B") this.chosen.delete(id);
        else this.chosen.set(id, now === "A" || [...this.chosen.values()].includes("A") ? "B" : "A");
        this.paint();
    }

    row(r) {
        const byParent = r.state === "ended",
            word = byParent ? "ended" : NEED_WORD[r.need] || r.need || r.state,
            cls = NEED_CLASS[r.need] || "done",
            side = this.chosen.get(r.id),
            box = button(side || "·", () => this.choose(r.id), "compare: A, B or neither");
        box.classList.toggle("lead", !!side);
        attrs(box, {
            "aria-label": "Compare " + r.program + " " + r.id + ": " + (side || "no side"),
        });
        const a = linkTo(
            hashOf({run: r.id, q: ""}),
            r.program || "(no name)",
            r.rank != null ? " rank " + r.rank : "",
        );
        const share = r.limit_share,
            memory = make("div.membar");
        if (share != null) {
            const bar = make("span.bar"),
                fill = make(share > 0.9 ? "em.hi" : "em");
            fill.style.width = Math.min(1, share) * 100 + "%";
            bar.append(fill);
            memory.append(bar);
        }
        memory.append(
            make(
                "span",
                r.rss_bytes == null
                    ? missing("no reading")
                    : bytesText(r.rss_bytes) + (share != null ? ", " + percentWords(share) : ""),
            ),
        );
        const where = attrs(
            make("td.mid z", [r.path.replace(/.*\/|\.pit$/g, ""), r.host, r.parent && "sub-run"].filter(Boolean).join(", ")),
            {title: r.path},
        );
        const what = make("td.what", r.note && r.note + "; ", r.headline || make("span.z", "not analysed yet"));
        what.title = r.headline || "";
        const pill = attrs(make("span.pill " + cls, word), {title: byParent ? "by its parent" : null});
        const tr = make(
            "tr",
            make("td.pick", box),
            make("td", pill),
            make("td.prog", a),
            make("td", ageText(r.started_s * 1e3)),
            make(
                "td.mid num",
                r.duration_s == null ? missing("not known") : durationText(r.duration_s * 1e9),
            ),
            what,
            make("td.mem", memory),
            make(
                "td.lo spk",
                sparkline(
                    (r.spark_bytes || []).map((v, k) => k),
                    r.spark_bytes || [],
                ),
            ),
            where,
        );
        return attrs(tr, {"data-key": r.id});
    }
}

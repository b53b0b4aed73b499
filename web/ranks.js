// ranks.js: the ranks of a job: a heat map of the step along the run, and the straggler in one sentence.
import {make, put, drawn, panel, on} from "./dom.js";
import {NS, durationText} from "./format.js";

function median(list) {
    const a = list.filter(x => x != null).sort((x, y) => x - y);
    return a.length ? (a[(a.length - 1) >> 1] + a[a.length >> 1]) / 2 : null;
}

export function ranksPanel(model) {
    const R = model.doc.ranks;
    if (!R || R.rank.length < 2) return null;
    const key = make(
        "span.key",
        "faster",
        (() => {
            const k = drawn("svg", {viewBox: "0 0 6 1", preserveAspectRatio: "none", "aria-hidden": "true"});
            for (let i = 0; i < 6; i++)
                k.append(drawn("rect", {x: i, y: 0, width: 0.94, height: 1, class: "q" + i}));
            return k;
        })(),
        "slower",
    );
    const w = panel("Ranks", "work of " + R.step + " without communication, along the run", key);
    if (R.sentence) w.append(make("p.rsent", R.sentence));
    const cells = R.cells,
        all = cells
            .flat()
            .filter(x => x != null)
            .sort((a, b) => a - b);
    const low = all[Math.floor(all.length * 0.02)],
        high = all[Math.floor(all.length * 0.98)] || 1,
        slices = cells[0].length;
    const mids = R.p50_ns,
        slowest = R.slowest,
        read = make("span.hdr", "first to last slice of the run");
    const grid = make(
        "div.rk",
        make("span.hdr", "rank"),
        read,
        make("span.hdr r", "median"),
        make("span.hdr r", "± others"),
    );
    R.rank.forEach((name, k) => {
        const svg = drawn("svg", {
            viewBox: "0 0 " + slices + " 1",
            preserveAspectRatio: "none",
            "shape-rendering": "crispEdges",
            role: "img",
            "aria-label": "rank " + name + ", median " + (mids[k] == null ? "n/a" : durationText(mids[k])),
        });
        cells[k].forEach((v, s) => {
            if (v == null) return;
            svg.append(
                drawn("rect", {
                    x: s,
                    y: 0,
                    width: 1,
                    height: 1,
                    class: "q" + Math.max(0, Math.min(5, Math.floor(((v - low) / (high - low || 1)) * 6))),
                }),
            );
        });
        on(svg, "mousemove", e => {
            const box = svg.getBoundingClientRect(),
                s = Math.min(slices - 1, Math.floor(((e.clientX - box.left) / box.width) * slices));
            read.textContent =
                "rank " +
                name +
                ", slice " +
                (s + 1) +
                ": " +
                (cells[k][s] == null ? "n/a" : durationText(cells[k][s]));
        });
        on(svg, "mouseleave", () => {
            read.textContent = "first to last slice of the run";
        });
        const mark = k === slowest ? " b" : "",
            rest = median(mids.filter((x, n) => n !== k));
        if (k === slowest) svg.setAttribute("class", "str");
        const d = mids[k] == null || !rest ? null : (mids[k] / rest - 1) * 100;
        put(grid, [
            make("span." + mark, name),
            make("div.row", svg),
            make("span.r" + mark, mids[k] == null ? "n/a" : durationText(mids[k])),
            make(
                "span.r" + (mark || " u"),
                d == null
                    ? "n/a"
                    : (Math.abs(d) < 0.5 ? "" : d < 0 ? "\u2212" : "+") + Math.abs(d).toFixed(0) + NS + "%",
            ),
        ]);
    });
    w.append(grid);
    w.append(make("div.ft", slowest == null ? "No straggler." : "Outlined: the straggler."));
    return w;
}

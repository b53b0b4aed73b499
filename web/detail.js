// detail.js: every figure of the selected span, and where in the code it ran.
import {make, panel} from "./dom.js";
import {kindText, countText, percentWords} from "./format.js";

const LEFT_OUT = {name: 1, depth: 1, parent: 1, detached: 1};
// Shown even if they are zero.
const ALWAYS = new Set(["count", "total_ns", "self_ns", "share", "self_share"]);
const FEW_SAMPLES = 5; // not about where time goes
const GUESSED = {p50_ns: 1, p95_ns: 1, p99_ns: 1};

function placesOf(model, i) {
    const path = model.path(i),
        list = (model.doc.places || [])
            .filter(p => p.span === path && p.span_samples >= FEW_SAMPLES && (p.function || p.file))
            .slice(0, 6);
    if (!list.length) return null;
    return make(
        "div.places",
        make("h3", "Where in the code, by samples of the stack"),
        list.map(p =>
            make(
                "div.ln",
                make(
                    "span",
                    (p.function || "?") + (p.file ? " (" + p.file + (p.line ? ":" + p.line : "") + ")" : ""),
                ),
                make("span.mut", countText(p.samples) + " of " + countText(p.span_samples) + " samples"),
                make("span.w", "~" + percentWords(p.share)),
            ),
        ),
    );
}

export function detailPanel(model, i) {
    const w = panel("Chosen span", i == null ? "" : model.names(i).join(" › "));
    w.classList.add("detail");
    w.hidden = i == null;
    if (i == null) return w;
    const absent = new Map(),
        list = make("dl.figs2");
    const zeros = [];
    let count = 0;
    for (const f of model.doc.fields) {
        if (LEFT_OUT[f.key]) continue;
        const x = model.col(f.key)[i];
        if (x == null) {
            const why = model.reason(f.key, i);
            absent.set(why, [...(absent.get(why) || []), f.title]);
            count++;
            continue;
        }
        if (!x && f.kind !== "text" && !ALWAYS.has(f.key)) {
            zeros.push(f.title);
            continue;
        }
        const dt = make("dt", f.title),
            text = f.kind === "text" ? x : kindText(f.kind, x);
        dt.title = f.help;
        list.append(
            make("div", dt, make("dd", (GUESSED[f.key] && model.col("count")[i] > 1 ? "~" : "") + text)),
        );
    }
    w.append(list);
    const places = placesOf(model, i);
    if (places) w.append(places);
    if (count + zeros.length)
        w.append(
            make(
                "details.absent",
                make(
                    "summary",
                    count +
                        " more figures are n/a" +
                        (zeros.length ? ", " + zeros.length + " are zero" : "") +
                        ": which, and why",
                ),
                zeros.length ? make("p", zeros.join(", ") + ": zero") : null,
                [...absent].map(([why, titles]) => make("p", titles.join(", ") + ": n/a, " + why)),
            ),
        );
    return w;
}

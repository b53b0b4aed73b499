// compare.js: two runs side by side, with the verdict of `pitwall compare`.
import {make, panel, linkTo, missing, table} from "./dom.js";
import {NS, kindText, durationText, upperFirst} from "./format.js";

const SHOWN = 14;

function change(x) {
    return x == null
        ? "n/a"
        : (x > 0 ? "+" : x < 0 ? "\u2212" : "") + Math.abs(x * 100).toFixed(1) + NS + "%";
}

// Times of the comparison are in seconds.
function sizeOf(item, x) {
    if (x == null) return missing(item.reason);
    return item.kind === "time"
        ? durationText(x * 1e9)
        : kindText(item.kind === "memory" ? "bytes" : item.kind, x);
}

const WORD = {none: "no verdict", same: "the same"};
const GOOD = {faster: "ok", less: "ok", slower: "bad", more: "bad"};

export function comparePanel(doc, away) {
    const w = panel(
        "A / B",
        doc.sides.map(s => s.side + ": " + s.name).join(" · "),
        away ? linkTo(away, "Leave the comparison") : null,
    );
    w.classList.add("ab");
    w.append(make("p.rsent", upperFirst(doc.headline)));
    if (doc.advisory)
        w.append(
            make(
                "p.abnote",
                "Advisory: the runs were not interleaved, so changes of the machine count too; pitwall race interleaves them.",
            ),
        );
    const rows = doc.comparisons
        .slice()
        .sort(
            (a, b) =>
                b.is_whole - a.is_whole ||
                (a.verdict === "none") - (b.verdict === "none") ||
                (a.kind === "memory") - (b.kind === "memory") ||
                (b.a || 0) - (a.a || 0),
        );
    const cells = c => {
        const verdict = make("td." + (GOOD[c.verdict] || "z"), WORD[c.verdict] || c.verdict);
        if (c.reason) verdict.title = c.reason;
        return [
            make(c.is_whole ? "td.lead" : "td", c.what),
            sizeOf(c, c.a),
            sizeOf(c, c.b),
            change(c.change),
            make("td.mid z", c.low == null ? "" : change(c.low) + " … " + change(c.high)),
            verdict,
            make("td.mid z", c.verdict === "none" ? c.reason || "" : c.decided_by || ""),
        ];
    };
    w.append(
        table(
            ["What", "A", "B", "Change", make("th.mid", "Between"), "Verdict", make("th.mid", "By")],
            rows.slice(0, SHOWN).map(cells),
        ),
    );
    const only = doc.only || [];
    w.append(
        make(
            "div.ft",
            make(
                "span",
                rows.length > SHOWN
                    ? rows.length - SHOWN + " more comparisons: pitwall compare prints them all"
                    : rows.length + " comparisons",
            ),
            only.length
                ? make(
                      "span",
                      only
                          .slice(0, 5)
                          .map(o => o.what + " only in " + o.side)
                          .join(", ") + (only.length > 5 ? " and " + (only.length - 5) + " more" : ""),
                  )
                : null,
            make(
                "span",
                "intervals of " +
                    Math.round((1 - doc.level) * 100) +
                    NS +
                    "%; differences below " +
                    (doc.effect * 100).toFixed(1) +
                    NS +
                    "% are the same",
            ),
        ),
    );
    return w;
}

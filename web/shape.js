// shape.js: the tree as an icicle: width is total time, shade is self time.
import {make, panel, colour, on} from "./dom.js";
import {durationText, percentText, countText, heatOf, NS} from "./format.js";

const LEVEL = 22,
    DEEPEST = 40,
    LEAST = 0.0014; // share of the width: less than two pixels

export class ShapePanel {
    constructor(hooks) {
        this.hooks = hooks;
        this.read = make("span.full");
        this.element = panel("Shape of the run", "width is total time, shade is self time", this.read);
        this.read.parentNode.classList.add("full");
        this.box = make("div.ice");
        this.box.setAttribute("role", "img");
        this.element.append(this.box);
        on(this.box, "mouseover", e => this.hooks.hover(this.nodeOf(e)));
        on(this.box, "mouseleave", () => this.hooks.hover(null));
        on(this.box, "click", e => {
            const i = this.nodeOf(e);
            if (i != null) this.hooks.select(i, true);
        });
        new ResizeObserver(() => this.labels()).observe(this.box);
    }

    nodeOf(e) {
        return e.target.dataset && e.target.dataset.n != null ? +e.target.dataset.n : null;
    }

    show(model) {
        this.model = model;
        const total = model.col("total_ns"),
            self = model.col("self_share"),
            list = document.createDocumentFragment();
        let deepest = 0,
            drawnCount = 0;
        const place = (kids, from, depth) => {
            let x = from;
            for (const i of kids.slice().sort((a, b) => total[b] - total[a])) {
                const share = model.share[i];
                if (share == null) continue;
                if (share < LEAST || x > 1) break; // the others are even smaller
                const e = make("div.g" + heatOf(self[i] || 0));
                e.dataset.n = i;
                e.style.left = "calc(" + x * 100 + "% + .5px)";
                e.style.width = "max(1px,calc(" + Math.min(share, 1 - x) * 100 + "% - 1px))";
                e.style.top = depth * LEVEL + "px";
                list.append(e);
                deepest = Math.max(deepest, depth);
                if (++drawnCount < 4000 && depth < DEEPEST) place(model.kids(i), x, depth + 1);
                x += share;
            }
        };
        place(model.roots, 0, 0);
        this.box.textContent = "";
        this.box.append(list);
        this.box.style.height = (deepest + 1) * LEVEL - 1 + "px";
        this.element.hidden = !drawnCount;
        this.box.setAttribute(
            "aria-label",
            "Icicle chart of " + drawnCount + " spans; the call tree above has the same figures",
        );
        requestAnimationFrame(() => this.labels());
        this.hot(null);
    }

    // A label is drawn only if it fits. Text widths are computed: measuring elements would trigger a layout.
    labels() {
        const width = this.box.clientWidth,
            x = make("canvas").getContext("2d");
        x.font = "11.5px " + colour("--f");
        for (const e of this.box.children) {
            const room = this.model.share[e.dataset.n] * width - 11;
            const name = this.model.name[e.dataset.n],
                fits = room > 4 && x.measureText(name).width <= room;
            if (e.textContent !== (fits ? name : "")) e.textContent = fits ? name : "";
        }
    }

    // The read-out shows the node under the pointer, else the one with the most self time.
    hot(i) {
        const m = this.model;
        if (!m) return;
        for (const e of this.box.querySelectorAll(".hot")) e.classList.remove("hot");
        if (i != null) {
            const e = this.box.querySelector('[data-n="' + i + '"]');
            if (e) e.classList.add("hot");
        }
        if (i == null) {
            const self = m.col("self_share");
            for (let k = 0; k < m.count; k++) if (self[k] != null && (i == null || self[k] > self[i])) i = k;
        }
        this.read.textContent = "";
        if (i == null) return;
        const count = m.col("count")[i],
            mean = m.col("mean_ns")[i];
        this.read.append(
            m.names(i).slice(-4).join(" › ") + " · ",
            make("b", percentText(m.share[i] || 0) + NS + "%"),
            " · total " +
                durationText(m.col("total_ns")[i]) +
                " · self " +
                durationText(m.col("self_ns")[i]) +
                " · " +
                countText(count) +
                " ×" +
                (mean != null ? " · mean " + durationText(mean) : ""),
        );
    }
}

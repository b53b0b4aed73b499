// main.js: the page: the runs of a server, one run, or the run embedded in a file.
import {make, put, on, morph, whenReleased} from "./dom.js";
import {RunModel} from "./run.js";
import {state, readState, setState, onState, hashOf} from "./state.js";
import {takeToken, poll, ask, words} from "./live.js";
import {TreePanel} from "./tree.js";
import {ShapePanel} from "./shape.js";
import {ChartsPanel} from "./charts.js";
import {TopBar, verdictPanel, figuresPanel, lossesPanel, footLine} from "./verdict.js";
import {diedPanels} from "./died.js";
import {TimelinePanel} from "./timeline.js";
import {detailPanel} from "./detail.js";
import {ranksPanel} from "./ranks.js";
import {devicesPanel} from "./devices.js";
import {comparePanel} from "./compare.js";
import {RunsPage} from "./runs.js";

const app = document.getElementById("app");
let page = null; // the RunPage that is shown, or null
let end = null; // ends the polling
let listPage = null;

class RunPage {
    constructor(root) {
        const hooks = {select: (i, reveal) => this.select(i, reveal), hover: i => this.hover(i)};
        this.bar = new TopBar(q => this.search(q));
        this.tree = new TreePanel(hooks);
        this.shape = new ShapePanel(hooks);
        this.charts = new ChartsPanel();
        this.timeline = new TimelinePanel(hooks);
        this.before = make("div.stack");
        this.chosen = make("div.stack");
        this.middle = make("div.stack");
        this.after = make("div.stack");
        this.problem = make("p.problem");
        this.problem.setAttribute("role", "alert");
        this.problem.hidden = true;
        this.main = make(
            "main",
            this.problem,
            this.before,
            this.tree.element,
            this.shape.element,
            this.charts.element,
            this.chosen,
            this.middle,
            this.timeline.element,
            this.after,
        );
        // A link to a span of this run.
        on(this.before, "click", e => {
            const path = e.target.closest("[data-path]");
            if (!path) return;
            e.preventDefault();
            this.select(this.model.at(path.dataset.path), true);
        });
        root.append(this.bar.element, this.main);
    }

    show(doc, comparison) {
        this.model = new RunModel(doc);
        if (comparison !== undefined) this.comparison = comparison;
        const m = this.model,
            losses = lossesPanel(m),
            ranks = ranksPanel(m);
        this.bar.show(m);
        this.fill(this.before, [
            this.comparison && comparePanel(this.comparison, state.with ? hashOf({with: ""}) : null),
            verdictPanel(m),
            diedPanels(m),
            figuresPanel(m),
        ]);
        this.tree.show(m);
        this.shape.show(m);
        this.charts.show(m, this.node());
        this.detail();
        this.middle.textContent = "";
        put(this.middle, [ranks, devicesPanel(m)]);
        this.timeline.show(m);
        this.fill(this.after, [losses, footLine(m)]);
        this.main.dataset.ready = (+this.main.dataset.ready || 0) + 1;
    }

    // The selected span; else the step; else the repeated span with the most time.
    node() {
        const chosen = state.node ? this.model.at(state.node) : null;
        if (chosen != null) return chosen;
        if (this.model.doc.summary.step != null) return this.model.doc.summary.step;
        const count = this.model.col("count"),
            i = count.findIndex(n => n > 1);
        return i < 0 ? null : i;
    }

    detail() {
        this.fill(this.chosen, detailPanel(this.model, this.node()));
    }

    // What is in the box already stays, so that a live run takes neither focus nor hover away.
    fill(box, kids) {
        morph(box, make("div.stack", kids));
    }

    select(i, reveal) {
        setState({node: this.model.path(i)});
        this.tree.choose(i, reveal);
        this.charts.choose(i);
        this.detail();
    }

    hover(i) {
        this.tree.hot(i);
        this.shape.hot(i);
    }

    search(q) {
        setState({q});
        this.tree.toggled.clear();
        this.tree.order();
    }

    // The state in the address has changed, not the data.
    apply() {
        this.bar.input.value = state.q || "";
        this.tree.apply();
        this.charts.show(this.model, this.node());
        this.detail();
    }

    trouble(text) {
        this.problem.textContent = text;
        this.problem.hidden = !text;
    }
}

// ---- answers of a server

// Parts of a document that changed, by their paths: "nodes/columns/count".
function patch(doc, changed) {
    for (const path in changed) {
        const keys = path.split("/").map(k => k.replace(/~1/g, "/").replace(/~0/g, "~"));
        let at = doc;
        for (const key of keys.slice(0, -1)) at = at[key];
        at[keys[keys.length - 1]] = changed[path];
    }
}

// A side of a comparison may be several runs, ids separated by commas; the page shows the first.
async function follow(ids, other) {
    const own = page;
    const root = "/api/v1/runs/" + encodeURIComponent(ids.split(",")[0]) + "/live";
    let doc = null,
        version = "",
        compared = null;
    if (other) {
        try {
            const sides = new URLSearchParams({a: ids, b: other}).toString().replace(/%2C/g, ",");
            compared = (await ask("/api/v1/compare?" + sides)).data;
        } catch (error) {
            own.trouble("No comparison: " + words(error));
        }
    }
    if (own !== page) return;
    const query = () =>
        new URLSearchParams({...(state.ranks && {ranks: state.ranks}), ...(version && {since: version})});
    end = poll(
        () => root + "?" + query(),
        answer => {
            if (own !== page) return false;
            if (answer) {
                version = answer.v || "";
                if (answer.document) doc = answer.document;
                else patch(doc, answer.changed || {});
                whenReleased(() => own === page && own.show(doc, compared));
            }
            if (doc.runs.every(r => r.state !== "live")) return false; // the run has ended: there will be no more data
            own.trouble("");
            return true;
        },
        error => {
            if (own !== page) return false;
            own.trouble(words(error));
            return ![401, 404, 410].includes(error.status);
        },
    );
}

function route() {
    const key = [state.run, state.with, state.ranks].join(" ");
    if (page && page.key === key) {
        if (page.model) page.apply();
        return;
    }
    if (end) end();
    end = null;
    app.textContent = "";
    page = listPage = null;
    if (state.run) {
        page = new RunPage(app);
        page.key = key;
        follow(state.run, state.with);
        return;
    }
    const list = (listPage = new RunsPage(app));
    end = poll(
        () => "/api/v1/runs" + (list.version ? "?since=" + encodeURIComponent(list.version) : ""),
        answer => {
            list.take(answer);
            return list === listPage;
        },
        error => {
            list.failed(error);
            return error.status !== 401;
        },
    );
}

// ---- the start

function start() {
    const data = document.getElementById("data"),
        comparison = document.getElementById("comparison");
    if (data) {
        readState();
        page = new RunPage(app);
        page.show(JSON.parse(data.textContent), comparison ? JSON.parse(comparison.textContent) : null);
        onState(() => page.apply());
        return;
    }
    takeToken();
    readState();
    onState(route);
    route();
}

on(window, "keydown", e => {
    const at = document.activeElement,
        input = document.querySelector(".search input"),
        typing = at && /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName);
    if (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey) {
        e.preventDefault();
        input.focus();
        input.select();
    } else if (e.key === "Escape" && at === input) {
        input.value = "";
        input.dispatchEvent(new Event("input"));
        input.blur();
    } else if (e.key === "Escape" && page) page.charts.zoom(null);
});

start();

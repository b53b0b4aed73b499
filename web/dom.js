// dom.js: makes elements from text only: names from a run are never parsed as markup.
// "span.num": the tag, then its classes after the first dot.
export function make(what, ...kids) {
    const at = what.indexOf("."),
        e = document.createElement(at < 0 ? what : what.slice(0, at));
    if (at > 0) e.className = what.slice(at + 1);
    return put(e, kids);
}

export function put(e, kids) {
    if (kids == null || kids === false) return e;
    if (Array.isArray(kids)) for (const kid of kids) put(e, kid);
    else e.append(typeof kids === "string" ? visible(kids) : kids);
    return e;
}

// Characters that are invisible or reorder the text after them, as escapes.
export function visible(text) {
    return text.replace(
        /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
        c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
    );
}

export function attrs(e, list) {
    for (const key in list) if (list[key] != null) e.setAttribute(key, list[key]);
    return e;
}

export function drawn(tag, list, ...kids) {
    const e = attrs(document.createElementNS("http://www.w3.org/2000/svg", tag), list);
    put(e, kids);
    return e;
}

export function button(label, act, hint) {
    const b = make("button.btn", label);
    b.type = "button";
    if (hint) b.title = hint;
    b.addEventListener("click", act);
    return b;
}

export function on(target, kind, act) {
    target.addEventListener(kind, act);
}

// A repaint between press and release would lose the click or the drag, so it waits for the release.
let isPressed = false,
    waiting = null;
on(window, "pointerdown", e => {
    isPressed = e.button === 0;
});
for (const kind of ["pointerup", "pointercancel", "blur"])
    on(window, kind, () => {
        isPressed = false;
        setTimeout(() => {
            const act = isPressed ? null : waiting;
            if (act) waiting = null;
            if (act) act();
        });
    });

export function whenReleased(act) {
    if (isPressed) waiting = act;
    else act();
}

// Gives an element the content of another one but keeps what is equal, and with it focus and open details.
export function morph(old, now) {
    if (old.nodeType === Node.TEXT_NODE) {
        if (old.data !== now.data) old.data = now.data;
        return;
    }
    for (const {name} of [...old.attributes])
        if (!now.hasAttribute(name) && name !== "open") old.removeAttribute(name);
    for (const {name, value} of now.attributes)
        if (name === "style") old.style.cssText = value;
        else if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const kids = [...old.childNodes],
        wanted = [...now.childNodes];
    wanted.forEach((kid, k) => {
        if (!kids[k]) old.append(kid);
        else if (kids[k].nodeName === kid.nodeName) morph(kids[k], kid);
        else kids[k].replaceWith(kid);
    });
    for (const kid of kids.slice(wanted.length)) kid.remove();
}

export function linkTo(href, ...kids) {
    const a = make("a", kids);
    a.href = href;
    return a;
}

// A figure with its unit in a box of fixed width; the `~` of an estimate is outside, on the left.
export function figure(parts, estimated) {
    return make("span.num", estimated ? make("span.e", "~") : null, parts[0], make("span.u", parts[1]));
}

export function missing(why) {
    const s = make("span.na", "n/a");
    s.title = why || "not known";
    s.append(make("span.vh", " (" + (why || "not known") + ")"));
    return s;
}

export function panel(title, note, right) {
    const w = make("section.panel");
    const head = make("h2", title);
    head.id = "h-" + title.replace(/\W+/g, "-");
    w.setAttribute("aria-labelledby", head.id);
    w.append(
        make(
            "div.hd",
            head,
            note ? attrs(make("span.note sm", note), {title: note}) : null,
            right ? make("span.right", right) : null,
        ),
    );
    return w;
}

// Rows of cells: texts, elements, or the td itself.
export function table(titles, rows) {
    const head = titles.map(title => attrs(title.tagName ? title : make("th", title), {scope: "col"}));
    const body = rows.map(row =>
        make(
            "tr",
            row.map(c => (c.tagName === "TD" ? c : make("td", c))),
        ),
    );
    return make("div.wide", make("table.plain", make("thead", make("tr", head)), make("tbody", body)));
}

// Reading a style is slow, so it is cached until the theme changes.
const colours = new Map();
on(matchMedia("(prefers-color-scheme:dark)"), "change", () => colours.clear());

export function colour(name) {
    if (!colours.has(name))
        colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    return colours.get(name);
}

// Announce a change to screen readers.
export function say(text) {
    let e = document.getElementById("said");
    if (!e) {
        e = attrs(make("div.vh"), {id: "said", role: "status", "aria-live": "polite"});
        document.body.append(e);
    }
    e.textContent = text;
}

// A line from the first to the last point, from zero; a gap where points are missing.
export function sparkline(x, y) {
    const svg = drawn("svg", {
        class: "sp",
        viewBox: "0 0 112 18",
        preserveAspectRatio: "none",
        "aria-hidden": "true",
    });
    const high = Math.max(...y),
        span = x[x.length - 1] - x[0];
    if (x.length < 2 || !(high > 0)) return svg;
    let d = "";
    x.forEach((at, k) => {
        d +=
            (k && at - x[k - 1] <= Math.max(2, span / 12) ? "L" : "M") +
            (((at - x[0]) / span) * 111 + 0.5).toFixed(1) +
            " " +
            (16.5 - ((y[k] || 0) / high) * 15).toFixed(1);
    });
    return put(svg, [drawn("line", {x1: 0, x2: 112, y1: 17.5, y2: 17.5}), drawn("path", {d})]);
}

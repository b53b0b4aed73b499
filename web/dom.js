// dom.js: elements, by text alone: nothing that a run says is ever read as markup.
export function make(tag, cls, ...kids) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  put(e, kids);
  return e;
}

export function put(e, kids) {
  if (kids == null || kids === false) return e;
  if (Array.isArray(kids)) for (const kid of kids) put(e, kid);
  else e.appendChild(kids instanceof Node ? kids : document.createTextNode(String(kids)));
  return e;
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
  const b = make("button", "btn", label);
  b.type = "button";
  if (hint) b.title = hint;
  b.addEventListener("click", act);
  return b;
}

export function linkTo(href, ...kids) {
  const a = make("a", "", kids);
  a.href = href;
  return a;
}

// A figure with its unit in a box of fixed width; `~` hangs left of an estimate.
export function figure(parts, estimated) {
  return make("span", "num", estimated ? make("span", "e", "~") : null, parts[0], make("span", "u", parts[1]));
}

export function missing(why) {
  const s = make("span", "na", "n/a");
  s.title = why || "not known";
  s.appendChild(make("span", "vh", " (" + (why || "not known") + ")"));
  return s;
}

export function panel(title, note, right) {
  const w = make("section", "panel");
  const id = "h" + ++panel.count;
  const head = make("h2", "", title);
  head.id = id;
  w.setAttribute("aria-labelledby", id);
  w.appendChild(make("div", "hd", head, note ? make("span", "note sm", note) : null,
    right ? make("span", "right", right) : null));
  return w;
}
panel.count = 0;

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// What changed, for those who do not see it.
export function say(text) {
  let e = document.getElementById("said");
  if (!e) {
    e = attrs(make("div", "vh"), { id: "said", role: "status", "aria-live": "polite" });
    document.body.appendChild(e);
  }
  e.textContent = text;
}

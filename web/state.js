// state.js: what is shown, in the address behind the #, so that every state has a link.
const KEYS = ["run", "with", "node", "sort", "q", "fold", "t", "more", "list"];
export const state = {};
const listeners = [];

export function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of KEYS) state[key] = given.get(key) || "";
  return state;
}

export function hashOf(changes) {
  const all = { ...state, ...changes }, out = new URLSearchParams();
  for (const key of KEYS) if (all[key]) out.set(key, all[key]);
  const text = out.toString().replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%2C/g, ",");
  return "#" + text;
}

// Small changes take the place of the state before; going to another run can be gone back from.
export function setState(changes, push) {
  const hash = hashOf(changes);
  Object.assign(state, changes);
  if (hash === location.hash || (hash === "#" && !location.hash)) return;
  history[push ? "pushState" : "replaceState"](null, "", hash === "#" ? location.pathname + location.search : hash);
}

export function onState(act) {
  listeners.push(act);
}

addEventListener("hashchange", () => {
  readState();
  for (const act of listeners) act();
});

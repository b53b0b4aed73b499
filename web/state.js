// state.js: the state of the page, stored in the address after #, so every state has a link.
const KEYS = ["run", "with", "ranks", "node", "sort", "q", "fold", "t", "more"];
export const state = {};

export function readState() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const key of KEYS) state[key] = given.get(key) || "";
}

export function hashOf(changes) {
    const all = {...state, ...changes},
        out = new URLSearchParams();
    for (const key of KEYS) if (all[key]) out.set(key, all[key]);
    return "#" + out.toString().replace(/%(2F|3A|2C)/g, decodeURIComponent);
}

// A change replaces the previous history entry; only opening another run adds one.
export function setState(changes) {
    const hash = hashOf(changes);
    Object.assign(state, changes);
    if (hash === location.hash || (hash === "#" && !location.hash)) return;
    try {
        history.replaceState(null, "", hash === "#" ? location.pathname + location.search : hash);
    } catch {} // a frame without its own address, as in a notebook
}

export function onState(act) {
    addEventListener("hashchange", () => {
        readState();
        act();
    });
}

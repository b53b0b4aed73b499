// state.js: what is shown, in the address behind the #, so that every state has a link.
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

// A change takes the place of the state before; only going to another run can be gone back from.
export function setState(changes) {
    const hash = hashOf(changes);
    Object.assign(state, changes);
    if (hash === location.hash || (hash === "#" && !location.hash)) return;
    try {
        history.replaceState(null, "", hash === "#" ? location.pathname + location.search : hash);
    } catch {} // a frame without an address of its own, as in a notebook
}

export function onState(act) {
    addEventListener("hashchange", () => {
        readState();
        act();
    });
}

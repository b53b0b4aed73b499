// format.js: human-readable numbers: three digits, a narrow space, a unit.
export const NS = "\u202f";

export function digits3(x) {
    if (!x) return "0";
    const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(x)) + 1e-9));
    return x.toFixed(Math.min(places, 3));
}

// Each gives [number, unit].
export function durationParts(ns) {
    const sign = ns < 0 ? "-" : "";
    ns = Math.abs(ns);
    if (ns >= 5.9995e12) return [sign + digits3(ns / 3.6e12), "h"];
    if (ns >= 9.9995e10) return [sign + digits3(ns / 6e10), "min"];
    for (const [size, unit] of [
        [1e9, "s"],
        [1e6, "ms"],
        [1e3, "µs"],
    ])
        if (ns >= size * 0.9995) return [sign + digits3(ns / size), unit];
    return [sign + digits3(ns), "ns"];
}

function scaled(x, step, units, whole) {
    let i = 0;
    for (; Math.abs(x) >= 999.5 && i < 5; i++) x /= step;
    return [i || !whole ? digits3(x) : String(Math.round(x)), units[i]];
}

export function bytesParts(bytes) {
    return scaled(bytes, 1024, ["B", "kB", "MB", "GB", "TB", "PB"], true);
}

export function rateParts(x) {
    return scaled(x, 1000, ["", "k", "M", "G", "T", "P"]);
}

export function countText(n) {
    return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, NS);
}

export function percentText(share) {
    const x = share * 100;
    return x > 0 && x < 0.05 ? "<0.1" : x.toFixed(1);
}

// A share in a sentence: 65 %, 0.03 %.
export function percentWords(share) {
    const x = share * 100;
    return (x >= 10 ? x.toFixed(0) : x >= 0.095 ? x.toFixed(1) : x === 0 ? "0" : x.toPrecision(1)) + NS + "%";
}

export function durationText(ns) {
    return durationParts(ns).join(NS);
}

export function bytesText(bytes) {
    return bytesParts(bytes).join(NS);
}

export function plainText(x) {
    const size = Math.abs(x);
    if (x === 0) return "0";
    if (size >= 1e6 || size < 1e-3) return x.toExponential(2).replace("e+", "e");
    return String(+x.toPrecision(4));
}

// By the kind of a field or the unit of a channel. [number, unit].
export function kindParts(kind, x) {
    switch (kind) {
        case "duration":
        case "ns":
            return durationParts(x);
        case "bytes":
        case "signed bytes":
            return bytesParts(x);
        case "byte rate": {
            const p = bytesParts(x);
            return [p[0], p[1] + "/s"];
        }
        case "energy":
            return scaled(x, 1000, ["J", "kJ", "MJ", "GJ", "TJ", "PJ"]);
        case "power":
            return scaled(x, 1000, ["W", "kW", "MW", "GW", "TW", "PW"]);
        case "rate":
            return rateParts(x);
        case "share":
            return [percentText(x), "%"];
        case "count":
            return [countText(x), ""];
        case "flag":
            return [x ? "yes" : "no", ""];
        default:
            return [plainText(x), ""];
    }
}

export function kindText(kind, x) {
    return kindParts(kind, x).filter(Boolean).join(NS);
}

// The kind of figure for the unit of a channel; other units are written unchanged.
const UNIT_KIND = {ns: "ns", bytes: "bytes", share: "share", "bytes/s": "byte rate", J: "energy", W: "power"};

export function unitText(unit, x) {
    if (UNIT_KIND[unit]) return kindText(UNIT_KIND[unit], x);
    if (unit === "Hz") return scaled(x, 1000, ["Hz", "kHz", "MHz", "GHz", "THz", "PHz"]).join(NS);
    if (unit) return plainText(x) + NS + (unit === "C" ? "°C" : unit);
    return Math.abs(x) >= 1e4 ? rateParts(x).join(NS).trim() : plainText(x);
}

export function ageText(ms) {
    const minutes = Math.max(0, (Date.now() - ms) / 6e4);
    if (minutes < 1) return "just now";
    if (minutes < 90) return Math.round(minutes) + " min ago";
    if (minutes < 2880) return Math.round(minutes / 60) + " h ago";
    return Math.round(minutes / 1440) + " days ago";
}

export function heatOf(share) {
    return share >= 0.4 ? 5 : share >= 0.2 ? 4 : share >= 0.1 ? 3 : share >= 0.05 ? 2 : share >= 0.01 ? 1 : 0;
}

// The first letter of a sentence, unless it begins with a name such as clFinish.
export function upperFirst(text) {
    return !text || /^\w+[A-Z_(]/.test(text) ? text : text[0].toUpperCase() + text.slice(1);
}

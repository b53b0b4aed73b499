// chart_data.js: turns columns of readings into chart data: scales, units, several lines on one axis.

export function zeroBased() {
    return {range: (u, low, high) => [Math.min(0, low || 0), (high || 1) > 0 ? (high || 1) * 1.25 : 0]};
}

export function decades() {
    return {
        distr: 3,
        range: (u, low, high) => [
            10 ** Math.floor(Math.log10(low || 1e-3)),
            10 ** (Math.ceil(Math.log10(high || 1)) + 0.6),
        ],
    };
}

export function wholeDecades(u, splits) {
    return splits.map(v => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-6 ? v : null));
}

// The size and name of the unit for a figure of this size: an axis uses one unit for all its ticks.
const SIZES = {
    µs: 1e3,
    ms: 1e6,
    s: 1e9,
    min: 6e10,
    h: 3.6e12,
    kB: 2 ** 10,
    MB: 2 ** 20,
    GB: 2 ** 30,
    TB: 2 ** 40,
};

export function unitOf(parts, top) {
    const unit = parts(top)[1];
    return [SIZES[unit] || 1, unit];
}

// The lowest and the highest figure of several columns.
export function extent(columns) {
    let low = Infinity,
        high = -Infinity;
    for (const y of columns)
        for (const v of y)
            if (v != null) {
                if (v < low) low = v;
                if (v > high) high = v;
            }
    return [low, high];
}

export function high(columns) {
    return Math.max(0, extent(columns)[1]);
}

// Put several lines with different times on one axis: [times, ...columns].
export function merged(list) {
    if (list.length === 1) return [list[0].x, list[0].y];
    const times = [...new Set(list.flatMap(s => s.x))].sort((a, b) => a - b);
    const place = new Map(times.map((t, k) => [t, k]));
    return [
        times,
        ...list.map(s => {
            const y = new Array(times.length).fill(null);
            s.x.forEach((t, k) => {
                y[place.get(t)] = s.y[k];
            });
            return y;
        }),
    ];
}

const MOST = 3,
    GRID = 240;

// The reading that was valid at each time; null outside of the line.
function heldAt(line, times) {
    let at = -1;
    const end = line.x[line.x.length - 1];
    return times.map(t => {
        while (at + 1 < line.x.length && line.x[at + 1] <= t) at++;
        return at < 0 || t > end ? null : line.y[at];
    });
}

// Too many lines to distinguish become three: the lowest, the median and the highest reading of all.
export function few(list) {
    if (list.length <= MOST) return list;
    const [from, to] = extent(list.map(l => l.x)),
        times = Array.from({length: GRID}, (_, k) => from + ((to - from) * k) / (GRID - 1)),
        held = list.map(l => heldAt(l, times)),
        sorted = times.map((_, k) =>
            held
                .map(y => y[k])
                .filter(v => v != null)
                .sort((a, b) => a - b),
        ),
        pick = [
            ["lowest", s => s[0]],
            ["median", s => s[s.length >> 1]],
            ["highest", s => s[s.length - 1]],
        ];
    return pick.map(([name, of]) => ({
        ...list[0],
        name,
        x: times,
        y: sorted.map(s => (s.length ? of(s) : null)),
        of: list.length,
        last: null,
        reason: "",
    }));
}

// devices.js: GPU channels, and the energy of the run: each counter and each span, and how its figure was
// obtained.
import {make, put, panel, missing, table} from "./dom.js";
import {kindText, durationText, bytesText, unitText, percentWords} from "./format.js";

const ROWS = 8,
    SOURCES = 16;

function mean(list) {
    return list.length ? list.reduce((a, b) => a + b) / list.length : null;
}

// A figure, or why there is none.
function cell(x, text, why) {
    return x == null ? missing(why) : text(x);
}

// ---- GPUs, by their channels

function gpuRow(model, run, name) {
    const readings = key => model.readingsOf(run, name + "_" + key),
        most = key => readings(key).reduce((a, b) => Math.max(a, b), -Infinity),
        total = most("memory_total_bytes");
    const known = (key, x, text) => {
        const c = run.samples.channels.find(k => k.key === name + "_" + key);
        return cell(isFinite(x) ? x : null, text, (c && c.missing) || "no reading");
    };
    return [
        name + (run.facts.rank != null ? " of rank " + run.facts.rank : ""),
        known("busy", mean(readings("busy")), percentWords),
        known(
            "memory_bytes",
            most("memory_bytes"),
            x => bytesText(x) + (total > 0 ? " of " + bytesText(total) : ""),
        ),
        known("own_memory_bytes", most("own_memory_bytes"), bytesText),
        known("power_w", mean(readings("power_w")), x => unitText("W", x)),
        known("temperature_c", most("temperature_c"), x => unitText("C", x)),
    ];
}

function gpus(model) {
    const rows = [];
    for (const run of model.doc.runs) {
        const keys = (run.samples ? run.samples.channels : []).map(
            c => (/^gpu\d+(?=_)/.exec(c.key) || [])[0],
        );
        for (const name of new Set(keys.filter(Boolean))) rows.push(gpuRow(model, run, name));
    }
    const titles = [
        "GPU",
        "Busy, mean",
        "Memory, at most",
        "Of this process",
        "Power, mean",
        "Temperature, at most",
    ];
    return rows.length ? table(titles, rows.slice(0, SOURCES)) : null;
}

// ---- energy

const joules = x => kindText("energy", x);

function counterRow(s, withHost) {
    const why = s.missing || "it was not read twice",
        how = s.source === "rapl" ? "measured by RAPL" : "measured by the device’s counter";
    return [
        s.key.replace(/_energy_j$/, "").replace(/_/g, " ") + (withHost ? " of " + s.host : ""),
        cell(s.joules, joules, why),
        cell(s.power_w, x => unitText("W", x), why),
        s.joules == null ? "" : durationText(s.time_ns),
        s.joules == null ? why : how + (s.runs > 1 ? ", read by " + s.runs + " runs, counted once" : ""),
    ];
}

function spanRow(model, i) {
    const x = key => model.col(key)[i],
        energy = key => cell(x(key), joules, model.reason(key, i)),
        guessed = x("energy_estimated_j");
    return [
        model.names(i).slice(-3).join(" › "),
        ...[
            "energy_j",
            "energy_per_span_j",
            "energy_per_item_j",
            "processors_energy_j",
            "devices_energy_j",
        ].map(energy),
        (x("energy_how") || "n/a") + (guessed > 0 ? ", ~" + joules(guessed) : ""),
    ];
}

function spans(model) {
    const x = model.col("energy_j"),
        list = [...x.keys()].filter(i => x[i] != null).sort((a, b) => x[b] - x[a]);
    if (!list.length)
        return make("div.ft", "No span asked for its energy: PIT_ENERGY in C, energy=True in Python.");
    return [
        table(
            ["Span", "Energy", "Each", "An item", "Processors", "Devices", "How"],
            list.slice(0, ROWS).map(i => spanRow(model, i)),
        ),
        list.length > ROWS
            ? make("div.ft", list.length - ROWS + " more: sort the call tree by energy")
            : null,
    ];
}

export function devicesPanel(model) {
    const {sources, joules: sum} = model.doc.energy,
        boxes = gpus(model),
        notes = new Set(model.doc.runs.map(r => r.facts.device_clock).filter(Boolean)),
        hasEnergy = sources.length || model.has("energy_j");
    if (!boxes && !hasEnergy && !notes.size) return null;
    const w = panel(
        hasEnergy ? "Devices and energy" : "Devices",
        sum == null ? "" : joules(sum) + " by all counters, other programs included",
    );
    const withHost = new Set(sources.map(s => s.host)).size > 1,
        counters = sources.slice(0, SOURCES).map(s => counterRow(s, withHost));
    w.classList.add("devices");
    put(w, [
        boxes,
        counters.length ? table(["Counter", "Energy", "Power, mean", "During", "How"], counters) : null,
    ]);
    if (hasEnergy) put(w, spans(model));
    for (const note of notes) w.append(make("div.ft", "Clock of " + note));
    if (model.run.facts.sysfs)
        w.append(
            make(
                "div.ft",
                "Read from " +
                    model.run.facts.sysfs +
                    " (PITWALL_SYSFS), not from the kernel: a test’s figures",
            ),
        );
    return w;
}

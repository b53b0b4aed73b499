#!/usr/bin/env python3
"""Make the golden runs in this folder again: only when the format gets a new version.

    make_golden.py BUILD
    make_golden.py BUILD NAME…    only write again what the library reads from these

These are runs of the recorder as it was when they were made, cut to their used part and without data about
the machine; and changed copies of them, of which a reader must skip parts, or which it must refuse. Next to
each is the text that the library reads from it, or the code with which it refuses it. A later version must
read all of them in the same way: tests/system/test_readers_agree.py.
"""

import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FACTS, THREAD, SAMPLES, CHANNELS = 1, 2, 13, 15
UNKNOWN = 2**64 - 1
MACHINES = (b"available_bytes", b"cgroup_used_bytes", b"memory_pressure")
KNOWN_FACTS = (("program", "golden"), ("arguments", "--epochs 20"), ("host", "box"),
               ("cpu", "A CPU"), ("cpus", "8"), ("kernel", "Linux 6.1"), ("label.lr", "0.1"))


def blocks(data):
    """Offset, type and length of each block."""
    at, end = struct.unpack_from("=I", data, 12)[0], struct.unpack_from("=Q", data, 192)[0]
    while at + 64 <= end:
        kind, _, size = struct.unpack_from("=IIQ", data, at)
        if not kind:
            return
        yield at, kind, size
        at += size


def texts(pairs):
    return b"".join(k.encode() + b"\0" + v.encode() + b"\0" for k, v in pairs)


def scrub(data):
    """Cut to the used part; replace facts, ids and numbers of the machine by fixed ones."""
    used = struct.unpack_from("=Q", data, 192)[0]
    data = bytearray(data[:used])
    data[32:48] = bytes(range(16))                            # run_id
    struct.pack_into("=II", data, 56, 4242, 1000)             # pid, uid
    data[112:128] = bytes(16)                                 # boot_id
    struct.pack_into("=Q", data, 200, used)                   # file_bytes
    pairs, tid = list(KNOWN_FACTS), 4242
    for at, kind, size in blocks(data):
        if kind == FACTS:
            text, put = b"", []
            while pairs and len(texts(put + pairs[:1])) <= size - 64:
                put.append(pairs.pop(0))
            text = texts(put)
            data[at + 64:at + size] = text + bytes(size - 64 - len(text))
            struct.pack_into("=Q", data, at + 16, len(text))
        elif kind == THREAD:
            struct.pack_into("=Q", data, at + 24, tid)
            tid += 1
        elif kind == SAMPLES:
            scrub_samples(data, at, at + 128, 16, (11, 12, 13))
        elif kind == CHANNELS:
            count = struct.unpack_from("=Q", data, at + 24)[0]
            keys = [bytes(data[at + 128 + 256 * i:]).split(b"\0")[0] for i in range(count)]
            columns = [1 + keys.index(key) for key in MACHINES]
            scrub_samples(data, at, at + 128 + 256 * count, 1 + count, columns)
    return data


def scrub_samples(data, at, rows, words, columns):
    """Replace the machine by one with 8 GB and a cgroup of 2 GB, and its readings by fixed figures."""
    struct.pack_into("=4Q", data, at + 88, 8 << 30, 2 << 30, 2, 1)
    for i in range(2 + 2 * 256):                              # newest, points
        row = rows + 8 * words * i
        if struct.unpack_from("=Q", data, row)[0]:
            figures = ((4 << 30) - (i << 20), (1 << 30) + (i << 20), i)
            for column, figure in zip(columns, figures):
                struct.pack_into("=Q", data, row + 8 * column, UNKNOWN if i == 3 else figure)


def block(kind, thread, payload, used):
    size = (64 + len(payload) + 63) // 64 * 64
    return struct.pack("=IIQQ", kind, thread, size, used) + bytes(40) + payload.ljust(size - 64, b"\0")


def with_unknown(data):
    """Add a block of an unknown kind and, after it, one that every reader must still find."""
    fact = texts([("label.behind", "found")])
    longer = data + block(4242, 0, b"?" * 200, 2**64 - 1) + block(FACTS, 2**32 - 1, fact, len(fact))
    struct.pack_into("=Q", longer, 192, len(longer))
    return longer


def changed(data, offset, fmt, value):
    copy = bytearray(data)
    struct.pack_into("=" + fmt, copy, offset, value)
    return copy


def with_ending(data):
    """Add how the process ended, as the process that started it would."""
    told = (1, 4242, 10**18, 2 * 10**9, UNKNOWN, 9, 0, 1500 * 10**6, 250 * 10**6, 64 << 20, 12000,
            3, 70, 50, 4096, UNKNOWN, 100000, 2000, 2, 0)
    copy = bytearray(data)
    struct.pack_into("=20Q", copy, 448, *told)
    return copy


def record(build, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, kind + ".pit")
        env = {k: v for k, v in os.environ.items() if not k.startswith("PITWALL")}
        if kind == "memory":
            env["LD_PRELOAD"] = os.path.abspath(os.path.join(build, "lib", "libpitwall-alloc.so"))
        told = "memory" if kind == "channels" else kind
        done = subprocess.run([os.path.join(build, "tests", "prog_golden"), told, path], env=env,
                              check=False)
        want = -signal.SIGKILL if kind == "killed" else 0
        if done.returncode != want:
            sys.exit("prog_golden %s: status %d" % (kind, done.returncode))
        with open(path, "rb") as file:
            return scrub(file.read())


def expected(build, path):
    """The text that the library prints for a run."""
    done = subprocess.run([os.path.join(build, "tests", "prog_dump"), path], check=False,
                          encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 0:
        model = json.loads(done.stdout)
    else:
        model = {"refused": int(done.stderr.split(":")[1])}
    text = json.dumps(model, indent=1, sort_keys=True, ensure_ascii=False)
    # A list of plain numbers and texts is one line.
    return re.sub(r"\[([^\[\]{}]*)\]", lambda m: "[" + " ".join(m.group(1).split()) + "]",
                  text) + "\n"


def keep(build, name, data):
    path = os.path.join(HERE, name + ".pit")
    if data:
        with open(path, "wb") as file:
            file.write(data)
    with open(os.path.join(HERE, name + ".json"), "w", encoding="utf-8") as file:
        file.write(expected(build, path))
    print("%-16s %7d bytes" % (name, os.path.getsize(path)))


def main(build, names):
    if names:
        for name in names:
            keep(build, name, None)
        return
    finished, killed = record(build, "finished"), record(build, "killed")
    start = finished[:8192]
    runs = {
        "finished": finished,
        "killed": killed,
        "memory": record(build, "memory"),
        "channels": record(build, "channels"),
        "unknown-block": with_unknown(killed),
        "ended": with_ending(killed),
        "newer-minor": changed(killed, 10, "H", 7),
        "cut": killed[:len(killed) * 2 // 3 + 5],
        "newer-major": changed(start, 8, "H", 2),
        "newer-features": changed(start, 24, "Q", 1),
        "other-order": changed(start, 16, "I", 0x04030201),
    }
    for name, data in runs.items():
        keep(build, name, data)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: make_golden.py BUILD [NAME…]")
    main(sys.argv[1], sys.argv[2:])

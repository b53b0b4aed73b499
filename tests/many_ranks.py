"""Makes a job of many ranks from one run: copies with different ranks and run ids.

    many_ranks.py RUN FOLDER COUNT

RUN was recorded with RANK=0000 and WORLD_SIZE=COUNT: the digits of the fact are replaced in place."""

import os
import struct
import sys

RUN_ID = 32  # offset of the run's id in the header
FACT = b"rank\0%04d\0"


def make(run, folder, count):
    """Write COUNT ranks into FOLDER and return their paths."""
    with open(run, "rb") as file:
        data = bytearray(file.read())
    at = data.find(b"\0" + FACT % 0) + 1
    if at == 0:
        raise ValueError("%s: not recorded with RANK=0000" % run)
    os.makedirs(folder, exist_ok=True)
    paths = []
    for rank in range(count):
        fact = FACT % rank
        data[at:at + len(fact)] = fact
        data[RUN_ID:RUN_ID + 16] = struct.pack("<QQ", 0x5049, rank + 1)
        paths.append(os.path.join(folder, "rank-%04d.pit" % rank))
        with open(paths[-1], "wb") as file:
            file.write(data)
    return paths


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2], int(sys.argv[3]))

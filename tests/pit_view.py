"""The bytes of a run and its blocks, for pit_reader.py and its parts."""

import struct

U64_MAX = 2**64 - 1
U32_MAX = 2**32 - 1


class BadRun(Exception):
    """The file is not a run, or is damaged in a way that leaves nothing to read."""


class View:
    """The bytes of a run, with the byte order taken from its header and every read checked."""

    def __init__(self, data):
        self.data = data
        self.order = "<"

    def get(self, fmt, offset):
        fmt = self.order + fmt
        if offset < 0 or offset + struct.calcsize(fmt) > len(self.data):
            raise BadRun("offset %d lies past the end of the file" % offset)
        return struct.unpack_from(fmt, self.data, offset)

    def u32(self, offset):
        return self.get("I", offset)[0]

    def u64(self, offset):
        return self.get("Q", offset)[0]

    def text(self, offset, length):
        return bytes(self.data[offset:offset + length]).split(b"\0")[0].decode("utf-8", "replace")


class Block:
    def __init__(self, view, offset):
        self.offset = offset
        (self.type, self.thread, self.bytes, self.used,
         self.a, self.b, self.c, self.d, self.e) = view.get("II7Q", offset)

    def need(self, least):
        if self.bytes < least:
            raise BadRun("block of type %d at offset %d is too short for what it holds"
                         % (self.type, self.offset))

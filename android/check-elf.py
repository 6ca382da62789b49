#!/usr/bin/env python3
"""Checks that libadroit.so is one that phones load and Google Play takes, and that it exports only what is ours.

Usage: check-elf.py FILE...

The folder of a file names its ABI, as in arm64-v8a/libadroit.so. Says every fault, and ends with 1 if there is one.
Reads ELF by itself, through the section headers, which strip keeps: not every developer's machine has a readelf.
"""

import struct
import sys
from pathlib import Path

# By ABI: bits, machine, least alignment of what is loaded. Google Play asks for 16 KB only of 64-bit code: no 32-bit
# device has pages larger than 4 KB.
ABIS = {
    "arm64-v8a": (64, 183, 0x4000),
    "armeabi-v7a": (32, 40, 0x1000),
    "x86_64": (64, 62, 0x4000),
}
NAME = "libadroit.so"
# What every Android has. Any other library would have to come with the app.
SYSTEM = {"libc.so", "libdl.so", "liblog.so", "libm.so"}
# UniFFI's functions, and what its generator reads about them.
OURS = ("uniffi_", "ffi_", "UNIFFI_META_")
ON_LOAD = "JNI_OnLoad"

ET_DYN, PT_LOAD = 3, 1
SHT_DYNAMIC, SHT_NOTE, SHT_DYNSYM = 6, 7, 11
DT_NEEDED, DT_SONAME, DT_TEXTREL, DT_FLAGS = 1, 14, 22, 30
DF_TEXTREL, NT_GNU_BUILD_ID = 4, 3


class Elf:
    def __init__(self, data):
        if data[:4] != b"\x7fELF" or data[5] != 1:
            raise ValueError("not little-endian ELF")
        self.data, self.bits = data, {1: 32, 2: 64}[data[4]]
        # `P` in the layouts below is what has the size of a pointer.
        header = self.read("HHIPPPIHHHHHH", 16)
        self.type, self.machine, segments_at, sections_at = header[0], header[1], header[4], header[5]
        _, segment_size, segments, section_size, sections, _ = header[7:]
        # The fields of a segment are in another order for each size, but the type is first and the alignment last.
        segment = "IIPPPPPP" if self.bits == 64 else "IIIIIIII"
        table = [self.read(segment, segments_at + n * segment_size) for n in range(segments)]
        self.alignments = [fields[-1] for fields in table if fields[0] == PT_LOAD]
        self.sections = [self.read("IIPPPPIIPP", sections_at + n * section_size) for n in range(sections)]

    def read(self, layout, at):
        return struct.unpack_from("<" + layout.replace("P", "Q" if self.bits == 64 else "I"), self.data, at)

    def entries(self, kind, layout):
        """Every entry of the sections of this kind, each with a function that looks up its strings."""
        for _, type_, _, _, at, size, link, _, _, entry_size in self.sections:
            if type_ == kind:
                strings = self.sections[link][4]
                for entry in range(at, at + size, entry_size):
                    yield self.read(layout, entry), lambda offset: self.string(strings + offset)

    def string(self, at):
        return self.data[at : self.data.index(b"\0", at)].decode()

    def dynamic(self):
        return [
            (tag, string(value) if tag in (DT_NEEDED, DT_SONAME) else value)
            for (tag, value), string in self.entries(SHT_DYNAMIC, "PP")
        ]

    def exported(self):
        layout, section = ("IBBHPP", 3) if self.bits == 64 else ("IPPBBH", 5)
        return [string(symbol[0]) for symbol, string in self.entries(SHT_DYNSYM, layout) if symbol[section] != 0]

    def build_id(self):
        for _, type_, _, _, at, size, *_ in self.sections:
            if type_ == SHT_NOTE and size >= 16:
                owner, length, kind = self.read("III", at)
                if kind == NT_GNU_BUILD_ID and self.data[at + 12 : at + 16] == b"GNU\0":
                    return self.data[at + 12 + owner :][:length].hex()
        return None


def faults(elf, abi):
    bits, machine, page = ABIS[abi]
    if (elf.bits, elf.machine) != (bits, machine):
        yield f"is for machine {elf.machine} with {elf.bits} bits, but {abi} is machine {machine} with {bits}"
    if elf.type != ET_DYN:
        yield "is no shared library"
    for alignment in sorted({alignment for alignment in elf.alignments if alignment < page}):
        yield f"has segments aligned to {alignment:#x}, less than {page:#x}: link with -z max-page-size={page}"

    dynamic = elf.dynamic()
    needed = {value for tag, value in dynamic if tag == DT_NEEDED}
    for library in sorted(needed - SYSTEM):
        yield f"needs {library}, which Android does not have"
    names = [value for tag, value in dynamic if tag == DT_SONAME]
    if names != [NAME]:
        yield f"has the name {' '.join(names) or 'none'}, not {NAME}: link with -soname={NAME}"
    if any(tag == DT_TEXTREL or tag == DT_FLAGS and value & DF_TEXTREL for tag, value in dynamic):
        yield "has text relocations, which Android refuses"
    if not elf.build_id():
        yield "has no build id, so no crash can be matched with its symbols: link with --build-id=sha1"

    exported = elf.exported()
    if ON_LOAD not in exported:
        yield f"does not export {ON_LOAD}"
    if not any(symbol.startswith("uniffi_") for symbol in exported):
        yield "exports no uniffi_ function"
    others = sorted(symbol for symbol in exported if symbol != ON_LOAD and not symbol.startswith(OURS))
    if others:
        yield f"exports what is not ours: {', '.join(others)}"


def check(path):
    if path.parent.name not in ABIS:
        return [f"is in no folder of an ABI: {', '.join(ABIS)}"]
    try:
        return list(faults(Elf(path.read_bytes()), path.parent.name))
    except OSError as error:
        return [f"cannot be read: {error.strerror}"]
    except (struct.error, ValueError, LookupError) as error:
        return [f"is damaged or no ELF file: {error}"]


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__.strip())
        return 0 if arguments else 2
    found = [(path, fault) for path in map(Path, arguments) for fault in check(path)]
    for path, fault in found:
        print(f"check-elf.py: {path} {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

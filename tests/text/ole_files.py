"""Writes the smallest OLE containers (MS-CFB, version 3) that readers open."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECTOR = 512
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
#: Shorter streams stand elsewhere: they are made this long, with zeros.
_SHORTEST = 4096


def ole(streams: Mapping[str, bytes]) -> bytes:
    """A container of streams, all at its root."""
    names = sorted(streams, key=lambda name: (len(name), name.upper()))
    bodies = [_padded(streams[name].ljust(_SHORTEST, b"\0")) for name in names]
    directory_sectors = -(-(len(names) + 1) // 4)
    used = directory_sectors + sum(len(body) // _SECTOR for body in bodies)
    fat_sectors = -(-(used + used // 127 + 1) // 128)
    chains, start = [_FAT] * fat_sectors, fat_sectors
    starts = []
    for size in (directory_sectors, *(len(body) // _SECTOR for body in bodies)):
        starts.append(start)
        chains += [*range(start + 1, start + size), _END]
        start += size
    fat = struct.pack(f"<{len(chains)}I", *chains).ljust(fat_sectors * _SECTOR, b"\xff")
    entries = [_entry("Root Entry", 5, child=1 if names else _FREE, start=_END, size=0)]
    for number, name in enumerate(names, 1):
        later = number + 1 if number < len(names) else _FREE
        size = max(len(streams[name]), _SHORTEST)
        entries.append(_entry(name, 2, right=later, start=starts[number], size=size))
    head = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        bytes.fromhex("d0cf11e0a1b11ae1"), 0x3E, 3, 0xFFFE, 9, 6, 0, fat_sectors, starts[0], 0, _SHORTEST,
        _END, 0, _END, 0,
    )  # fmt: skip
    listed = struct.pack("<109I", *range(fat_sectors), *[_FREE] * (109 - fat_sectors))
    return b"".join([head, listed, fat, _padded(b"".join(entries)), *bodies])


def _entry(name: str, kind: int, *, start: int, size: int, child: int = _FREE, right: int = _FREE) -> bytes:
    written = (name + "\0").encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16xI16xIQ", written, len(written), kind, 1, _FREE, right, child, 0, start, size
    )


def _padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // _SECTOR) * _SECTOR, b"\0")

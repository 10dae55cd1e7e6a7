"""Mails of every wrapping, made from a few words: MIME, and the containers that Outlook makes."""

from __future__ import annotations

import base64
import itertools
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HEADERS = """\
From: Mara Lindqvist <mara@example.org>
To: Jon Doe <jon@example.org>
Date: Sun, 21 Oct 2007 23:38:13 +1000
Subject: The harbour
MIME-Version: 1.0
"""
SEEN = HEADERS.rpartition("MIME-Version")[0]
ATTACHED = "Content-Disposition: attachment"


def part(kind: str, body: str, *headers: str) -> str:
    return "\n".join([f"Content-Type: {kind}", *headers, "", body])


def attached(name: str, data: bytes, kind: str = "application/octet-stream") -> str:
    """An attachment, as most programs write them."""
    return part(
        kind,
        base64.encodebytes(data).decode(),
        f'{ATTACHED}; filename="{name}"',
        "Content-Transfer-Encoding: base64",
    )


def multipart(kind: str, *parts: str, boundary: str = "b") -> str:
    body = "".join(f"--{boundary}\n{part}\n" for part in parts) + f"--{boundary}--\n"
    return part(f'multipart/{kind}; boundary="{boundary}"', body)


def der(tag: int, *values: bytes, open_ended: bool = False) -> bytes:
    """An element of DER, or one whose length is left open."""
    value = b"".join(values)
    if open_ended:
        return bytes([tag, 0x80]) + value + b"\0\0"
    length = bytes([len(value)]) if len(value) < 128 else b"\x84" + len(value).to_bytes(4, "big")
    return bytes([tag]) + length + value


def signed(content: bytes, *, in_pieces: bool = False) -> bytes:
    """What S/MIME makes of a mail that is signed so that only mail programs open it."""
    data, signed_data = (bytes.fromhex(f"2a864886f70d01070{number}") for number in "12")
    octets = der(0x04, content)
    if in_pieces:
        octets = der(0x24, der(0x04, content[:9]), der(0x04, content[9:]), open_ended=True)
    held = der(0x30, der(0x06, data), der(0xA0, octets, open_ended=in_pieces), open_ended=in_pieces)
    inner = der(0x30, der(0x02, b"\1"), der(0x31, open_ended=in_pieces), held, der(0x31))
    return der(0x30, der(0x06, signed_data), der(0xA0, inner))


def enveloped() -> bytes:
    """What S/MIME makes of a mail that is encrypted: enough of it to be known."""
    return der(0x30, der(0x06, bytes.fromhex("2a864886f70d010703")), der(0xA0, der(0x30)))


def packed(rich: bytes) -> bytes:
    """Rich text as Outlook keeps it: packed, but without a word that is said twice."""
    pieces = b"".join(b"\0" + rich[at : at + 8] for at in range(0, len(rich) // 8 * 8, 8))
    rest = rich[len(rich) // 8 * 8 :]
    end = struct.pack(">H", (207 + len(rich)) % 4096 << 4)  # the place where the window goes on: the end
    pieces += bytes([1 << len(rest)]) + rest + end
    return struct.pack("<II4sI", len(pieces) + 12, len(rich), b"LZFu", 0) + pieces


def tnef_property(number: int, value: bytes | str | int) -> bytes:
    """A property in a winmail.dat."""
    if isinstance(value, int):
        return struct.pack("<HHI", 0x03, number, value)
    data = f"{value}\0".encode("utf-16-le") if isinstance(value, str) else value
    kind = 0x1F if isinstance(value, str) else 0x102
    return struct.pack("<HHII", kind, number, 1, len(data)) + data + b"\0" * (-len(data) % 4)


def tnef_properties(values: dict[int, bytes | str | int]) -> bytes:
    """A list of properties in a winmail.dat, with one of each kind that is only skipped among them."""
    named = (
        struct.pack("<HH16sI", 0x1F, 0x8001, b"g" * 16, 1) + struct.pack("<I", 8) + "name".encode("utf-16-le")
    )
    named += struct.pack("<III", 1, 4, 0)
    many = struct.pack("<HHI", 0x1003, 0x7000, 2) + struct.pack("<II", 1, 2)
    found = [tnef_property(number, value) for number, value in values.items()]
    return struct.pack("<I", len(found) + 2) + named + many + b"".join(found)


def tnef(*attributes: tuple[int, bytes]) -> bytes:
    """A winmail.dat of attributes."""
    found = [
        struct.pack("<BII", 1, number, len(value)) + value + struct.pack("<H", sum(value) & 0xFFFF)
        for number, value in attributes
    ]
    return struct.pack("<IH", 0x223E9F78, 1) + b"".join(found)


Properties = dict[int, bytes | str | int]


@dataclass
class Message:
    """What is in a msg."""

    properties: Properties
    recipients: Sequence[Properties] = ()
    attachments: Sequence[tuple[Properties, bytes | Message]] = field(default_factory=tuple)

    def streams(self, below: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], bytes]]:
        """Path and bytes of each."""
        yield from _streams(self.properties, below, 24 if below else 32)
        for number, one in enumerate(self.recipients):
            yield from _streams(one, (*below, f"__recip_version1.0_#{number:08X}"), 8)
        for number, (properties, content) in enumerate(self.attachments):
            place = (*below, f"__attach_version1.0_#{number:08X}")
            yield from _streams(properties, place, 8)
            if isinstance(content, Message):
                yield from content.streams((*place, "__substg1.0_3701000D"))
            else:
                yield (*place, "__substg1.0_37010102"), content


def _streams(
    properties: Properties, below: tuple[str, ...], header: int
) -> Iterator[tuple[tuple[str, ...], bytes]]:
    rows = bytes(header)
    for number, value in properties.items():
        if isinstance(value, int):
            kind = 0x03 if value < 1 << 32 else 0x40
            rows += struct.pack("<HHIQ", kind, number, 6, value)
        else:
            kind = 0x1F if isinstance(value, str) else 0x102
            data = value.encode("utf-16-le") if isinstance(value, str) else value
            yield (*below, f"__substg1.0_{number:04X}{kind:04X}"), data
    yield (*below, "__properties_version1.0"), rows


_SECTOR, _MINI, _END, _FREE, _NONE = 512, 64, 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFF


def msg(message: Message) -> bytes:
    """A mail that Outlook saved."""
    return ole(dict(message.streams()))


def ole(streams: dict[tuple[str, ...], bytes]) -> bytes:
    """An OLE container of streams: MS-CFB, version 3, its trees without balance."""
    chains, mini = _Chains(_SECTOR), _Chains(_MINI)
    places = {
        path: (mini if len(data) < 4096 else chains).put(data) for path, data in streams.items() if data
    }
    root = chains.put(bytes(mini.data))
    table = chains.put(struct.pack(f"<{len(mini.next)}I", *mini.next))
    directory = chains.put(_directory(streams, places, root, len(mini.data)))
    fat_at = len(chains.next)
    fats = -(-(fat_at + 1) // 127)
    following = chains.next + [0xFFFFFFFD] * fats
    following += [_FREE] * (-len(following) % 128)
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        bytes.fromhex("d0cf11e0a1b11ae1"),
        *(0x3E, 3, 0xFFFE, 9, 6),
        *(0, fats, directory, 0, 4096, table, -(-len(mini.next) * 4 // _SECTOR), _END, 0),
    )
    difat = [fat_at + number for number in range(fats)]
    header += struct.pack("<109I", *difat, *[_FREE] * (109 - fats))
    return header + bytes(chains.data) + struct.pack(f"<{len(following)}I", *following)


class _Chains:
    def __init__(self, size: int) -> None:
        self._size = size
        self.data = bytearray()
        self.next: list[int] = []

    def put(self, data: bytes) -> int:
        if not data:
            return _END
        first, count = len(self.next), -(-len(data) // self._size)
        self.data += data + bytes(-len(data) % self._size)
        self.next += [*range(first + 1, first + count), _END]
        return first


def _directory(
    streams: dict[tuple[str, ...], bytes], places: dict[tuple[str, ...], int], root: int, size: int
) -> bytes:
    folders = {path[:length] for path in streams for length in range(len(path))}
    paths = [(), *sorted((folders | set(streams)) - {()})]
    numbers = {path: number for number, path in enumerate(paths)}
    siblings: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for path in paths[1:]:
        siblings.setdefault(path[:-1], []).append(path)
    after = {one: two for group in siblings.values() for one, two in itertools.pairwise(group)}
    entries = []
    for path in paths:
        name = (path[-1] if path else "Root Entry").encode("utf-16-le") + b"\0\0"
        kind = 2 if path in streams else 1 if path else 5
        child = numbers[siblings[path][0]] if path in siblings else _NONE
        start, length = (root, size) if not path else (places.get(path, _END), len(streams.get(path, b"")))
        right = numbers[after[path]] if path in after else _NONE
        entries.append(
            struct.pack("<64sHBBIII36xIQ", name, len(name), kind, 1, _NONE, right, child, start, length)
        )
    entries += [bytes(64) + bytes(64)] * (-len(entries) % 4)
    return b"".join(entries)

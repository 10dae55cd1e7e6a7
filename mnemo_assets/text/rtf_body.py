"""The rich text in which Outlook keeps some bodies, unpacked (MS-OXRTFCP). Pure."""

from __future__ import annotations

import struct
from typing import Final

#: Bytes of a body: it unpacks to eight times its size at most.
_MOST_BYTES: Final = 64 << 20
#: What is in the window before the first byte.
_WINDOW: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript "
    b"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_SIZE: Final = 4096  # of the window
_HEADER = struct.Struct("<II4sI")
_PACKED, _STORED = b"LZFu", b"MELA"


def unpacked(data: bytes) -> bytes:
    """Rich text that was packed; as it is where it was not; what stands before damage."""
    if len(data) < _HEADER.size:
        return data
    _, raw_size, magic, _ = _HEADER.unpack_from(data)
    if magic == _STORED:
        return data[_HEADER.size : _HEADER.size + raw_size]
    return _inflated(data, min(raw_size, _MOST_BYTES)) if magic == _PACKED else data


def _inflated(data: bytes, size: int) -> bytes:
    """A flag says of each of eight that follow whether it is a byte or a place in the window."""
    found = bytearray(_SIZE - len(_WINDOW)) + _WINDOW
    whole, at = _SIZE + size, _HEADER.size
    while at < len(data) and len(found) < whole:
        flags, at = data[at], at + 1
        for bit in range(8):
            if at >= len(data):
                break
            if not flags >> bit & 1:
                found.append(data[at])
                at += 1
                continue
            place = int.from_bytes(data[at : at + 2], "big")
            at += 2
            back, length = (len(_WINDOW) + len(found) - (place >> 4)) % _SIZE, (place & 0xF) + 2
            if back == 0:  # the end
                return bytes(found[_SIZE:whole])
            start = len(found) - back
            said = found[start : start + length]
            found += said if back >= length else (said * length)[:length]  # it may reach into what it makes
    return bytes(found[_SIZE:whole])

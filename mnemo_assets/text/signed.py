"""What is inside of an S/MIME body (RFC 8551): the mail that was signed, or the word that it is locked. Pure.

Nothing is verified: who signed is a question for a mail program. Only the wrapping is opened, which is BER:
some forty lines, where a library would bring all of its cryptography into the closed room.
"""

from __future__ import annotations

from typing import Final

_SIGNED: Final = bytes.fromhex("2a864886f70d010702")
_ENVELOPED: Final = bytes.fromhex("2a864886f70d010703")
_AUTHENTICATED: Final = bytes.fromhex("2a864886f70d0109100117")
_SEQUENCE, _INTEGER, _IDENTIFIER, _OCTETS, _PIECES, _EXPLICIT = 0x30, 0x02, 0x06, 0x04, 0x24, 0xA0
_DEEPEST: Final = 20
_LONGEST_LENGTH: Final = 8


def is_locked(data: bytes) -> bool:
    """Whether it opens only with the recipient's key."""
    try:
        return _kind(_Reader(data)) in {_ENVELOPED, _AUTHENTICATED}
    except (ValueError, IndexError):
        return False


def content(data: bytes) -> bytes | None:
    """The entity that was signed; None if there is none in it, as where the signature stands apart."""
    reader = _Reader(data)
    try:
        if _kind(reader) != _SIGNED:
            return None
        reader.enter(_EXPLICIT)
        reader.enter(_SEQUENCE)
        reader.value(_INTEGER)
        reader.skip()  # the algorithms, a set
        reader.enter(_SEQUENCE)
        reader.value(_IDENTIFIER)
        reader.enter(_EXPLICIT)
        return reader.octets()
    except (ValueError, IndexError):
        return None


def _kind(reader: _Reader) -> bytes:
    reader.enter(_SEQUENCE)
    return reader.value(_IDENTIFIER)


class _Reader:
    """Goes through BER: each element a tag, a length that may be left open, and a value."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def enter(self, tag: int) -> int | None:
        """Go to the beginning of the value of an element; its length, or None where it is left open.

        Raises:
            ValueError: it has another tag, or is longer than what is there.
        """
        if self._data[self._at] != tag:
            raise ValueError
        first, self._at = self._data[self._at + 1], self._at + 2
        if first == 0x80:  # noqa: PLR2004 - X.690, 8.1.3.6
            return None
        if first < 0x80:  # noqa: PLR2004 - the same, 8.1.3.4
            return first
        size = first & 0x7F
        if size > _LONGEST_LENGTH:
            raise ValueError
        length = int.from_bytes(self._data[self._at : self._at + size], "big")
        self._at += size
        if self._at + length > len(self._data):
            raise ValueError
        return length

    def value(self, tag: int) -> bytes:
        """The value of an element that is not made of others."""
        length = self.enter(tag)
        if length is None:
            raise ValueError
        self._at += length
        return self._data[self._at - length : self._at]

    def skip(self, depth: int = 0) -> None:
        """Go behind an element."""
        if depth > _DEEPEST:
            raise ValueError
        length = self.enter(self._data[self._at])
        if length is not None:
            self._at += length
            return
        while not self._ends():
            self.skip(depth + 1)

    def octets(self) -> bytes:
        """The bytes of a string, whole or in pieces."""
        if self._data[self._at] == _OCTETS:
            return self.value(_OCTETS)
        length = self.enter(_PIECES)
        end = None if length is None else self._at + length
        pieces = []
        while self._at < end if end is not None else not self._ends():
            pieces.append(self.value(_OCTETS))
        return b"".join(pieces)

    def _ends(self) -> bool:
        """Whether the two zeros stand here that end an element of open length; goes behind them."""
        ends = self._data[self._at : self._at + 2] == b"\0\0"
        self._at += 2 * ends
        if not ends and self._at >= len(self._data):
            raise ValueError
        return ends

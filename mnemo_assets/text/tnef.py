"""winmail.dat: what Outlook sends where it does not trust MIME (MS-OXTNEF). Its mail, as MIME.

tnefparse, the library there is, has not been released since 2021, and keeps all of a file in memory several
times; the properties are those of msg, which are read anyway.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import mapi
from mnemo_assets.text.mapi import Attachment, Letter, Properties, Value

if TYPE_CHECKING:
    from collections.abc import Callable

MAGIC: Final = bytes.fromhex("789f3e22")

# Attributes, in the order of their mention in the specification.
_SUBJECT, _DATE_SENT, _BODY, _FROM = 0x00018004, 0x00038005, 0x0002800C, 0x00008000
_PROPERTIES, _RECIPIENTS, _CODE_PAGE = 0x00069003, 0x00069004, 0x00069007
_RENDERING, _TITLE, _DATA, _ATTACHMENT = 0x00069002, 0x00018010, 0x0006800F, 0x00069005

_HEADER = struct.Struct("<BII")
_CHECKSUM = 2
_NAMED = 0x8000
_MANY = 0x1000
_INTEGER, _OBJECT, _STRING, _UNICODE, _TIME, _BYTES = 0x03, 0x0D, 0x1E, 0x1F, 0x40, 0x102
#: Bytes of each value of a type that has as many each time; all are padded to four.
_FIXED: Final = {
    0x02: 4, _INTEGER: 4, 0x04: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x0A: 4, 0x0B: 4, 0x14: 8, _TIME: 8, 0x48: 16,
}  # fmt: skip
_VARIABLE: Final = frozenset({_OBJECT, _STRING, _UNICODE, _BYTES})
_GUID = _IID = 16  # bytes of the number of a set of names, and of the interface before an object
_DATE = struct.Struct("<7H")


def written(data: bytes) -> bytes:
    """The mail in a winmail.dat, as MIME. What stands behind damage is lost, what stands before is not.

    A mail that is attached to it stays what it is, a winmail.dat.

    Raises:
        ReadingError: CORRUPT, it is none.
    """
    if not data.startswith(MAGIC):
        raise ReadingError(ErrorClass.CORRUPT, "tnef")
    letter = Letter({})
    take = _Attributes(letter).take
    at = len(MAGIC) + 2
    while at + _HEADER.size <= len(data):
        _, attribute, size = _HEADER.unpack_from(data, at)
        at += _HEADER.size
        with suppress(struct.error, ValueError, IndexError, KeyError):  # a damaged attribute loses itself
            take(attribute, data[at : at + size])
        at += size + _CHECKSUM
    return mapi.written(letter)


class _Attributes:
    """Puts what attributes say where it belongs: an attachment begins with its rendering."""

    def __init__(self, letter: Letter) -> None:
        self._letter = letter

    def take(self, attribute: int, value: bytes) -> None:
        properties = self._letter.properties
        attachments = self._letter.attachments
        if attribute == _CODE_PAGE:
            properties.setdefault(mapi.CODE_PAGE, int.from_bytes(value[:4], "little"))
        elif attribute == _SUBJECT:
            properties.setdefault(mapi.SUBJECT, value.rstrip(b"\0"))
        elif attribute == _BODY:
            properties.setdefault(mapi.BODY, value.rstrip(b"\0"))
        elif attribute == _DATE_SENT:
            properties.setdefault(mapi.SUBMITTED, _day(value))
        elif attribute == _FROM:
            self._sender(value)
        elif attribute == _PROPERTIES:
            properties |= _properties(value, 0)[0]
        elif attribute == _RECIPIENTS:
            self._letter.recipients = _rows(value)
        elif attribute == _RENDERING:
            attachments.append(Attachment({}, b""))
        elif attachments:
            self._attached(attachments[-1], attribute, value)

    def _sender(self, value: bytes) -> None:
        """Two lengths behind two numbers; then a name and an address, of which one may be missing."""
        _, _, of_name, of_address = struct.unpack_from("<4H", value)
        name = value[8 : 8 + of_name].rstrip(b"\0")
        address = value[8 + of_name : 8 + of_name + of_address].rstrip(b"\0")
        self._letter.properties.setdefault(mapi.SENDER_NAME, name)
        self._letter.properties.setdefault(mapi.SENDER_ADDRESS, address.partition(b":")[2] or address)

    def _attached(self, attachment: Attachment, attribute: int, value: bytes) -> None:
        if attribute == _TITLE:
            attachment.properties.setdefault(mapi.ATTACHED_NAME, value.rstrip(b"\0"))
        elif attribute == _DATA:
            attachment.data = value
        elif attribute == _ATTACHMENT:
            found, objects = _properties(value, 0)
            attachment.properties |= found
            held = found.get(mapi.ATTACHED_DATA)
            if not isinstance(held, bytes):
                return
            content = held[_IID:] if mapi.ATTACHED_DATA in objects else held
            attachment.is_mail = content.startswith(MAGIC)
            attachment.data = content if attachment.is_mail else attachment.data or content


def _day(value: bytes) -> datetime:
    year, month, day, hour, minute, second, _ = _DATE.unpack_from(value)
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)


def _properties(data: bytes, start: int) -> tuple[Properties, set[int]]:
    """Those that are numbered, of the kinds that are read; and the numbers of those that are objects."""
    cursor = _Cursor(data, start)
    found: Properties = {}
    objects: set[int] = set()
    for _ in range(cursor.number()):
        kind, number, value = _property(cursor)
        if value is not None and number < _NAMED:
            found[number] = value
            if kind == _OBJECT:
                objects.add(number)
    return found, objects


def _rows(data: bytes) -> list[Properties]:
    """A table: a list of properties for each row."""
    cursor = _Cursor(data, 0)
    rows = []
    for _ in range(cursor.number()):
        found: Properties = {}
        for _ in range(cursor.number()):
            _, number, value = _property(cursor)
            if value is not None:
                found[number] = value
        rows.append(found)
    return rows


def _property(cursor: _Cursor) -> tuple[int, int, Value | None]:
    """Type, number and first value of the property at the cursor, which then stands behind all of it."""
    kind, number = cursor.pair()
    if number >= _NAMED:
        cursor.take(_GUID)
        is_word = cursor.number()
        cursor.take(cursor.number() if is_word else 4)
    many, kind = bool(kind & _MANY), kind & ~_MANY
    count = cursor.number() if many or kind in _VARIABLE else 1
    values = []
    for _ in range(count):
        size = cursor.number() if kind in _VARIABLE else _FIXED[kind]
        values.append(cursor.take(size))
    return kind, number, _READ.get(kind, _no_value)(values[0]) if values else None


def _no_value(_: bytes) -> Value | None:
    return None


_READ: Final[dict[int, Callable[[bytes], Value | None]]] = {
    _INTEGER: lambda value: int.from_bytes(value, "little"),
    _TIME: lambda value: mapi.moment(int.from_bytes(value, "little")),
    _STRING: lambda value: value.rstrip(b"\0"),
    _UNICODE: lambda value: value.decode("utf-16-le", "replace").rstrip("\0"),
    _BYTES: lambda value: value,
    _OBJECT: lambda value: value,
}


class _Cursor:
    """Reads on from where it stands; past the end is an error."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def take(self, size: int) -> bytes:
        """That many bytes; their padding is skipped."""
        if self._at + size > len(self._data):
            raise ValueError
        value = self._data[self._at : self._at + size]
        self._at += (size + 3) & ~3
        return value

    def number(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def pair(self) -> tuple[int, int]:
        kind = self.take(4)
        return int.from_bytes(kind[:2], "little"), int.from_bytes(kind[2:], "little")

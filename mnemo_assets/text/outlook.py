"""Mails that Outlook saved as msg (MS-OXMSG): an OLE container of properties. Its mail, as MIME.

olefile opens the container: it is what other programs that read them stand on too, is kept, and takes an
open file. What is in it is simple; the libraries above it bring a dozen others, or are at their beginning.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import mapi, ole
from mnemo_assets.text.mapi import Attachment, Letter, Properties, Value
from mnemo_assets.text.mime import DEEPEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: The stream that every message has, of the properties of fixed size.
_FIXED_SIZE: Final = "__properties_version1.0"
_SUBSTANCE, _RECIPIENT, _ATTACHMENT = "__substg1.0_", "__recip_version1.0_", "__attach_version1.0_"
_NAME_LENGTH: Final = len(_SUBSTANCE) + 8
#: Bytes before the properties: of the message itself, of one in it, of a recipient or an attachment.
_OUTERMOST, _EMBEDDED, _OTHER = 32, 24, 8
_ROW = struct.Struct("<HHIQ")
_INTEGER, _STRING, _UNICODE, _TIME, _BYTES, _OBJECT = 0x03, 0x1E, 0x1F, 0x40, 0x102, 0x0D


def is_message(file: BinaryIO) -> bool:
    """Whether an OLE container is a mail, and not a document; False where it is damaged."""
    try:
        return _FIXED_SIZE in ole.streams(file)
    except ReadingError:
        return False


def written(file: BinaryIO) -> bytes:
    """The mail in a msg, as MIME.

    Raises:
        ReadingError: CORRUPT, the container is damaged, or mails are nested in it more deeply than in any.
    """
    with ole.opened(file) as container:
        return _Container(container).mail((), 0)


class _Container:
    """The storages of a msg by the path of their parent."""

    def __init__(self, container: Any) -> None:  # noqa: ANN401 - the library has no types
        self._container = container
        self._below: dict[tuple[str, ...], dict[str, None]] = {}
        for path in container.listdir(streams=True, storages=True):
            self._below.setdefault(tuple(path[:-1]), {})[path[-1]] = None

    def mail(self, storage: tuple[str, ...], depth: int) -> bytes:
        """The mail of a storage, as MIME."""
        if depth > DEEPEST:
            raise ReadingError(ErrorClass.CORRUPT, "nesting")
        letter = Letter(self._properties(storage, _EMBEDDED if storage else _OUTERMOST))
        for name in self._below.get(storage, ()):
            if name.startswith(_RECIPIENT):
                letter.recipients.append(self._properties((*storage, name), _OTHER))
            elif name.startswith(_ATTACHMENT):
                letter.attachments.append(self._attachment((*storage, name), depth))
        return mapi.written(letter, depth)

    def _attachment(self, storage: tuple[str, ...], depth: int) -> Attachment:
        properties = self._properties(storage, _OTHER)
        inner = (*storage, f"{_SUBSTANCE}{mapi.ATTACHED_DATA:04X}{_OBJECT:04X}")
        if _FIXED_SIZE in self._below.get(inner, ()):
            return Attachment(properties, self.mail(inner, depth + 1), is_mail=True)
        data = properties.pop(mapi.ATTACHED_DATA, b"")
        return Attachment(properties, data if isinstance(data, bytes) else b"")

    def _properties(self, storage: tuple[str, ...], header: int) -> Properties:
        found: Properties = {}
        names = self._below.get(storage, {})
        if _FIXED_SIZE in names:
            found |= dict(_fixed(self._stream((*storage, _FIXED_SIZE))[header:]))
        for name in names:
            if name.startswith(_SUBSTANCE) and len(name) == _NAME_LENGTH:
                number, kind = int(name[-8:-4], 16), int(name[-4:], 16)
                if kind in {_STRING, _UNICODE, _BYTES}:
                    found[number] = _read(kind, self._stream((*storage, name)))
        return found

    def _stream(self, path: Sequence[str]) -> bytes:
        data: bytes = self._container.openstream(list(path)).read()
        return data


def _fixed(data: bytes) -> Iterator[tuple[int, Value]]:
    for kind, number, _, value in _ROW.iter_unpack(data[: len(data) // _ROW.size * _ROW.size]):
        if kind == _INTEGER:
            yield number, value & 0xFFFFFFFF
        elif kind == _TIME and (time := mapi.moment(value)) is not None:
            yield number, time


def _read(kind: int, data: bytes) -> Value:
    return data.decode("utf-16-le", "replace").rstrip("\0") if kind == _UNICODE else data

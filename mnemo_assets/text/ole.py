"""OLE containers, which old Office documents and Outlook's mails are: what streams one has, and its bytes."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, BinaryIO

import olefile

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import code_pages
from mnemo_assets.text.days import plausible
from mnemo_assets.text.pages import Metadata
from mnemo_assets.text.xml_parts import DAMAGE, damaged

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
#: Bytes of a stream that is taken whole.
_MOST_BYTES = 256 << 20
#: What the library raises on damage; its own errors are OSErrors.
_DAMAGE = (*DAMAGE, IndexError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)


@contextmanager
def opened(file: BinaryIO) -> Iterator[Any]:
    """The container, as the library has it, which has no types.

    Raises:
        ReadingError: CORRUPT, it is damaged, or what is looked up in it.
    """
    file.seek(0)
    try:
        with olefile.OleFileIO(file) as container:
            yield container
    except _DAMAGE as error:
        raise damaged(error) from None


def streams(file: BinaryIO) -> frozenset[str]:
    """The paths of the streams, their parts joined by slashes: `WordDocument`, `ObjectPool/_1/Ole`.

    `Workbook` or `Book` is a workbook, `WordDocument` a Word document, `PowerPoint Document` a
    presentation, `EncryptedPackage` an encrypted document of a newer Office.

    Raises:
        ReadingError: CORRUPT, the container is damaged.
    """
    with opened(file) as container:
        return frozenset("/".join(path) for path in container.listdir())


def stream(file: BinaryIO, path: str) -> bytes:
    """The bytes of a stream.

    Raises:
        ReadingError: CORRUPT, the container is damaged or has no such stream; TOO_LARGE.
    """
    with opened(file) as container:
        if container.get_size(path) > _MOST_BYTES:
            raise ReadingError(ErrorClass.TOO_LARGE, "stream")
        data: bytes = container.openstream(path).read()
        return data


def properties(file: BinaryIO) -> Metadata:
    """Title, author and days of the document; what is damaged is left out."""
    try:
        with opened(file) as container:
            said = container.get_metadata()
    except ReadingError:
        return Metadata()
    codec = _codec(said.codepage)
    return Metadata(
        title=_line(said.title, codec),
        author=_line(said.author, codec),
        created=_day(said.create_time),
        modified=_day(said.last_saved_time),
    )


def _codec(page: object) -> str:
    number = page % (1 << 16) if isinstance(page, int) else 0  # it may have been read as negative
    return code_pages.codec(number) or "cp1252"


def _line(value: object, codec: str) -> str | None:
    if isinstance(value, bytes):
        return value.decode(codec, "replace").rstrip("\0")
    return value if isinstance(value, str) else None


def _day(value: object) -> date | None:
    return plausible(value.date()) if isinstance(value, datetime) else None

"""OLE containers, which old Office documents are: what streams one has, and the bytes of one."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

import olefile

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.xml_parts import DAMAGE, damaged

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
#: Bytes of a stream that is taken whole.
_MOST_BYTES = 256 << 20
#: What the library raises on damage; its own errors are OSErrors.
_DAMAGE = (*DAMAGE, IndexError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)


def streams(file: BinaryIO) -> frozenset[str]:
    """The paths of the streams, their parts joined by slashes: `WordDocument`, `ObjectPool/_1/Ole`.

    `Workbook` or `Book` is a workbook, `WordDocument` a Word document, `PowerPoint Document` a
    presentation, `EncryptedPackage` an encrypted document of a newer Office.

    Raises:
        ReadingError: CORRUPT, the container is damaged.
    """
    with _opened(file) as container:
        return frozenset("/".join(path) for path in container.listdir())


def stream(file: BinaryIO, path: str) -> bytes:
    """The bytes of a stream.

    Raises:
        ReadingError: CORRUPT, the container is damaged or has no such stream; TOO_LARGE.
    """
    with _opened(file) as container:
        if container.get_size(path) > _MOST_BYTES:
            raise ReadingError(ErrorClass.TOO_LARGE, "stream")
        data: bytes = container.openstream(path).read()
        return data


@contextmanager
def _opened(file: BinaryIO) -> Iterator[Any]:
    file.seek(0)
    try:
        with olefile.OleFileIO(file) as container:
            yield container
    except _DAMAGE as error:
        raise damaged(error) from None

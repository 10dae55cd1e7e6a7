"""Text as it stands: txt, md and csv. A form feed begins a page."""

from __future__ import annotations

import os
from typing import BinaryIO

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.decoding import decode
from mnemo_assets.text.pages import MAX_TEXT, MAX_TEXT_BYTES, Pages, split_pages


def read(file: BinaryIO) -> Pages:
    """Read a text file.

    Raises:
        ReadingError: TOO_LARGE, before the whole file is in memory.
    """
    text = decode(whole(file))
    if len(text) > MAX_TEXT:
        raise ReadingError(ErrorClass.TOO_LARGE, "characters")
    return Pages(split_pages(text))


def whole(file: BinaryIO, limit: int = MAX_TEXT_BYTES) -> bytes:
    """The bytes of a file from its beginning.

    Raises:
        ReadingError: TOO_LARGE, the file has more than `limit` bytes.
    """
    size = file.seek(0, os.SEEK_END)
    if size > limit:
        raise ReadingError(ErrorClass.TOO_LARGE, "bytes")
    file.seek(0)
    return file.read(size)  # not the limit: so much memory would be asked for

"""A reader that finds an old document inside of each document."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO

from mnemo_assets.text import reading

if TYPE_CHECKING:
    from mnemo_assets.text.reading import Text


def read(file: BinaryIO, ext: str, **_wish: object) -> Text:
    """Ask for the conversion of what stands behind the first line; read what is made of it."""
    if ext != "eml":
        return reading.read(file, ext)
    file.readline()
    raise reading.ConversionNeededError("doc", io.BytesIO(file.read()))

"""A page as a picture, and how it leaves the process that drew it: data, checked, as a text is."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from typing import Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import reply

#: Dots per inch: what text recognition wants (facts: recall 1.00), and what offices scan at.
DPI: Final = 300
#: Dots of a picture: an A2 sheet at DPI. A larger page is drawn smaller.
MAX_DOTS: Final = 35_000_000
#: Dots of one side: tesseract counts in 16 bits.
MAX_SIDE: Final = 32_000
_LENGTH = struct.Struct("!I")
#: Of a PNG: eight bits of grey a dot, no interlacing.
_GREY = (8, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Picture:
    """A page in shades of grey.

    Attributes:
        width, height: in dots.
        dpi: dots of it in an inch of the page.
        grey: a byte a dot, row by row from the top; 255 is white.
    """

    width: int
    height: int
    dpi: int
    grey: bytes

    def pgm(self) -> bytes:
        """The same as a file that any program reads: a header of ours and nothing of the document's."""
        return b"P5 %d %d 255\n" % (self.width, self.height) + self.grey

    def png(self) -> bytes:
        """The same, compressed; at worst, of noise, as large as its dots."""
        rows = (self.grey[start : start + self.width] for start in range(0, len(self.grey), self.width))
        header = struct.pack("!IIBBBBB", self.width, self.height, *_GREY)
        dots = zlib.compress(b"".join(b"\0" + row for row in rows))
        chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", dots), _chunk(b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack("!I", len(content)) + kind + content + struct.pack("!I", zlib.crc32(kind + content))


def pack(picture: Picture) -> bytes:
    """An answer with a picture."""
    header = json.dumps({"width": picture.width, "height": picture.height, "dpi": picture.dpi}).encode()
    return _LENGTH.pack(len(header)) + header + picture.grey


def unpack(answer: bytes) -> Picture:
    """The picture in an answer.

    Raises:
        ReadingError: the one in the answer; READER_CRASHED, it is not an answer.
    """
    try:
        (length,) = _LENGTH.unpack_from(answer)
        header = json.loads(answer[_LENGTH.size : _LENGTH.size + length])
        reply.raise_error(header)
        width, height, dpi = (header[name] for name in ("width", "height", "dpi"))
    except (struct.error, ValueError, TypeError, KeyError, RecursionError):
        raise ReadingError(ErrorClass.READER_CRASHED, "answer") from None
    grey = answer[_LENGTH.size + length :]
    if not (
        all(type(number) is int for number in (width, height, dpi))
        and 0 < width <= MAX_SIDE
        and 0 < height <= MAX_SIDE
        and len(grey) == width * height <= MAX_DOTS
        and 0 < dpi <= DPI
    ):
        raise ReadingError(ErrorClass.READER_CRASHED, "answer")
    return Picture(width, height, dpi, grey)

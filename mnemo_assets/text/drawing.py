"""Pages drawn as pictures, for text recognition: inside the sandbox, as the document is a stranger's."""

from __future__ import annotations

import io
import math
import mmap
from typing import TYPE_CHECKING, Any, BinaryIO

import pymupdf

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.contents import kind_of
from mnemo_assets.text.pictures import DPI, MAX_DOTS, MAX_SIDE, Picture
from mnemo_assets.text.reading import within

if TYPE_CHECKING:
    from collections.abc import Sequence

_mupdf: Any = pymupdf  # ships no types
_POINTS = 72
#: What MuPDF raises, and PyMuPDF where it does not expect what MuPDF returns.
_DAMAGE = (_mupdf.mupdf.FzErrorBase, RuntimeError, ValueError, TypeError, LookupError, AttributeError)


def draw(
    file: BinaryIO,
    ext: str,
    page: int,
    *,
    parts: Sequence[tuple[str, str]] = (),
    sha256: str | None = None,
    passwords: Sequence[str] = (),
) -> Picture:
    """Draw a page of a document, counted from 1; the document is found as `reading.read` finds it.

    Raises:
        ReadingError: UNSUPPORTED, it is of a kind that has no such pages; CORRUPT, ENCRYPTED, FILE_CHANGED,
            as in reading.
        MemoryError: MuPDF was refused memory.
    """
    file, ext = within(file, ext, parts, sha256)
    if kind_of(file, ext) != "pdf":
        raise ReadingError(ErrorClass.UNSUPPORTED, "pages")
    try:
        with _mupdf.open(stream=_bytes(file), filetype="pdf") as document:
            if document.needs_pass and not any(map(document.authenticate, ("", *passwords))):
                raise ReadingError(ErrorClass.ENCRYPTED)
            if not 0 < page <= document.page_count:
                raise ReadingError(ErrorClass.CORRUPT, "no such page")
            return _drawn(document.load_page(page - 1))
    except _DAMAGE as error:
        if "alloc" in str(error).lower():  # its text is looked at, and not kept
            raise MemoryError from None
        raise ReadingError(ErrorClass.CORRUPT, type(error).__name__) from None


def _bytes(file: BinaryIO) -> memoryview | bytes:
    """The bytes of the file, not copied where it is a real one: this is done for each page."""
    try:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, io.UnsupportedOperation):
        file.seek(0)
        return file.read()


def _drawn(page: Any) -> Picture:  # noqa: ANN401 - PyMuPDF has no types
    zoom = scale(page.rect.width, page.rect.height)
    drawn = page.get_pixmap(matrix=_mupdf.Matrix(zoom, zoom), colorspace=_mupdf.csGRAY, alpha=False)
    return Picture(drawn.width, drawn.height, max(1, math.floor(_POINTS * zoom)), bytes(drawn.samples))


def scale(width: float, height: float) -> float:
    """Dots a point for a page of this size in points: DPI, or fewer where that were too many."""
    zoom = DPI / _POINTS
    if width <= 0 or height <= 0:
        return zoom
    # a dot less on each side: MuPDF rounds outwards
    zoom = min(zoom, (MAX_SIDE - 2) / max(width, height))
    return min(zoom, math.sqrt((MAX_DOTS - 4 * MAX_SIDE) / (width * height)))

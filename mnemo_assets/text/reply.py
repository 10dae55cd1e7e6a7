"""What a reader's process answers: a length, a header in JSON, the text in UTF-8.

The process read a stranger's file and may be in the stranger's hands: its answer is data, checked, never
code.
"""

from __future__ import annotations

import json
import struct
from datetime import date
from typing import Any, Literal, cast

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.normalise import FORBIDDEN, LINE_LIMIT
from mnemo_assets.text.pages import MAX_PAGES, MAX_TEXT
from mnemo_assets.text.reading import Reader, Text

#: Bytes of the longest answer: four for each character, ten for the start of each page, and a header.
LIMIT = 4 * MAX_TEXT + 10 * MAX_PAGES + (1 << 20)
_LENGTH = struct.Struct("!I")
#: Code points of a detail: the name of an exception and a place in our code.
_DETAIL = 200


def pack(text: Text) -> bytes:
    """An answer with a text."""
    header = {
        "title": text.title,
        "day": text.document_date.isoformat() if text.document_date else None,
        "source": text.document_date_source,
        "removed": text.characters_removed,
        "awaiting": text.pages_awaiting_ocr,
        "blank": text.blank,
        "scanned": text.scanned,
        "starts": text.page_starts,
    }
    return _framed(header) + text.text.encode()


def pack_error(error: ReadingError) -> bytes:
    """An answer that says why there is no text."""
    return _framed({"error": error.error_class.value, "detail": error.detail})


def unpack(answer: bytes, reader: Reader) -> Text:
    """The text in an answer.

    Raises:
        ReadingError: the one in the answer; READER_CRASHED, it is not an answer.
    """
    try:
        (length,) = _LENGTH.unpack_from(answer)
        header = json.loads(answer[_LENGTH.size : _LENGTH.size + length])
        if "error" in header:
            raise ReadingError(ErrorClass(header["error"]), str(header.get("detail", ""))[:_DETAIL])
        return _checked(header, answer[_LENGTH.size + length :].decode(), reader)
    except (struct.error, ValueError, TypeError, KeyError, RecursionError):
        raise ReadingError(ErrorClass.READER_CRASHED, "answer") from None


def _framed(header: dict[str, Any]) -> bytes:
    data = json.dumps(header, separators=(",", ":")).encode()
    return _LENGTH.pack(len(data)) + data


def _checked(header: dict[str, Any], text: str, reader: Reader) -> Text:
    """The text, if it is what a reader of ours could have answered.

    Raises:
        ValueError: it is not.
    """
    starts, title, source = tuple(header["starts"]), header["title"], header["source"]
    counts = (header["removed"], header["awaiting"])
    pages = text.split("\f")
    in_order = all(type(start) is int for start in starts) and _starts(pages) == starts
    named = title is None or (type(title) is str and len(title) <= LINE_LIMIT and not FORBIDDEN.search(title))
    counted = all(type(count) is int and 0 <= count < 1 << 62 for count in counts)
    if not (in_order and named and counted and source in {None, "content", "metadata"}):
        raise ValueError
    if len(text) > MAX_TEXT + MAX_PAGES or FORBIDDEN.search(text):
        raise ValueError
    return Text(
        text=text,
        page_starts=starts,
        title=title,
        document_date=date.fromisoformat(header["day"]) if header["day"] is not None else None,
        document_date_source=cast("Literal['content', 'metadata'] | None", source),
        characters_removed=counts[0],
        pages_awaiting_ocr=counts[1],
        blank=header["blank"] is True,
        reader=reader.name,
        reader_version=reader.version,
        scanned=header["scanned"] is True,
    )


def _starts(pages: list[str]) -> tuple[int, ...]:
    """Where each page starts when a form feed stands between them."""
    starts, start = [], 0
    for page in pages:
        starts.append(start)
        start += len(page) + 1
    return tuple(starts)

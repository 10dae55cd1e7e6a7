"""What a reader's process answers: a length, a header in JSON, the text in UTF-8.

The process read a stranger's file and may be in the stranger's hands: its answer is data, checked, never
code.
"""

from __future__ import annotations

import json
import re
import struct
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from mnemo_assets.archive.rules import ADMITTED
from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.normalise import FORBIDDEN, LINE_LIMIT
from mnemo_assets.text.pages import MAX_PAGES, MAX_PARTS, MAX_TEXT, Metadata
from mnemo_assets.text.reading import READERS, Reader, Text

if TYPE_CHECKING:
    from mnemo_assets.text.pages import Part

#: Bytes of the longest answer: four for each character, ten for the start of each page, and a header.
LIMIT = 4 * MAX_TEXT + 10 * MAX_PAGES + (8 << 20)
_LENGTH = struct.Struct("!I")
#: Code points of a detail: the name of an exception and a place in our code.
_DETAIL = 200
#: Code points of the name of a part: four times the longest that a file system takes.
_LONGEST_NAME = 1024
_COUNT = range(1 << 62)
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Conversion:
    """What is to be converted before it can be read.

    Attributes:
        kind: of the document, whose reader converts.
        document: its bytes; nothing where it is the one that was to be read.
    """

    kind: str
    document: bytes


def pack(text: Text) -> bytes:
    """An answer with a text."""
    header = adapter().dump_json(text, exclude={"text"}, warnings="error")
    return _LENGTH.pack(len(header)) + header + text.text.encode()


def pack_error(error: ReadingError) -> bytes:
    """An answer that says why there is no text."""
    header = json.dumps({"error": error.error_class.value, "detail": error.detail}).encode()
    return _LENGTH.pack(len(header)) + header


def pack_conversion(kind: str, document: bytes) -> bytes:
    """An answer that asks for a document to be converted: the whole one, or the one that goes along."""
    header = json.dumps({"convert": kind}).encode()
    return _LENGTH.pack(len(header)) + header + document


def unpack(answer: bytes, reader: Reader) -> Text | Conversion:
    """The text in an answer, or the conversion that it asks for.

    Raises:
        ReadingError: the one in the answer; READER_CRASHED, it is not an answer.
    """
    try:
        (length,) = _LENGTH.unpack_from(answer)
        header = json.loads(answer[_LENGTH.size : _LENGTH.size + length])
        raise_error(header)
        if "convert" in header:
            return _conversion(header["convert"], answer[_LENGTH.size + length :])
        return _checked(header, answer[_LENGTH.size + length :].decode(), reader)
    except (struct.error, ValueError, TypeError, KeyError, RecursionError, ValidationError):
        raise ReadingError(ErrorClass.READER_CRASHED, "answer") from None


def _conversion(kind: str, document: bytes) -> Conversion:
    """The conversion, if it is one of ours.

    Raises:
        ValueError: it is not.
    """
    if READERS[kind].converts is None:
        raise ValueError
    return Conversion(kind, document)


def raise_error(header: dict[str, Any]) -> None:
    """Raise the error in the header of an answer, if it is one.

    Raises:
        ReadingError: it.
        ValueError: no error of ours.
    """
    if "error" in header:
        raise ReadingError(ErrorClass(header["error"]), str(header.get("detail", ""))[:_DETAIL])


@cache
def adapter() -> TypeAdapter[Text]:
    """Between a text and its JSON; what is of another type is refused, not turned into the right one."""
    return TypeAdapter(Text)


def _checked(header: dict[str, Any], text: str, reader: Reader) -> Text:
    """The text, if it is what a reader of ours could have answered.

    Raises:
        ValueError: it is not.
    """
    if len(text) > MAX_TEXT + MAX_PAGES or FORBIDDEN.search(text):
        raise ValueError
    header |= {"text": "", "reader": reader.name, "reader_version": reader.version}
    found = adapter().validate_json(json.dumps(header), strict=True)
    lines = [getattr(found.metadata, one.name) for one in fields(Metadata)]
    lines += [found.language, found.second_reader]
    if not (
        _starts(text.split("\f")) == found.page_starts
        and all(_is_line(line) for line in lines if isinstance(line, str))
        and found.characters_removed in _COUNT
        and _is_ascending(found.waiting, len(found.page_starts))
        and len(found.parts) <= MAX_PARTS
        and all(map(_is_part, found.parts))
        and len({part.path for part in found.parts}) == len(found.parts)
        and all(0 <= start < end <= len(text) for start, end in found.quoted)
    ):
        raise ValueError
    return replace(found, text=text)


def _is_line(line: str) -> bool:
    return len(line) <= LINE_LIMIT and not FORBIDDEN.search(line)


def _is_ascending(pages: tuple[int, ...], last: int) -> bool:
    """Whether these are numbers of pages, each once and in order."""
    return all(before < page <= last for before, page in zip((0, *pages), pages, strict=False))


def _is_part(part: Part) -> bool:
    strings = (part.path, part.name, part.rule or "")
    return (
        part.size in _COUNT
        and part.ext in ADMITTED
        and _SHA256.fullmatch(part.sha256) is not None
        and all(len(value) <= _LONGEST_NAME and not FORBIDDEN.search(value) for value in strings)
    )


def _starts(pages: list[str]) -> tuple[int, ...]:
    """Where each page starts when a form feed stands between them."""
    starts, start = [], 0
    for page in pages:
        starts.append(start)
        start += len(page) + 1
    return tuple(starts)

"""READERS: the table of what can be read, and the one way through it.

Adding a reader is a file with a function `read(file) -> Pages` and a line in the table. Its version rises
when the same file would give another text: cached texts of older versions are not used any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO, Literal

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.normalise import join, one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from mnemo_assets.text.pages import Pages


@dataclass(frozen=True, slots=True)
class Reader:
    """How one extension is read.

    Attributes:
        name: the family, as it is recorded with the text.
        version: of the text it makes.
        function: where it stands, as `module:function`; it is imported in the sandbox alone.
    """

    name: str
    version: int
    function: str


_PLAIN = Reader("plain", 1, "mnemo_assets.text.plain:read")
_HTML = Reader("html", 1, "mnemo_assets.text.html:read")

READERS: dict[str, Reader] = {
    "pdf": Reader("pdf", 1, "mnemo_assets.text.pdf:read"),
    "docx": Reader("docx", 1, "mnemo_assets.text.docx:read"),
    "txt": _PLAIN,
    "md": _PLAIN,
    "csv": _PLAIN,
    "html": _HTML,
    "htm": _HTML,
    "eml": Reader("mail", 1, "mnemo_assets.text.mail:read"),
}


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a document, in the form that offsets refer to.

    Attributes:
        text: normalised; a form feed stands between pages.
        page_starts: the offset of each page, in code points; at least one.
        title: the document's own, one line, or None.
        document_date: the day the document gives itself, or None.
        document_date_source: where that day stands, or None.
        characters_removed: how many characters normalisation dropped.
        pages_awaiting_ocr: how many pages are pictures that wait for text recognition.
        blank: whether there is nothing in the document but blank space.
        reader: the name of the reader of the extension; a file that is something else is recorded the same,
            so that what is looked up in the cache is what was put there.
        reader_version: its version.
        scanned: whether no page has text that can be used, and some await OCR.
    """

    text: str
    page_starts: tuple[int, ...]
    title: str | None
    document_date: date | None
    document_date_source: Literal["content", "metadata"] | None
    characters_removed: int
    pages_awaiting_ocr: int
    blank: bool
    reader: str
    reader_version: int
    scanned: bool = False


def reader_for(ext: str) -> Reader | None:
    """The reader of an extension, in lower case and without a dot; None if it is yet to come."""
    return READERS.get(ext)


def read(file: BinaryIO, ext: str) -> Text:
    """Read a document in this process: what the sandbox does in its child, not to be called elsewhere.

    Args:
        file: open for reading, and seekable.
        ext: a key of READERS; the content decides, where it is something else.

    Raises:
        ReadingError: the document cannot be read.
        MemoryError: a library was refused memory.
    """
    from mnemo_assets.text.contents import kind_of  # noqa: PLC0415 - the parent imports this table, and stays light

    reader = READERS[ext]
    kind = kind_of(file, ext)
    if kind is None:
        return Text(
            "", (0,), None, None, None, 0, 0, blank=True, reader=reader.name, reader_version=reader.version
        )
    return text_of(function_of(READERS[kind])(file), reader)


def function_of(reader: Reader) -> Callable[[BinaryIO], Pages]:
    """The reader's function."""
    module, _, name = reader.function.partition(":")
    function: Callable[[BinaryIO], Pages] = getattr(import_module(module), name)
    return function


def text_of(pages: Pages, reader: Reader) -> Text:
    """Normalise what a reader returned.

    Raises:
        ReadingError: NO_TEXT, there is something in the document, and none of it is text or awaits OCR.
    """
    text, starts, removed = join(pages.pages or [""])
    empty = not text.strip()
    if empty and pages.has_content and not pages.awaiting_ocr:
        raise ReadingError(ErrorClass.NO_TEXT)
    usable = not empty if pages.usable is None else pages.usable > 0
    return Text(
        text=text,
        page_starts=starts,
        title=(one_line(pages.title) or None) if pages.title else None,
        document_date=pages.document_date,
        document_date_source=pages.document_date_source,
        characters_removed=removed,
        pages_awaiting_ocr=pages.awaiting_ocr,
        blank=empty and not pages.awaiting_ocr,
        reader=reader.name,
        reader_version=reader.version,
        scanned=pages.awaiting_ocr > 0 and not usable,
    )

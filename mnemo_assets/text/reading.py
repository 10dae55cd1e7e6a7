"""READERS: the table of what can be read, and the one way through it.

Adding a reader is a file with a function `read(file) -> Pages` and a line in the table. Its version rises
when the same file would give another text: cached texts of older versions are not used any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import date  # noqa: TC003 - text.reply validates texts by these annotations
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import dating
from mnemo_assets.text.normalise import join, one_line
from mnemo_assets.text.pages import Metadata, Part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mnemo_assets.text.pages import Pages


@dataclass(frozen=True, slots=True)
class Reader:
    """How one extension is read.

    Attributes:
        name: the family, as it is recorded with the text.
        version: of the text it makes.
        function: where it stands, as `module:function`; it is imported in the sandbox alone.
        part: what returns the bytes of a part, the same; called with the file and the part's path. None where
            documents of this kind hold no others.
        takes_passwords: whether the function is called with the passwords, too: its documents open by
            themselves.
    """

    name: str
    version: int
    function: str
    part: str | None = None
    takes_passwords: bool = False


_PLAIN = Reader("plain", 2, "mnemo_assets.text.plain:read")
_HTML = Reader("html", 2, "mnemo_assets.text.html:read")

READERS: dict[str, Reader] = {
    "pdf": Reader("pdf", 3, "mnemo_assets.text.pdf:read", "mnemo_assets.text.pdf:part", takes_passwords=True),
    "docx": Reader("docx", 2, "mnemo_assets.text.docx:read"),
    "txt": _PLAIN,
    "md": _PLAIN,
    "csv": _PLAIN,
    "html": _HTML,
    "htm": _HTML,
    "eml": Reader("mail", 2, "mnemo_assets.text.mail:read"),
}


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a document, in the form that offsets refer to.

    Attributes:
        text: normalised; a form feed stands between pages.
        page_starts: the offset of each page, in code points; at least one.
        metadata: what the file says about itself, each a line.
        document_date: the day the document is dated by, or None.
        document_date_source: where that day stands, or None.
        language: of the text, as ISO 639-1 has it, or None where that cannot be told.
        parts: the documents inside of it.
        quoted: starts and ends of what is quoted from an earlier mail.
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
    reader: str
    reader_version: int
    metadata: Metadata = field(default_factory=Metadata)
    document_date: date | None = None
    document_date_source: Literal["content", "metadata"] | None = None
    language: str | None = None
    parts: tuple[Part, ...] = ()
    quoted: tuple[tuple[int, int], ...] = ()
    characters_removed: int = 0
    pages_awaiting_ocr: int = 0
    blank: bool = False
    scanned: bool = False


def reader_for(ext: str) -> Reader | None:
    """The reader of an extension, in lower case and without a dot; None if it is yet to come."""
    return READERS.get(ext)


def read(
    file: BinaryIO,
    ext: str,
    *,
    parts: Sequence[tuple[str, str]] = (),  # noqa: ARG001 - no reader finds any yet
    passwords: Sequence[str] = (),
) -> Text:
    """Read a document in this process: what the sandbox does in its child, not to be called elsewhere.

    Args:
        file: open for reading, and seekable.
        ext: a key of READERS; the content decides, where it is something else.
        parts: to read a document inside of it, or inside of that: path and extension of each, from the
            outermost.
        passwords: to try where one is needed.

    Raises:
        ReadingError: the document cannot be read.
        MemoryError: a library was refused memory.
    """
    from mnemo_assets.text.contents import kind_of  # noqa: PLC0415 - the parent imports this table, and stays light
    from mnemo_assets.text.locked import opened  # noqa: PLC0415 - the same

    reader = READERS[ext]
    file = opened(file, passwords)
    kind = kind_of(file, ext)
    if kind is None:
        return Text("", (0,), reader.name, reader.version, blank=True)
    function, takes_passwords = function_of(READERS[kind]), READERS[kind].takes_passwords
    return text_of(function(file, passwords) if takes_passwords else function(file), reader)


def function_of(reader: Reader) -> Callable[..., Pages]:
    """The reader's function."""
    module, _, name = reader.function.partition(":")
    function: Callable[..., Pages] = getattr(import_module(module), name)
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
    metadata = _lines(pages.metadata)
    day, source = dating.document_date(text, metadata)
    return Text(
        text=text,
        page_starts=starts,
        reader=reader.name,
        reader_version=reader.version,
        metadata=metadata,
        document_date=day,
        document_date_source=source,
        parts=tuple(pages.parts),
        characters_removed=removed,
        pages_awaiting_ocr=pages.awaiting_ocr,
        blank=empty and not pages.awaiting_ocr,
        scanned=pages.awaiting_ocr > 0 and not usable,
    )


def _lines(metadata: Metadata) -> Metadata:
    """The same in normal form: texts are lines, and what is blank is None."""
    found: dict[str, Any] = {one.name: getattr(metadata, one.name) for one in fields(metadata)}
    lines = {name: one_line(value) or None for name, value in found.items() if isinstance(value, str)}
    return Metadata(**(found | lines))

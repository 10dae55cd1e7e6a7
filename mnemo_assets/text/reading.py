"""READERS: the table of what can be read, and the one way through it.

Adding a reader is a file with a function `read(file) -> Pages` and a line in the table. Its version rises
when the same file would give another text: cached texts of older versions are not used any more.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field, fields, replace
from datetime import date  # noqa: TC003 - text.reply validates texts by these annotations
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import dating, quoted
from mnemo_assets.text.normalise import join, one_line
from mnemo_assets.text.pages import MAX_PART, Metadata, Part

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
        part: what returns the bytes of a part, the same; called with the file and the part's path, it raises
            LookupError where there is none. None where documents of this kind hold no others.
        converts: the extension of what another program turns such a document into, which is then read; the
            function is that one's. None where it is read as it is.
        takes_passwords: whether the function is called with the passwords, too: its documents open by
            themselves.
    """

    name: str
    version: int
    function: str
    part: str | None = None
    converts: str | None = None
    takes_passwords: bool = False


class ConversionNeededError(Exception):
    """The document is to be turned into another kind before it can be read, which is not done in here.

    Attributes:
        kind: a key of READERS whose reader converts.
        file: the document.
    """

    def __init__(self, kind: str, file: BinaryIO) -> None:
        super().__init__(kind)
        self.kind = kind
        self.file = file


_PLAIN = Reader("plain", 3, "mnemo_assets.text.plain:read")
_HTML = Reader("html", 3, "mnemo_assets.text.html:read")
_EMBEDDED = "mnemo_assets.text.ooxml:part"
_XLSX = Reader("xlsx", 2, "mnemo_assets.text.xlsx:read", _EMBEDDED)

READERS: dict[str, Reader] = {
    "pdf": Reader("pdf", 3, "mnemo_assets.text.pdf:read", "mnemo_assets.text.pdf:part", takes_passwords=True),
    "docx": Reader("docx", 4, "mnemo_assets.text.docx:read", _EMBEDDED),
    "xlsx": _XLSX,
    "xlsm": _XLSX,
    "xls": Reader("xls", 2, "mnemo_assets.text.xls:read"),
    "pptx": Reader("pptx", 2, "mnemo_assets.text.pptx:read", _EMBEDDED),
    "rtf": Reader("rtf", 2, "mnemo_assets.text.rtf:read"),
    "odt": Reader("odt", 1, "mnemo_assets.text.odt:read"),
    "epub": Reader("epub", 1, "mnemo_assets.text.epub:read"),
    "txt": _PLAIN,
    "md": Reader("markdown", 1, "mnemo_assets.text.plain:read_markdown"),
    "csv": _PLAIN,
    "html": _HTML,
    "htm": _HTML,
    "eml": Reader("mail", 5, "mnemo_assets.text.mail:read", "mnemo_assets.text.mail:part"),
}


def _converted(name: str, version: int, into: str) -> Reader:
    """A reader of what is converted: its text is another one when either of the two makes it so."""
    return replace(READERS[into], name=name, version=version + READERS[into].version, converts=into)


READERS |= {
    ext: _converted(ext, version, into) for ext, version, into in (("doc", 1, "docx"), ("ppt", 1, "pptx"))
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
        waiting: the numbers, from 1 and ascending, of the pages that are pictures and wait for text
            recognition.
        blank: whether there is nothing in the document but blank space.
        reader: the name of the reader of the extension; a file that is something else is recorded the same,
            so that what is looked up in the cache is what was put there.
        reader_version: its version.
        second_reader: who read it, with its version, where the reader of the extension could not.
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
    waiting: tuple[int, ...] = ()
    second_reader: str | None = None
    blank: bool = False
    scanned: bool = False

    @property
    def pages_awaiting_ocr(self) -> int:
        """How many pages wait for text recognition."""
        return len(self.waiting)


def read(
    file: BinaryIO,
    ext: str,
    *,
    parts: Sequence[tuple[str, str]] = (),
    sha256: str | None = None,
    passwords: Sequence[str] = (),
    is_converted: bool = False,
) -> Text:
    """Read a document in this process: what the sandbox does in its child, not to be called elsewhere.

    Args:
        file: open for reading, and seekable.
        ext: a key of READERS; the content decides, where it is something else.
        parts: to read a document inside of it, or inside of that: path and extension of each, from the
            outermost.
        sha256: what the bytes of that document must have: a file that changed without a trace must not give
            it another one's text.
        passwords: to try where one is needed.
        is_converted: whether a program has just made the document of another kind.

    Raises:
        ReadingError: the document cannot be read; FILE_CHANGED, a part is not there, or another one is.
        ConversionNeededError: not before it is converted.
        MemoryError: a library was refused memory.
    """
    from mnemo_assets.text.contents import kind_of  # noqa: PLC0415 - the parent imports this table, and stays light
    from mnemo_assets.text.locked import opened  # noqa: PLC0415 - the same

    file, ext = within(file, ext, parts, sha256)
    reader = READERS[ext]
    file = opened(file, passwords)
    kind = kind_of(file, ext)
    if kind is None:
        return Text("", (0,), reader.name, reader.version, blank=True)
    if kind not in READERS:
        raise ReadingError(ErrorClass.UNSUPPORTED, kind)
    if READERS[kind].converts is not None:
        raise ConversionNeededError(kind, file)
    function = function_of(READERS[kind])
    if READERS[kind].takes_passwords:
        return text_of(function(file, passwords), reader)
    return text_of(function(file, is_converted=True) if is_converted else function(file), reader)


def within(
    file: BinaryIO, ext: str, parts: Sequence[tuple[str, str]], sha256: str | None
) -> tuple[BinaryIO, str]:
    """The document inside of a document that is meant, and its extension; as for `read`.

    Raises:
        ReadingError: as `read` does.
    """
    data = b""
    for path, inner in parts:
        data = _part(file, ext, path)
        file, ext = io.BytesIO(data), inner
    if parts and sha256 not in {None, hashlib.sha256(data).hexdigest()}:
        raise ReadingError(ErrorClass.FILE_CHANGED, "part")
    return file, ext


def _part(file: BinaryIO, ext: str, path: str) -> bytes:
    """The bytes of a document inside of a document.

    Raises:
        ReadingError: FILE_CHANGED, there is no such part; TOO_LARGE; or what the reader says.
    """
    from mnemo_assets.text.contents import kind_of  # noqa: PLC0415 - as in `read`

    kind = kind_of(file, ext)
    reader = None if kind is None else READERS.get(kind)
    if reader is None or reader.part is None:
        raise ReadingError(ErrorClass.FILE_CHANGED, "kind")
    try:
        data: bytes = _imported(reader.part)(file, path)
    except LookupError:
        raise ReadingError(ErrorClass.FILE_CHANGED, "path") from None
    if len(data) > MAX_PART:
        raise ReadingError(ErrorClass.TOO_LARGE, "part")
    return data


def function_of(reader: Reader) -> Callable[..., Pages]:
    """The reader's function."""
    function: Callable[..., Pages] = _imported(reader.function)
    return function


def _imported(place: str) -> Any:  # noqa: ANN401 - a function, whatever it takes
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def text_of(pages: Pages, reader: Reader) -> Text:
    """Normalise what a reader returned.

    Raises:
        ReadingError: NO_TEXT, there is something in the document, and none of it is text, awaits OCR or is a
            document of its own.
    """
    from mnemo_assets.text import language  # noqa: PLC0415 - brings a model, and the parent stays light

    text, starts, removed = join(pages.pages or [""])
    empty = not text.strip()
    if empty and pages.has_content and not pages.waiting and not pages.parts:
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
        language=language.of(text),
        parts=tuple(pages.parts),
        quoted=quoted.tails(text) if pages.is_mail else (),
        characters_removed=removed,
        waiting=tuple(pages.waiting),
        blank=empty and not pages.waiting,
        scanned=bool(pages.waiting) and not usable,
    )


def _lines(metadata: Metadata) -> Metadata:
    """The same in normal form: texts are lines, and what is blank is None."""
    found: dict[str, Any] = {one.name: getattr(metadata, one.name) for one in fields(metadata)}
    lines = {name: one_line(value) or None for name, value in found.items() if isinstance(value, str)}
    return Metadata(**(found | lines))

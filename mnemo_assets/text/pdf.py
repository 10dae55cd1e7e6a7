"""PDF, by PyMuPDF.

Page by page, as an average hides the scanned pages inside of a text document. A page is
- usable: it has 270 characters that are not white, or fewer and no picture to speak of;
- awaiting OCR: fewer, and a tenth of it or more is covered by images or drawings. It keeps the text it has:
  the letterhead over a scan is true text;
- blank: no characters, and nothing that shows.

Notes and the values of form fields are part of their page where its text does not show them already.
"""

from __future__ import annotations

import io
import mmap
from typing import TYPE_CHECKING, Any, BinaryIO

import pymupdf

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.days import pdf_day
from mnemo_assets.text.drawn import covers, visible
from mnemo_assets.text.pages import Budget, Metadata, Pages

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Non-white characters under which a page is thin: seven short lines.
THIN = 270
#: Characters in which most pages of text show that they are not thin.
_LOOKED_AT = 4 * THIN
_POPUP = "Popup"

_mupdf: Any = pymupdf  # it has annotations in places, and not where they matter
_mupdf.TOOLS.mupdf_display_errors(on=False)  # it writes them to stderr, with the document's words in them
_mupdf.TOOLS.mupdf_display_warnings(on=False)


#: What MuPDF raises, and PyMuPDF where it does not expect what MuPDF returns.
_DAMAGE = (
    _mupdf.mupdf.FzErrorBase,
    RuntimeError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    AssertionError,
)


def read(file: BinaryIO) -> Pages:
    """Read a PDF.

    Raises:
        ReadingError: ENCRYPTED, it does not open without one (an owner's password alone locks nothing);
            CORRUPT, it has no page that could be opened; TOO_LARGE.
        MemoryError: MuPDF was refused memory.
    """
    try:
        with _mupdf.open(stream=_buffer(file), filetype="pdf") as document:
            if document.needs_pass and not document.authenticate(""):
                raise ReadingError(ErrorClass.ENCRYPTED)
            if document.page_count == 0:
                raise ReadingError(ErrorClass.CORRUPT, "no pages")
            pages = _pages(document)
            _metadata(document, pages)
            return pages
    except _DAMAGE as error:
        raise _named(error) from None


def _buffer(file: BinaryIO) -> memoryview | bytes:
    """The bytes of the file, not copied where it is a real one: scans are large, and hardly read."""
    try:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, io.UnsupportedOperation):
        file.seek(0)
        return file.read()


def _named(error: Exception) -> Exception:
    """The error to raise for one of MuPDF's; its text is looked at, and not kept."""
    said = str(error).lower()
    if "malloc" in said or "out of memory" in said or "alloc" in said:
        return MemoryError()
    return ReadingError(ErrorClass.CORRUPT, type(error).__name__)


def _pages(document: Any) -> Pages:  # noqa: ANN401 - PyMuPDF has no types
    """The text of every page. A damaged page is without text; only if all are, the document is damaged."""
    found, budget, damaged = Pages(usable=0), Budget(), 0
    for number in range(document.page_count):
        budget.spend_page()
        try:
            _page(document.load_page(number), found, budget)
        except _DAMAGE as error:
            named = _named(error)
            if isinstance(named, MemoryError):
                raise named from None
            found.pages.append("")
            damaged += 1
    if damaged == document.page_count:
        raise ReadingError(ErrorClass.CORRUPT, "no page opens")
    found.has_content = found.has_content or damaged > 0
    return found


def _page(page: Any, found: Pages, budget: Budget) -> None:  # noqa: ANN401 - the same
    """Add one page to what was found."""
    text = page.get_text()
    beside = [extra for extra in _beside(page) if extra and _folded(extra) not in _folded(text)]
    if beside:
        text = text + "\n" + "\n".join(beside)
    budget.spend(text)
    characters = len("".join(text[:_LOOKED_AT].split()))
    if characters < THIN < _LOOKED_AT < len(text):
        characters = len("".join(text.split()))
    drawn = awaits = False
    if characters < THIN:
        shown = visible(page)
        drawn, awaits = bool(shown), covers(shown, tuple(page.rect))
    found.pages.append(text)
    if awaits:
        found.waiting.append(len(found.pages))
    found.usable = (found.usable or 0) + (characters > 0 and not awaits)
    found.has_content = found.has_content or drawn or characters > 0


def _beside(page: Any) -> Iterator[str]:  # noqa: ANN401 - the same
    """What stands on a page and not in its text: notes with their authors, and values of form fields."""
    if page.first_annot is not None:
        for note in page.annots():
            said, author = note.info.get("content", "").strip(), note.info.get("title", "").strip()
            if said and note.type[1] != _POPUP:
                yield f"{author}: {said}" if author else said
    if page.first_widget is not None:
        for field in page.widgets():
            value = field.field_value
            if isinstance(value, str) and field.field_type in _FIELDS_WITH_TEXT:
                yield value.strip()


_FIELDS_WITH_TEXT = frozenset(
    {_mupdf.PDF_WIDGET_TYPE_TEXT, _mupdf.PDF_WIDGET_TYPE_COMBOBOX, _mupdf.PDF_WIDGET_TYPE_LISTBOX}
)


def _folded(text: str) -> str:
    return " ".join(text.split())


def _metadata(document: Any, pages: Pages) -> None:  # noqa: ANN401 - the same
    """Take title, author and days."""
    found = document.metadata or {}
    pages.metadata = Metadata(
        title=found.get("title"),
        author=found.get("author"),
        created=pdf_day(found.get("creationDate")),
        modified=pdf_day(found.get("modDate")),
    )

"""PDF, by PyMuPDF.

Page by page, as an average hides the scanned pages inside of a text document. A page is
- usable: it has 270 characters that are not white, or fewer and no picture to speak of;
- awaiting OCR: fewer, and a tenth of it or more is covered by images or drawings. It keeps the text it has:
  the letterhead over a scan is true text;
- blank: no characters, and nothing that shows.

What is not drawn stands behind the text of its page, each once: the values of form fields, notes with their
authors, the alternative texts of pictures; on the last page the names of embedded files. Layers that are
switched off are text, as a viewer can switch them on. Bookmarks are not: they repeat headings. Nothing in a
PDF is run, followed or fetched.
"""

from __future__ import annotations

import io
import mmap
import re
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import pymupdf

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import pdf_fields, pdf_notes, pdf_pictures, xfa
from mnemo_assets.text.days import pdf_day
from mnemo_assets.text.drawn import covers, visible
from mnemo_assets.text.pages import Budget, Metadata, Pages
from mnemo_assets.text.pdf_embedded import Embedded, bytes_of
from mnemo_assets.text.pdf_objects import DAMAGE, folded, inside, items, mupdf, named, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Non-white characters under which a page is thin: seven short lines.
THIN = 270
#: Characters in which most pages of text show that they are not thin.
_LOOKED_AT = 4 * THIN
#: Bytes of a form's XML, each of its two halves.
_MOST_XML: Final = 16 << 20
#: Hebrew and Arabic letters in the shapes that they take beside others, as fonts have them.
_SHAPES: Final = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]+")

_mupdf: Any = pymupdf  # it has annotations in places, and not where they matter
_mupdf.TOOLS.mupdf_display_errors(on=False)  # it writes them to stderr, with the document's words in them
_mupdf.TOOLS.mupdf_display_warnings(on=False)


def read(file: BinaryIO, passwords: Sequence[str] = ()) -> Pages:
    """Read a PDF.

    Args:
        file: open for reading.
        passwords: to try where it does not open without one; an owner's password alone locks nothing.

    Raises:
        ReadingError: ENCRYPTED, none of the passwords opens it; CORRUPT, it has no page that could be opened;
            TOO_LARGE.
        MemoryError: MuPDF was refused memory.
    """
    with _opened(file, passwords) as document:
        if document.page_count == 0:
            raise ReadingError(ErrorClass.CORRUPT, "no pages")
        _switch_layers_on(document)
        pages = _pages(document)
        _metadata(document, pages)
        return pages


def part(file: BinaryIO, path: str) -> bytes:
    """The bytes of a file inside of a PDF.

    Raises:
        ReadingError: CORRUPT, there is no such file; ENCRYPTED, as for `read`.
        MemoryError: MuPDF was refused memory.
    """
    with _opened(file) as document:
        data = bytes_of(document, path)
    if data is None:
        raise ReadingError(ErrorClass.CORRUPT, "part")
    return data


@contextmanager
def _opened(file: BinaryIO, passwords: Sequence[str] = ()) -> Iterator[Any]:
    """A document that its reader may read; what MuPDF raises meanwhile has the name of a class of ours."""
    try:
        with _mupdf.open(stream=_buffer(file), filetype="pdf") as document:
            if document.needs_pass and not any(map(document.authenticate, ("", *passwords))):
                raise ReadingError(ErrorClass.ENCRYPTED)
            yield document
    except DAMAGE as error:
        raise named(error) from None


def _buffer(file: BinaryIO) -> memoryview | bytes:
    """The bytes of the file, not copied where it is a real one: scans are large, and hardly read."""
    try:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, io.UnsupportedOperation):
        file.seek(0)
        return file.read()


def _switch_layers_on(document: Any) -> None:  # noqa: ANN401 - PyMuPDF has no types
    if inside(document, "Root/OCProperties").m_internal:
        pdf = mupdf.pdf_document_from_fz_document(document.this)
        for layer in range(mupdf.pdf_count_layers(pdf)):
            mupdf.pdf_enable_layer(pdf, layer, 1)


def _pages(document: Any) -> Pages:  # noqa: ANN401 - the same
    """The text of every page. A damaged page is without text; only if all are, the document is damaged."""
    found, budget, damaged, embedded = Pages(usable=0), Budget(), 0, Embedded()
    described: Mapping[int, list[str]] = {}
    with _all_that_is_whole():
        described = pdf_pictures.described(document)
    for number in range(document.page_count):
        budget.spend_page()
        for step in (_nothing, _drop_annotations):
            with _all_that_is_whole():
                step(document, number)
                _page(document.load_page(number), described.get(number, []), found, budget, embedded)
                break
        else:
            found.pages.append("")
            damaged += 1
    if damaged == document.page_count:
        raise ReadingError(ErrorClass.CORRUPT, "no page opens")
    with _all_that_is_whole():
        _add_form(document, found, budget)
    with _all_that_is_whole():
        embedded.add_document(document)
    found.parts = embedded.parts
    found.has_content = found.has_content or damaged > 0
    _add(found, [name for name in embedded.names if folded(name) not in folded(found.pages[-1])], budget, -1)
    return found


def _add(pages: Pages, lines: list[str], budget: Budget, number: int) -> None:
    """Add lines to a page."""
    if lines:
        pages.pages[number] = "\n".join([pages.pages[number], *(budget.spend(line) for line in lines)])


def _nothing(_document: Any, _number: int) -> None:  # noqa: ANN401 - the same
    """Read a page as it is."""


def _drop_annotations(document: Any, number: int) -> None:  # noqa: ANN401 - the same
    """Read a page once more without what is pinned to it: where that is damaged, the page may be whole."""
    document.xref_set_key(document.page_xref(number), "Annots", "null")


@contextmanager
def _all_that_is_whole() -> Iterator[None]:
    """Damage in what stands beside the text ends that, not the text; a lack of memory ends all."""
    try:
        yield
    except DAMAGE as error:
        if isinstance(lack := named(error), MemoryError):
            raise lack from None


def _page(
    page: Any,  # noqa: ANN401 - the same
    described: list[str],
    found: Pages,
    budget: Budget,
    embedded: Embedded,
) -> None:
    """Add one page to what was found."""
    fields: list[tuple[str, str]] = []
    if page.first_widget is not None:
        with _all_that_is_whole():
            fields = pdf_fields.take(page)
    drawn = _SHAPES.sub(_unshaped, page.get_text())
    if not drawn and not mupdf.pdf_is_dict(mupdf.pdf_page_from_fz_page(page.this).obj()):
        raise ValueError  # MuPDF shows a page that it cannot find as an empty one
    text = "\n".join([drawn.rstrip("\n"), *_beside(page, drawn, fields, described, embedded)])
    budget.spend(text)
    characters = len("".join(drawn[:_LOOKED_AT].split()))
    if characters < THIN < _LOOKED_AT < len(drawn):
        characters = len("".join(drawn.split()))
    shows = awaits = False
    if characters < THIN:
        shown = visible(page)
        shows, awaits = bool(shown), covers(shown, tuple(page.rect))
    has_text = characters > 0 or bool(text.strip())
    found.pages.append(text)
    if awaits:
        found.waiting.append(len(found.pages))
    found.usable = (found.usable or 0) + (has_text and not awaits)
    found.has_content = found.has_content or shows or has_text


def _unshaped(shaped: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", shaped[0])


def _beside(
    page: Any,  # noqa: ANN401 - the same
    drawn: str,
    fields: list[tuple[str, str]],
    described: list[str],
    embedded: Embedded,
) -> Iterator[str]:
    """What belongs to a page and is not drawn on it; the files that are pinned to it are collected."""
    for label, value in fields:
        yield f"{label}: {value}" if label and folded(label) not in folded(drawn) else value
    if page.first_annot is not None:
        with _all_that_is_whole():
            for annotation in pdf_notes.marks(page):
                if said := pdf_notes.said(annotation, drawn):
                    yield said
                embedded.add(mupdf.pdf_dict_gets(mupdf.pdf_annot_obj(annotation), "FS"))
    yield from (text for text in described if folded(text) not in folded(drawn))


def _add_form(document: Any, pages: Pages, budget: Budget) -> None:  # noqa: ANN401 - the same
    """Add the words of a dynamic form to the page that asks to wait for it."""
    packets = items(inside(document, "Root/AcroForm/XFA"))
    dynamic = mupdf.pdf_to_bool(inside(document, "Root/NeedsRendering"))
    if not packets or (not dynamic and items(inside(document, "Root/AcroForm/Fields"))):
        return
    halves = {
        mupdf.pdf_to_text_string(name): packet
        for name, packet in zip(packets[::2], packets[1::2], strict=False)
    }
    template, datasets = (
        unpacked(halves[name], _MOST_XML) or b"" if name in halves else b""
        for name in ("template", "datasets")
    )
    if lines := xfa.form(template, datasets):
        _add(pages, lines, budget, 0)
        pages.usable = max(pages.usable or 0, 1)


def _metadata(document: Any, pages: Pages) -> None:  # noqa: ANN401 - the same
    """Take title, author and days."""
    found = document.metadata or {}
    pages.metadata = Metadata(
        title=found.get("title"),
        author=found.get("author"),
        created=pdf_day(found.get("creationDate")),
        modified=pdf_day(found.get("modDate")),
    )

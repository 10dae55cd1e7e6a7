"""Word documents: docx, transitional and strict.

The body in its order, page by page. A page ends where the document says so: at a page break, or where Word
last broke the page when it saved. Notes and comments stand at the end of the page that refers to them; text
boxes, charts, diagrams and what stands in for a picture after the paragraph that holds them; headers come
first and footers last, once. Insertions that wait for approval are text, deletions are not.
"""

from __future__ import annotations

import io
import posixpath
from typing import TYPE_CHECKING, BinaryIO, Final

from mnemo_assets.text import html, mail, ooxml
from mnemo_assets.text.decoding import decode
from mnemo_assets.text.drawingml import Figures
from mnemo_assets.text.pages import Budget, Pages, split_pages
from mnemo_assets.text.wordml import Walk
from mnemo_assets.text.xml_parts import opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.text.xml_parts import Parts

_HEADERS, _FOOTERS, _NOTES = "header", "footer", ("footnotes", "endnotes", "comments")
#: What a document may import where it is opened.
_PAGES: Final = frozenset({"html", "htm", "xhtml"})
_SAVED_PAGES: Final = frozenset({"mht", "mhtml"})
_DOCUMENTS: Final = frozenset({"docx", "docm", "dotx", "dotm"})
#: Documents that are imported by those that are imported.
_DEEPEST: Final = 3
#: Bytes of a document that is imported.
_LARGEST_IMPORTED: Final = 64 << 20


def read(file: BinaryIO, *, is_converted: bool = False) -> Pages:
    """Read a Word document; `is_converted` is whether a program has just made it of another kind.

    Raises:
        ReadingError: CORRUPT, the container or its XML is damaged, or has a document type; ENCRYPTED, a
            part is locked; UNSUPPORTED, there is no Word document in it; TOO_LARGE, it unpacks to more than
            it may.
    """
    return ooxml.read(file, lambda parts: _Document(parts, 0, is_converted=is_converted).pages())


class _Document:
    def __init__(self, parts: Parts, depth: int, *, is_converted: bool = False) -> None:
        self._parts = parts
        self._is_converted = is_converted
        self._depth = depth  # of documents that import others
        self._budget = Budget()
        self._figures = Figures(parts, self._budget)
        self._main = ooxml.main_part(parts, "docx")
        self._related = ooxml.present(parts, self._main)
        self._imported: set[str] = set()
        self._pictured = False

    def pages(self) -> Pages:
        """Headers, body, footers."""
        notes = {
            one.kind: self._walked(one.target).notes_found for one in self._related if one.kind in _NOTES
        }
        walk = self._walked(self._main, notes)
        body = walk.text()
        headers = self._texts(_HEADERS)
        footers = self._texts(_FOOTERS)
        pages = split_pages(_stacked([*headers, body, walk.notes_left(), *footers]))
        return Pages(pages, has_content=self._pictured)

    def _texts(self, kind: str) -> list[str]:
        """The texts of some parts, each once: the sections of a document repeat their headers."""
        texts = (self._walked(one.target).text() for one in self._related if one.kind == kind)
        return list(dict.fromkeys(text.strip().replace("\f", "\n") for text in texts))

    def _walked(self, name: str, notes: dict[str, dict[str, str]] | None = None) -> Walk:
        walk = Walk(self._budget, notes, self._beside(name), is_converted=self._is_converted)
        self._parts.parse(name, walk)
        self._pictured = self._pictured or walk.pictured
        return walk

    def _beside(self, name: str) -> Callable[[str], str]:
        """What returns the text of a figure, or of an imported document, that a part refers to."""
        figure = self._figures.of(name)
        imports = {
            one.identifier: one.target for one in ooxml.present(self._parts, name) if one.kind == "aFChunk"
        }

        def related(identifier: str) -> str:
            target = imports.get(identifier)
            return figure(identifier) if target is None else self._import(target)

        return related

    def _import(self, target: str) -> str:
        """The text of a document that is imported, once; one that no reader of ours knows is content."""
        if target.lower() in self._imported:
            return ""
        self._imported.add(target.lower())
        ext = posixpath.splitext(target)[1].lower().lstrip(".")
        data = self._parts.whole(target, _LARGEST_IMPORTED)
        if ext in _PAGES:
            return html.from_bytes(data).pages[0]
        if ext == "txt":
            return decode(data)
        if ext in _SAVED_PAGES:
            return "\n\n".join(mail.read(io.BytesIO(data)).pages)
        self._pictured = True
        if ext not in _DOCUMENTS or self._depth == _DEEPEST:
            return ""
        with opened(io.BytesIO(data)) as parts:
            return "\n\n".join(_Document(parts, self._depth + 1).pages().pages)


def _stacked(texts: list[str]) -> str:
    return "\n\n".join(text for text in texts if text.strip())

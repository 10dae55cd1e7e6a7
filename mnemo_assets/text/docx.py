"""Word documents: docx, transitional and strict.

The body in its order, page by page. A page ends where the document says so: at a page break, or where Word
last broke the page when it saved. Notes and comments stand at the end of the page that refers to them, text
boxes after the paragraph that holds them; headers come first and footers last, once. Insertions that wait
for approval are text, deletions are not.
"""

from __future__ import annotations

import posixpath
import zipfile
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.days import iso_day
from mnemo_assets.text.pages import Budget, Pages, split_pages
from mnemo_assets.text.wordml import Walk
from mnemo_assets.text.xml_parts import DAMAGE, Parts, damaged, elements

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADERS, _FOOTERS, _NOTES = "header", "footer", ("footnotes", "endnotes", "comments")


def read(file: BinaryIO) -> Pages:
    """Read a Word document.

    Raises:
        ReadingError: CORRUPT, the container or its XML is damaged, or has a document type; ENCRYPTED, a
            part is locked; UNSUPPORTED, there is no Word document in it; TOO_LARGE, it unpacks to more than
            it may.
    """
    try:
        with zipfile.ZipFile(file) as container:
            parts = Parts(container)
            main = _main(parts)
            return _document(parts, main)
    except DAMAGE as error:
        raise damaged(error) from None


def _main(parts: Parts) -> str:
    """The name of the part that is the document."""
    targets = [target for kind, target in _relations(parts, "") if kind == "officeDocument"]
    for name in (*targets, "word/document.xml"):
        if name in parts:
            return name
    raise ReadingError(ErrorClass.UNSUPPORTED, "no main part")


def _document(parts: Parts, main: str) -> Pages:
    related = list(_relations(parts, main))
    budget = Budget()
    notes = {
        kind: _notes(parts, target, budget) for kind, target in related if kind in _NOTES and target in parts
    }
    walk = Walk(budget, notes)
    parts.parse(main, walk)
    body = walk.text()
    headers = [_walked(parts, target, budget) for kind, target in related if kind == _HEADERS]
    footers = [_walked(parts, target, budget) for kind, target in related if kind == _FOOTERS]
    pages = split_pages(_stacked([*_distinct(headers), body, walk.notes_left(), *_distinct(footers)]))
    found = Pages(pages, has_content=walk.pictured)
    _properties(parts, found)
    return found


def _stacked(texts: list[str]) -> str:
    return "\n\n".join(text for text in texts if text.strip())


def _distinct(texts: list[str]) -> list[str]:
    """Each text once: the sections of a document repeat their headers."""
    return list(dict.fromkeys(text.strip().replace("\f", "\n") for text in texts))


def _walked(parts: Parts, name: str, budget: Budget) -> str:
    """The text of a part; a header that is missing is no reason to lose the body."""
    if name not in parts:
        return ""
    walk = Walk(budget)
    parts.parse(name, walk)
    return walk.text()


def _notes(parts: Parts, name: str, budget: Budget) -> dict[str, str]:
    """The notes, or comments, of a part by their identifiers."""
    walk = Walk(budget)
    parts.parse(name, walk)
    return walk.notes_found


def _relations(parts: Parts, source: str) -> Iterator[tuple[str, str]]:
    """Kind and target part of what a part refers to; the empty name is the container itself."""
    folder, name = posixpath.split(source)
    listing = posixpath.join(folder, "_rels", f"{name}.rels")
    if listing not in parts:
        return
    for tag, attributes, _ in elements(parts, listing):
        if tag == "Relationship" and attributes.get("TargetMode", "Internal") != "External":
            target = unquote(attributes.get("Target", ""))
            resolved = target if target.startswith("/") else posixpath.join(folder, target)
            yield attributes.get("Type", "").rpartition("/")[2], posixpath.normpath(resolved).lstrip("/")


def _properties(parts: Parts, pages: Pages) -> None:
    """Take title, author and days; damaged properties lose neither text nor document."""
    name = next(
        (target for kind, target in _relations(parts, "") if kind == "core-properties"), "docProps/core.xml"
    )
    if name not in parts:
        return
    with suppress(ReadingError):
        for tag, _, text in elements(parts, name):
            if tag == "title":
                pages.metadata = replace(pages.metadata, title=text)
            elif tag == "creator":
                pages.metadata = replace(pages.metadata, author=text)
            elif tag == "created":
                pages.metadata = replace(pages.metadata, created=iso_day(text))
            elif tag == "modified":
                pages.metadata = replace(pages.metadata, modified=iso_day(text))

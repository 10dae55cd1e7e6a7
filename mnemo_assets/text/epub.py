"""Books: EPUB 2 and 3. Each item of the spine is a page, in the order of reading.

Items that are read beside the line (`linear="no"`) stand at their place. What is missing or damaged is an
empty page; what stands in the spine twice is read once. Tables of contents repeat the headings and are left
out.
"""

from __future__ import annotations

import html as entities
import posixpath
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import html
from mnemo_assets.text.days import iso_day
from mnemo_assets.text.decoding import decode
from mnemo_assets.text.pages import Budget, Metadata, Pages
from mnemo_assets.text.xml_parts import DAMAGE, damaged, elements, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.text.xml_parts import Parts

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
#: Bytes of one item: ten long novels in one file.
_MOST_BYTES = 64 << 20
#: Ways to hide a font, which lock no text.
_OBFUSCATION = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
#: Alternatives of an item that are followed.
_MOST_FALLBACKS = 10

_SUBSET = re.compile(r"(<!DOCTYPE[^>\[]{0,500})\[(?:[^\]\"']++|\"[^\"]*+\"|'[^']*+')*+\]\s*>", re.IGNORECASE)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_CLOSED = re.compile(r"<([a-zA-Z][\w:.-]{0,40})((?:\s[^<>]*)?)/>")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())  # noqa: SIM905 - words


@dataclass(slots=True)
class _Item:
    path: str
    kind: str
    fallback: str


@dataclass(slots=True)
class _Book:
    """What the package document says."""

    items: dict[str, _Item] = field(default_factory=dict)
    spine: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    authors: list[str] = field(default_factory=list)
    created: str = ""
    modified: str = ""


def read(file: BinaryIO) -> Pages:
    """Read a book.

    Raises:
        ReadingError: CORRUPT, the container is damaged or holds no page; ENCRYPTED, pages are locked by
            rights management; TOO_LARGE, it unpacks to more than it may.
    """
    with opened(file) as parts:
        return _pages(parts)


def _pages(parts: Parts) -> Pages:
    book = _book(parts)
    paths = _paths(parts, book)
    locked = _locked(parts)
    if any(path in locked for path in paths):
        raise ReadingError(ErrorClass.ENCRYPTED, "rights")
    if not any(path in parts for path in paths):
        raise ReadingError(ErrorClass.CORRUPT, "no pages")
    budget, texts = Budget(), []
    for path in paths:
        budget.spend_page()
        texts.append(budget.spend(_page(parts, path)))
    metadata = Metadata(
        title=next(iter(book.titles), None),
        author=", ".join(dict.fromkeys(book.authors)),
        created=iso_day(book.created),
        modified=iso_day(book.modified),
    )
    return Pages(texts, metadata, has_content=True)


def _paths(parts: Parts, book: _Book) -> list[str]:
    """The parts to read, in order, each once; all that look like pages where there is no order."""
    found = [_readable(book, name) for name in book.spine]
    if not any(found):
        found = sorted(name for name in parts if name.lower().endswith((".xhtml", ".html", ".htm")))
    return list(dict.fromkeys(path for path in found if path))


def _readable(book: _Book, name: str) -> str:
    """The path of an item, or of the first alternative that is a page; empty where there is none."""
    for _ in range(_MOST_FALLBACKS):
        item = book.items.get(name)
        if item is None:
            return ""
        if "html" in item.kind or "xml" in item.kind or not item.kind or item.kind == "text/plain":
            return item.path
        name = item.fallback
    return ""


def _page(parts: Parts, path: str) -> str:
    """The text of an item; nothing where it is missing or damaged."""
    if path not in parts:
        return ""
    try:
        data = parts.whole(path, _MOST_BYTES)
    except ReadingError as error:
        if error.error_class is ErrorClass.TOO_LARGE:
            raise
        return ""
    except DAMAGE as error:
        if isinstance(damaged(error), ReadingError):
            return ""
        raise
    return html.from_source(_as_html(decode(data, html.declared(data))), titled=False).pages[0]


def _as_html(source: str) -> str:
    """XHTML in the spelling of HTML: its parser knows neither empty elements nor CDATA, and no DTD."""
    source = _SUBSET.sub(r"\1>", source, count=1)
    source = _CDATA.sub(lambda found: entities.escape(found[1]), source)
    return _CLOSED.sub(
        lambda tag: tag[0] if tag[1].lower() in _VOID else f"<{tag[1]}{tag[2]}></{tag[1]}>", source
    )


def _locked(parts: Parts) -> set[str]:
    """The parts that are encrypted, fonts aside."""
    locked: set[str] = set()
    if _ENCRYPTION not in parts:
        return locked
    with suppress(ReadingError):
        algorithm = ""
        for tag, attributes, _ in elements(parts, _ENCRYPTION):
            if tag == "EncryptionMethod":
                algorithm = attributes.get("Algorithm", "")
            elif tag == "CipherReference" and algorithm not in _OBFUSCATION:
                locked.add(posixpath.normpath(unquote(attributes.get("URI", "")).lstrip("/")))
    return locked


def _book(parts: Parts) -> _Book:
    """The first package document that can be read; an empty one where none can."""
    for name in _packages(parts):
        if name in parts:
            with suppress(ReadingError):
                return _package(parts, name)
    return _Book()


def _packages(parts: Parts) -> Iterator[str]:
    """The names that package documents may have: what the container says, then what looks like one."""
    if _CONTAINER in parts:
        with suppress(ReadingError):
            for tag, attributes, _ in elements(parts, _CONTAINER):
                if tag == "rootfile":
                    yield posixpath.normpath(attributes.get("full-path", "").lstrip("/"))
    yield from sorted(name for name in parts if name.lower().endswith(".opf"))


def _package(parts: Parts, name: str) -> _Book:
    book, folder = _Book(), posixpath.dirname(name)
    for tag, attributes, text in elements(parts, name, typed=True):
        if tag == "item":
            target = unquote(attributes.get("href", "").partition("#")[0])
            path = posixpath.normpath(posixpath.join(folder, target))
            kind, fallback = attributes.get("media-type", "").lower(), attributes.get("fallback", "")
            book.items.setdefault(attributes.get("id", ""), _Item(path, kind, fallback))
        elif tag == "itemref":
            book.spine.append(attributes.get("idref", ""))
        else:
            _tell(book, tag, attributes, text.strip())
    return book


def _tell(book: _Book, tag: str, attributes: dict[str, str], text: str) -> None:
    """Keep a line of the metadata."""
    if tag == "title" and text:
        book.titles.append(text)
    elif tag == "creator" and text:
        book.authors.append(text)
    elif tag == "meta" and attributes.get("property") == "dcterms:modified":
        book.modified = book.modified or text
    elif tag == "date" and attributes.get("event") != "modification":
        book.created = book.created or text
    elif tag == "date":
        book.modified = book.modified or text

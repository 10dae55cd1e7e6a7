"""OpenDocument text: odt, and the same as one flat XML file.

The body in its order, page by page: a page ends where a break is set, or where the program that wrote the
file last broke it. Notes and comments stand at the end of the page that refers to them, text boxes, charts
and alternative texts after the paragraph that holds them; headers come first and footers last, once.
Insertions that wait for approval and hidden sections are text, deletions are not.
"""

from __future__ import annotations

import posixpath
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.days import iso_day
from mnemo_assets.text.opendocument import Walk
from mnemo_assets.text.pages import Budget, Metadata, Pages, split_pages
from mnemo_assets.text.xml_parts import opened, parse_file

if TYPE_CHECKING:
    from mnemo_assets.text.xml_parts import Parts

#: Embedded objects inside of embedded objects that are followed.
_DEEPEST = 3
_ZIP = b"PK"


def read(file: BinaryIO) -> Pages:
    """Read an OpenDocument text.

    Raises:
        ReadingError: CORRUPT, the container or its XML is damaged, or has a document type; ENCRYPTED, it
            needs a password; UNSUPPORTED, it is not a text; TOO_LARGE, it unpacks to more than it may.
    """
    file.seek(0)
    if file.read(len(_ZIP)) != _ZIP:
        return _flat(file)
    with opened(file) as parts:
        return _Package(parts).pages()


def _flat(file: BinaryIO) -> Pages:
    walk = Walk(Budget())
    parse_file(file, walk)
    return _pages(walk)


class _Package:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._budget = Budget()
        self._opened: set[str] = set()

    def pages(self) -> Pages:
        if _is_encrypted(self._parts):
            raise ReadingError(ErrorClass.ENCRYPTED)
        if "content.xml" not in self._parts:
            raise ReadingError(ErrorClass.CORRUPT, "no content")
        walk = Walk(self._budget, lambda target: self._object("", target))
        for name in ("styles.xml", "meta.xml"):  # the body can do without them
            if name in self._parts:
                with suppress(ReadingError):
                    self._parts.parse(name, walk)
        self._parts.parse("content.xml", walk)
        return _pages(walk)

    def _object(self, folder: str, target: str) -> str:
        """The text of an embedded object, such as a chart, once; nothing where it is damaged."""
        inner = posixpath.normpath(posixpath.join(folder, unquote(target).removeprefix("./")))
        name = f"{inner}/content.xml"
        if name in self._opened or name not in self._parts or inner.count("/") >= _DEEPEST:
            return ""
        self._opened.add(name)
        walk = Walk(self._budget, lambda target: self._object(inner, target))
        try:
            self._parts.parse(name, walk)
        except ReadingError as error:
            if error.error_class is not ErrorClass.CORRUPT:
                raise
        return walk.text().replace("\f", "\n")


def _is_encrypted(parts: Parts) -> bool:
    """Whether the manifest says how to decrypt a part of the document."""
    name = "META-INF/manifest.xml"
    return name in parts and b"encryption-data" in parts.whole(name)


def _pages(walk: Walk) -> Pages:
    if "text" not in walk.kinds:
        raise ReadingError(ErrorClass.UNSUPPORTED, "OpenDocument")
    headers, footers = (list(dict.fromkeys(texts)) for texts in (walk.headers, walk.footers))
    body = walk.text()
    text = "\n\n".join(part for part in [*headers, body, *footers] if part.strip())
    return Pages(split_pages(text), _metadata(walk.properties), has_content=walk.pictured)


def _metadata(found: dict[str, str]) -> Metadata:
    return Metadata(
        title=found.get("title"),
        author=found.get("initial-creator", "").strip() or found.get("creator"),
        created=iso_day(found.get("creation-date")),
        modified=iso_day(found.get("date")),
    )

"""Office Open XML containers: what kind they are, what parts refer to, properties and embedded documents.

Only parts of the container are ever opened: a target outside of it is not followed, whatever it names.
"""

from __future__ import annotations

import posixpath
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final
from urllib.parse import unquote

from mnemo_assets.archive import rules
from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.days import iso_day
from mnemo_assets.text.pages import MAX_PARTS, Metadata, Part
from mnemo_assets.text.parts import described
from mnemo_assets.text.xml_parts import elements, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mnemo_assets.text.pages import Pages
    from mnemo_assets.text.xml_parts import Parts

_TYPES: Final = "[Content_Types].xml"
#: The kind of a document by the content type of its main part: documents, templates, with macros or without.
_FAMILIES: Final = {
    "wordprocessingml": "docx",
    "ms-word": "docx",
    "spreadsheetml": "xlsx",
    "ms-excel": "xlsx",
    "presentationml": "pptx",
    "ms-powerpoint": "pptx",
}
#: What the content type of a main part in XML ends with; that of a binary workbook does not.
_MAIN: Final = ".main+xml"
_BINARY: Final = "sheet.binary"
#: The main part of each kind, where nothing says which it is.
_USUAL: Final = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml"}
#: The relations to what was put into a document as an object.
_OBJECTS: Final = frozenset({"package", "oleObject"})
#: Bytes of an embedded document: a larger one is not taken out.
_LARGEST_EMBEDDED: Final = 128 << 20


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part refers to.

    Attributes:
        identifier: by which the part names it.
        kind: the last word of its type.
        target: the name of a part, which may not be there.
    """

    identifier: str
    kind: str
    target: str


def read(file: BinaryIO, pages_of: Callable[[Parts], Pages]) -> Pages:
    """Read a document of any kind: what is made of its parts, its properties and embedded documents.

    Raises:
        ReadingError: CORRUPT, the container or its XML is damaged, or has a document type; ENCRYPTED, a
            part is locked; TOO_LARGE, it unpacks to more than it may; or what `pages_of` raises.
    """
    with opened(file) as parts:
        pages = pages_of(parts)
        pages.metadata = properties(parts)
        pages.parts = embedded(parts)
        return pages


def relations(parts: Parts, source: str) -> list[Relation]:
    """What a part refers to inside of the container; the empty name is the container itself."""
    folder, name = posixpath.split(source)
    listing = posixpath.join(folder, "_rels", f"{name}.rels")
    return list(_relations(parts, listing, folder)) if listing in parts else []


def present(parts: Parts, source: str) -> list[Relation]:
    """What a part refers to that is there."""
    return [one for one in relations(parts, source) if one.target in parts]


def _relations(parts: Parts, listing: str, folder: str) -> Iterator[Relation]:
    for tag, attributes, _ in elements(parts, listing):
        if tag == "Relationship" and attributes.get("TargetMode", "Internal") != "External":
            target = unquote(attributes.get("Target", "")).replace("\\", "/")
            resolved = target if target.startswith("/") else posixpath.join(folder, target)
            yield Relation(
                attributes.get("Id", ""),
                attributes.get("Type", "").rpartition("/")[2],
                posixpath.normpath(f"/{resolved}").lstrip("/"),  # nothing stands above the container
            )


def kind_of(parts: Parts) -> str | None:
    """The kind of a document, docx, xlsx or pptx, by its parts; None if it is none of them.

    Raises:
        ReadingError: UNSUPPORTED, it is a binary workbook; ENCRYPTED, TOO_LARGE.
    """
    try:
        main = next((one.target for one in relations(parts, "") if one.kind == "officeDocument"), "")
        declared = _ContentTypes(parts).of(main)
    except ReadingError as error:
        if error.error_class is not ErrorClass.CORRUPT:
            raise
        declared = ""
    if _BINARY in declared:
        raise ReadingError(ErrorClass.UNSUPPORTED, "binary workbook")
    if declared.endswith(_MAIN):
        for word, kind in _FAMILIES.items():
            if word in declared:
                return kind
    return next((kind for kind, name in _USUAL.items() if name in parts), None)


def main_part(parts: Parts, kind: str) -> str:
    """The name of the part that is the document.

    Raises:
        ReadingError: UNSUPPORTED, there is none.
    """
    targets = [one.target for one in relations(parts, "") if one.kind == "officeDocument"]
    for name in (*targets, _USUAL[kind]):
        if name in parts:
            return name
    raise ReadingError(ErrorClass.UNSUPPORTED, "no main part")


class _ContentTypes:
    """The content types that a container declares for its parts, in lower case."""

    def __init__(self, parts: Parts) -> None:
        self._by_name: dict[str, str] = {}
        self._by_extension: dict[str, str] = {}
        if _TYPES in parts:
            for tag, attributes, _ in elements(parts, _TYPES):
                kind = attributes.get("ContentType", "").lower()
                if tag == "Override":
                    self._by_name[attributes.get("PartName", "").lstrip("/").lower()] = kind
                elif tag == "Default":
                    self._by_extension[attributes.get("Extension", "").lower()] = kind

    def of(self, name: str) -> str:
        lowered = name.lower()
        return self._by_name.get(lowered) or self._by_extension.get(lowered.rpartition(".")[2], "")


def properties(parts: Parts) -> Metadata:
    """Title, author and days; damaged properties lose neither text nor document."""
    found: dict[str, Any] = {}
    with suppress(ReadingError):
        targets = (one.target for one in relations(parts, "") if one.kind == "core-properties")
        name = next(targets, "docProps/core.xml")
        for tag, _, text in elements(parts, name) if name in parts else ():
            if tag == "title":
                found["title"] = text
            elif tag == "creator":
                found["author"] = text
            elif tag in {"created", "modified"}:
                found[tag] = iso_day(text)
    return Metadata(**found)


def embedded(parts: Parts) -> list[Part]:
    """The documents that were put into a document as objects; those that are wrapped in OLE are left out.

    The workbook behind a chart is none: it is not shown, and the chart's labels are text.
    """
    found = []
    types = _ContentTypes(parts)
    for number, name in enumerate(_embedded(parts, types), 1):
        with suppress(ReadingError):  # it is too large, or locked: the document that holds it is not
            data = parts.whole(name, _LARGEST_EMBEDDED)
            part = described(str(number), posixpath.basename(name), types.of(name), data)
            found += [part] if part else []
    return found


def part(file: BinaryIO, path: str) -> bytes:
    """The bytes of a document that is embedded in another.

    Args:
        file: the one that holds it.
        path: its `Part.path`.

    Raises:
        ReadingError: CORRUPT, there is no such part, or it is damaged; TOO_LARGE, ENCRYPTED.
    """
    with opened(file) as parts:
        names = _embedded(parts, _ContentTypes(parts))
        if not path.isdecimal() or not 0 < int(path) <= len(names):
            raise ReadingError(ErrorClass.CORRUPT, "no such part")
        return parts.whole(names[int(path) - 1], _LARGEST_EMBEDDED)


def _embedded(parts: Parts, types: _ContentTypes) -> list[str]:
    """The names of embedded documents, in the order in which the container lists what refers to them."""
    names: dict[str, None] = {}
    for listing in list(parts):
        folder, _, name = listing.rpartition("/_rels/")
        if not name.endswith(".rels") or "chart" in types.of(f"{folder}/{name.removesuffix('.rels')}"):
            continue
        for relation in _relations(parts, listing, folder):
            admitted = rules.extension(posixpath.basename(relation.target)) is not None
            if relation.kind in _OBJECTS and admitted and relation.target in parts:
                names[relation.target] = None
    return list(names)[:MAX_PARTS]

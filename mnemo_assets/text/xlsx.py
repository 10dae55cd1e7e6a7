"""Spreadsheets: xlsx and xlsm, transitional and strict; macros are never looked at.

A page for each sheet, hidden ones among them, that begins with the sheet's name: headers, rows, then what is
drawn on it, what it asks of who fills it in, comments, footers. Cells are separated by tabs and show what
their number format makes of them. A workbook without anything in its sheets is blank, whatever they are
called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import ooxml
from mnemo_assets.text.drawingml import Figures, Shapes
from mnemo_assets.text.number_formats import BUILT_IN
from mnemo_assets.text.pages import Budget, Pages
from mnemo_assets.text.sheetml import Book, Sheet, Strings, unescaped
from mnemo_assets.text.xml_parts import elements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.text.xml_parts import Parts

#: Sheets of commands for the Excel of before 1993: code, not cells.
_CODE: Final = frozenset({"xlMacrosheet", "xlIntlMacrosheet"})
#: What is on a sheet and has no text.
_OBJECTS: Final = frozenset({"oleObject", "package", "image", "control"})
#: The author of a comment that stands in for a thread in programs that know none.
_STAND_IN: Final = "tc="


def read(file: BinaryIO) -> Pages:
    """Read a workbook.

    Raises:
        ReadingError: CORRUPT, the container or its XML is damaged, or has a document type; ENCRYPTED, a
            part is locked; UNSUPPORTED, there is no workbook in it; TOO_LARGE, it unpacks to more than it
            may.
    """
    return ooxml.read(file, lambda parts: _Workbook(parts).pages())


class _Workbook:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._budget = Budget()
        self._figures = Figures(parts, self._budget, cached=False)
        self._main = ooxml.main_part(parts, "xlsx")
        self._related = ooxml.present(parts, self._main)
        self._book = Book()
        self._persons: dict[str, str] = {}
        self._pictured = False
        self._read: set[str] = set()

    def pages(self) -> Pages:
        """A page for each sheet."""
        sheets = self._sheets()
        for relation in self._related:
            if relation.kind == "sharedStrings":
                strings = Strings(Budget())
                self._parts.parse(relation.target, strings)
                self._book.strings = strings.found
            elif relation.kind == "styles":
                self._book.formats = _formats(self._parts, relation.target)
            elif relation.kind == "person":
                self._persons |= {
                    attributes.get("id", ""): attributes.get("displayName", "")
                    for tag, attributes, _ in elements(self._parts, relation.target)
                    if tag == "person"
                }
        by_identifier = {one.identifier: one for one in self._related}
        found = [(name, self._sheet(by_identifier.get(identifier))) for name, identifier in sheets]
        pages = [f"{name}\n\n{text}" for name, text in found] if any(text for _, text in found) else []
        return Pages(pages, has_content=self._pictured)

    def _sheets(self) -> list[tuple[str, str]]:
        """Name and relation of each sheet, in order."""
        sheets = []
        for tag, attributes, _ in elements(self._parts, self._main):
            if tag == "sheet":
                self._budget.spend_page()
                name = unescaped(attributes.get("name", ""))
                sheets.append((self._budget.spend(name), attributes.get("r:id", "")))
            elif tag == "workbookPr":
                self._book.since_1904 = attributes.get("date1904", "0") in {"1", "true"}
        if not sheets:
            raise ReadingError(ErrorClass.CORRUPT, "no sheets")
        return sheets

    def _sheet(self, relation: ooxml.Relation | None) -> str:
        """What stands on a sheet; nothing where it is missing, code, or was read already."""
        if relation is None or relation.kind in _CODE or relation.target.lower() in self._read:
            return ""
        self._read.add(relation.target.lower())
        sheet = Sheet(self._budget, self._book)
        self._parts.parse(relation.target, sheet)
        beside = ooxml.present(self._parts, relation.target)
        self._pictured = self._pictured or any(one.kind in _OBJECTS for one in beside)
        drawn = [self._drawn(one.target) for one in beside if one.kind == "drawing"]
        drawn += [_controls(self._parts, one.target, drawn) for one in beside if one.kind == "vmlDrawing"]
        threads = [
            line for one in beside if one.kind == "threadedComment" for line in self._threads(one.target)
        ]
        comments = [
            line
            for one in beside
            if one.kind == "comments"
            for line in self._comments(one.target, threaded=bool(threads))
        ]
        texts = (
            *dict.fromkeys(sheet.headers),
            sheet.text(),
            *drawn,
            "\n".join(sheet.prompts),
            *comments,
            *threads,
            *dict.fromkeys(sheet.footers),
        )
        return "\n\n".join(text for text in texts if text.strip())

    def _drawn(self, target: str) -> str:
        shapes = Shapes(self._budget, self._figures.of(target))
        self._parts.parse(target, shapes)
        self._pictured = self._pictured or shapes.pictured
        return shapes.text()

    def _comments(self, target: str, *, threaded: bool) -> Iterator[str]:
        """The comments of a sheet, each with its author."""
        authors: list[str] = []
        texts: list[str] = []
        for tag, attributes, text in elements(self._parts, target):
            if tag == "author":
                authors.append(text)
            elif tag == "t":
                texts.append(self._budget.spend(text))
            elif tag == "rPh" and texts:
                texts.pop()  # how the text before is pronounced
            elif tag == "comment":
                number = attributes.get("authorId", "")
                known = number.isdecimal() and int(number[:9]) < len(authors)
                author = authors[int(number[:9])] if known else ""
                if not (threaded and author.startswith(_STAND_IN)):
                    yield _said(author, unescaped("".join(texts)))
                texts.clear()

    def _threads(self, target: str) -> Iterator[str]:
        """The comments of the threads of a sheet, each with its author."""
        text = ""
        for tag, attributes, own in elements(self._parts, target):
            if tag == "text":
                text = self._budget.spend(own)
            elif tag == "threadedComment":
                yield _said(self._persons.get(attributes.get("personId", ""), ""), text)
                text = ""


def _said(author: str, text: str) -> str:
    """A comment with its author, whom Excel writes into a note's text as well."""
    author, text = author.strip(), text.strip()
    if not author or text.startswith(f"{author}:"):
        return text
    return f"{author}: {text}" if text else ""


def _formats(parts: Parts, target: str) -> dict[str, str]:
    """The number format of each style of a cell that has one, by the style's number."""
    codes: dict[str, str] = {str(number): code for number, code in BUILT_IN.items()}
    own: list[tuple[str, str]] = []
    styles: list[str] = []
    for tag, attributes, _ in elements(parts, target):
        if tag == "numFmt":
            own.append((attributes.get("numFmtId", ""), unescaped(attributes.get("formatCode", ""))))
        elif tag == "numFmts":
            codes.update(own)
        elif tag == "xf":
            styles.append(attributes.get("numFmtId", "0"))
        elif tag == "cellStyleXfs":  # they were styles of styles
            styles.clear()
        elif tag == "cellXfs":
            break
    return {str(style): codes[number] for style, number in enumerate(styles) if number in codes}


def _controls(parts: Parts, target: str, drawn: list[str]) -> str:
    """What buttons and other controls say; the boxes of comments are left out, and what was drawn already.

    This markup is often no XML: what comes before the damage is taken.
    """
    known = {line for text in drawn for line in text.splitlines()}
    found: dict[str, None] = {}
    words: list[str] = []
    note = False
    try:
        for tag, attributes, text in elements(parts, target):
            if tag in {"div", "font", "span", "p", "b", "i", "u"}:
                words.append(text)
            elif tag == "textpath":
                words.append(attributes.get("string", ""))
            elif tag == "ClientData":
                note = attributes.get("ObjectType") == "Note"
            elif tag == "shape":
                line = " ".join("".join(words).split())
                if line and not note and line not in known:
                    found[line] = None
                words.clear()
                note = False
    except ReadingError as error:
        if error.error_class is not ErrorClass.CORRUPT:
            raise
    return "\n".join(found)

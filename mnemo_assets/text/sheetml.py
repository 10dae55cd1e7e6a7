"""SpreadsheetML, walked as a stream: rows are written as they come, so that far cells take no memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.number_formats import shown
from mnemo_assets.text.rows import cell

if TYPE_CHECKING:
    from mnemo_assets.text.pages import Budget

_SHEET: Final = frozenset(
    {
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
        "http://purl.oclc.org/ooxml/spreadsheetml/main",  # Strict
    }
)
#: Strings of a workbook that cells share: each takes 60 bytes, however short it is.
_MOST_STRINGS: Final = 5_000_000
#: Empty cells between two cells of a row that are told apart: columns stay below their headings, and a
#: cell far to the right does not make a megabyte of tabs.
_WIDEST_GAP: Final = 20
#: Letters of a column: the last one is XFD.
_MOST_LETTERS: Final = 3
#: Digits of a row or a shared string: none reaches a billion.
_MOST_DIGITS: Final = 9
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
#: Code points of a cell, or of its formula: a spreadsheet takes 32,767.
_LONGEST_CELL: Final = 1_000_000
_HEADINGS: Final = frozenset(
    {"oddHeader", "evenHeader", "firstHeader", "oddFooter", "evenFooter", "firstFooter"}
)
#: Codes in headers and footers: of fonts, sizes and colours, and for page, day, file and sheet.
_CODES: Final = re.compile(r'&(?:"[^"]*"|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|\d{1,3}|[A-Za-z&])')
_TRUTHS: Final = {"0": "FALSE", "1": "TRUE", "false": "FALSE", "true": "TRUE"}


@dataclass(slots=True)
class Book:
    """What the cells of all sheets refer to.

    Attributes:
        strings: those that cells share.
        formats: of numbers, by the style of a cell as it is named there.
        since_1904: whether days are counted from 1904.
    """

    strings: list[str] = field(default_factory=list)
    formats: dict[str, str] = field(default_factory=dict)
    since_1904: bool = False


def unescaped(text: str) -> str:
    """A string as it is shown: characters that XML cannot hold are written as _x000D_."""
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def heading(codes: str) -> str:
    """What a header or footer says, without its codes; its left, middle and right part are cells."""

    def decoded(found: re.Match[str]) -> str:
        return {"&&": "&", "&L": "\t", "&C": "\t", "&R": "\t"}.get(found[0], "")

    text = _CODES.sub(decoded, unescaped(codes))
    return "\t".join(part for part in (" ".join(part.split()) for part in text.split("\t")) if part)


class Strings:
    """Handles the part of shared strings.

    Attributes:
        found: the strings, in order.
    """

    def __init__(self, budget: Budget) -> None:
        self.found: list[str] = []
        self._budget = budget
        self._pieces: list[str] = []
        self._in_text = False
        self._phonetic = False

    def start(self, namespace: str, name: str, _attributes: dict[str, str]) -> None:
        """An element begins."""
        if namespace in _SHEET:
            if name == "t":
                self._in_text = not self._phonetic
            elif name == "rPh":
                self._phonetic = True
            elif name == "si":
                self._pieces.clear()

    def end(self, namespace: str, name: str) -> None:
        """An element ends."""
        if namespace in _SHEET:
            if name == "t":
                self._in_text = False
            elif name == "rPh":
                self._phonetic = False
            elif name == "si":
                self._keep("".join(self._pieces))

    def characters(self, text: str) -> None:
        """Characters between elements."""
        if self._in_text:
            self._pieces.append(self._budget.spend(text))

    def _keep(self, text: str) -> None:
        if len(self.found) == _MOST_STRINGS:
            raise ReadingError(ErrorClass.TOO_LARGE, "strings")
        self.found.append(unescaped(text))


class Sheet:
    """Handles the elements of a sheet of any kind.

    Attributes:
        headers: what its headers say.
        footers: what its footers say.
        prompts: what is shown to who enters something, each once.
    """

    def __init__(self, budget: Budget, book: Book) -> None:
        self.headers: list[str] = []
        self.footers: list[str] = []
        self.prompts: dict[str, None] = {}
        self._budget = budget
        self._book = book
        self._lines: list[str] = []
        self._columns: dict[str, int] = {}
        self._first_column = 1
        # of the row that is being read
        self._row: list[str] = []
        self._row_number = 0
        self._row_before = 0  # the last one that was written
        self._column_before = 0  # the same
        # of the cell that is being read; columns count from 1
        self._column = 0
        self._kind = ""
        self._style = ""
        self._value: list[str] = []
        self._formula: list[str] = []
        self._has_value = False
        self._heading: list[str] = []
        self._collected: list[str] | None = None  # where characters go
        self._size = 0
        self._phonetic = False

    def text(self) -> str:
        """The rows so far, a line each."""
        return "\n".join(self._lines)

    def start(self, namespace: str, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if namespace not in _SHEET:
            return
        if name == "c":
            self._start_cell(attributes)
        elif name in {"v", "t"}:
            self._has_value = True
            self._collected = None if self._phonetic else self._value
        elif name == "f":
            self._collected = self._formula
        elif name == "row":
            self._row_number = _whole(attributes.get("r", "")) or self._row_number + 1
            self._column = self._column_before = 0
        elif name == "rPh":
            self._phonetic = True
        else:
            self._start_other(name, attributes)

    def _start_other(self, name: str, attributes: dict[str, str]) -> None:
        if name in _HEADINGS:
            self._collected, self._size = self._heading, 0
        elif name == "dimension":
            self._first_column = self._column_of(attributes.get("ref", "").partition(":")[0]) or 1
        elif name == "dataValidation":
            self._prompt(attributes)

    def end(self, namespace: str, name: str) -> None:
        """An element ends."""
        if namespace not in _SHEET:
            return
        self._collected = None
        if name == "c":
            self._end_cell()
        elif name == "row":
            self._end_row()
        elif name == "rPh":
            self._phonetic = False
        elif name in _HEADINGS:
            said = self.headers if name.endswith("Header") else self.footers
            said.append(self._budget.spend(heading("".join(self._heading))))
            self._heading.clear()

    def characters(self, text: str) -> None:
        """Characters between elements."""
        if self._collected is not None:
            self._size += len(text)
            if self._size > _LONGEST_CELL:
                raise ReadingError(ErrorClass.TOO_LARGE, "cell")
            self._collected.append(text)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._column = self._column_of(attributes.get("r", "")) or self._column + 1
        self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "0")
        self._value.clear()
        self._formula.clear()
        self._has_value, self._size = False, 0

    def _end_cell(self) -> None:
        text = self._shown()
        if not text:
            return
        if self._column_before:
            gap = max(self._column - self._column_before, 1)
        else:
            gap = max(self._column - self._first_column, 0)
        self._row.append(self._budget.spend("\t" * min(gap, _WIDEST_GAP) + text))
        self._column_before = self._column

    def _end_row(self) -> None:
        if not self._row:
            return
        if self._lines and self._row_number > self._row_before + 1:
            self._lines.append("")
        self._lines.append("".join(self._row))
        self._row.clear()
        self._row_before = self._row_number

    def _shown(self) -> str:
        """What the cell shows; of a formula that was never computed, the formula."""
        value, kind = "".join(self._value), self._kind
        if not self._has_value:
            return f"={cell(formula)}" if (formula := "".join(self._formula)) else ""
        if kind == "s":
            place = _whole(value.strip())
            strings = self._book.strings
            return cell(strings[place]) if place is not None and place < len(strings) else ""
        if kind == "n":
            code = self._book.formats.get(self._style, "")
            return cell(shown(value, code, since_1904=self._book.since_1904)) if value else ""
        if kind == "b":
            return _TRUTHS.get(value.strip(), cell(value))
        if kind == "d":
            return cell(value.removesuffix("T00:00:00").replace("T", " "))
        return cell(unescaped(value))

    def _column_of(self, reference: str) -> int | None:
        """The number of the column of a reference such as AB12."""
        letters = reference.rstrip("0123456789")
        known = self._columns.get(letters)
        if known is None and 0 < len(letters) <= _MOST_LETTERS and letters.isascii() and letters.isalpha():
            known = 0
            for letter in letters.upper():
                known = 26 * known + ord(letter) - ord("A") + 1
            self._columns[letters] = known
        return known

    def _prompt(self, attributes: dict[str, str]) -> None:
        said = [unescaped(attributes.get(key, "")).strip() for key in ("promptTitle", "prompt")]
        line = cell(": ".join(part for part in said if part))
        if line and line not in self.prompts:
            self.prompts[self._budget.spend(line)] = None


def _whole(digits: str) -> int | None:
    """A number without a sign; None where it is none, or has more digits than any in a sheet."""
    return int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else None

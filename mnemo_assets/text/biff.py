"""The records of an old workbook (BIFF 5 and 8, MS-XLS) that say more than its cells.

Comments, text boxes, headers and footers, the words of charts, what a cell asks of who fills it in; whether
it is encrypted; and how large its sheets say they are, which has to be known before a library makes room for
them.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from typing import Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.code_pages import codec

_BOF, _EOF, _CONTINUE, _FILEPASS, _CODEPAGE = 0x0809, 0x000A, 0x003C, 0x002F, 0x0042
_BOUNDSHEET, _NOTE, _OBJ, _TXO, _HEADER, _FOOTER = 0x0085, 0x001C, 0x005D, 0x01B6, 0x0014, 0x0015
_SERIESTEXT, _VALIDATION = 0x100D, 0x01BE
#: Records of cells; each begins with its row and its column, two bytes each.
_CELLS: Final = frozenset(
    {0x0006, 0x0406, 0x00BD, 0x00BE, 0x00D6, 0x00FD, 0x0201, 0x0203, 0x0204, 0x0205, 0x027E}
)
_BIFF8: Final = 0x0600
#: Cells of the rectangles around what is in each sheet, together: a library takes up to 40 bytes for each.
_MOST_CELLS: Final = 20_000_000
#: What a header says of itself: parts of the line, fonts, sizes, colours and styles; `&&` is an ampersand.
_CODES: Final = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|\d+|[LCR]|[^&])')
_NOTE_GOES_ON: Final = 0xFFFF


@dataclass(slots=True)
class Sheet:
    """What a sheet holds beside its cells, each a text as it stands.

    Attributes:
        comments: with their authors.
        boxes: texts of shapes.
        headers: and footers, the codes taken out.
        labels: the words of its charts.
        prompts: what its cells ask of who fills them in.
        rows: numbers of the first and the last row that has a cell; none where the last is smaller.
        columns: the same.
    """

    comments: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    prompts: dict[str, None] = field(default_factory=dict)
    rows: tuple[int, int] = (1 << 32, -1)
    columns: tuple[int, int] = (1 << 32, -1)


def sheets(data: bytes) -> tuple[list[Sheet], int]:
    """The sheets of a workbook, in the order in which it names them, and its code page.

    Args:
        data: the stream of the workbook.

    Raises:
        ReadingError: ENCRYPTED; TOO_LARGE, cells stand too far apart. What is damaged ends the list.
    """
    walk = _Walk(data)
    walk.all()
    found = [walk.sheets.get(start, Sheet()) for start in walk.starts]
    if sum(map(_area, found)) > _MOST_CELLS:
        raise ReadingError(ErrorClass.TOO_LARGE, "cells")
    return found, walk.page


def _area(sheet: Sheet) -> int:
    """The cells of the rectangle around what is in it."""
    (top, bottom), (left, right) = sheet.rows, sheet.columns
    return max(0, bottom - top + 1) * max(0, right - left + 1)


class _Walk:
    def __init__(self, data: bytes) -> None:
        self.starts: list[int] = []  # of the sheets
        self.sheets: dict[int, Sheet] = {}
        self._data = data
        self._sheet = Sheet()
        self._open = 0  # substreams
        self._newest = False  # BIFF 8
        self.page = 1252
        self._object = -1
        self._texts: dict[int, str] = {}
        self._notes: list[tuple[int, str]] = []

    def all(self) -> None:
        """Walk over every record."""
        data, place, end = self._data, 0, len(self._data) - 4
        header = struct.Struct("<HH").unpack_from
        top, bottom, left, right = 1 << 32, -1, 1 << 32, -1
        while place <= end:
            kind, size = header(data, place)
            body = place + 4
            if kind in _CELLS and size >= 4 and body + size <= len(data):  # noqa: PLR2004 - row and column
                row, column = header(data, body)
                top, bottom = min(top, row), max(bottom, row)
                left, right = min(left, column), max(right, column)
                if kind in {0x00BD, 0x00BE} and size >= 6:  # noqa: PLR2004 - several cells: the last one
                    right = max(right, struct.unpack_from("<H", data, body + size - 2)[0])
            elif kind == _EOF:
                self._sheet.rows, self._sheet.columns = (top, bottom), (left, right)
                self._end()
                if self._open == 0:
                    top, bottom, left, right = 1 << 32, -1, 1 << 32, -1
            else:
                self._record(kind, place, data[body : body + size])
            place = body + size
        if self._open:  # the end is missing
            self._sheet.rows, self._sheet.columns = (top, bottom), (left, right)
            self._open = 1
            self._end()

    def _record(self, kind: int, place: int, body: bytes) -> None:
        try:
            if kind == _BOF:
                self._begin(place, body)
            elif kind == _FILEPASS:
                raise ReadingError(ErrorClass.ENCRYPTED, "workbook")
            elif kind == _CODEPAGE:
                self.page = struct.unpack_from("<H", body)[0]
            elif kind == _BOUNDSHEET:
                self.starts.append(struct.unpack_from("<I", body)[0])
            else:
                self._beside(kind, place, body)
        except struct.error:  # a record that is too short says nothing
            return

    def _beside(self, kind: int, place: int, body: bytes) -> None:
        """A record of what stands beside the cells."""
        if kind == _OBJ and self._newest:
            self._object = struct.unpack_from("<H", body, 6)[0]
        elif kind == _TXO and self._newest:
            self._texts[self._object] = self._continued(place, struct.unpack_from("<H", body, 10)[0])
        elif kind == _NOTE:
            self._note(body)
        elif kind in {_HEADER, _FOOTER}:
            self._header(body)
        elif kind == _SERIESTEXT:
            self._sheet.labels.append(self._short(body[2:]))
        elif kind == _VALIDATION and self._newest:
            self._prompt(body)

    def _begin(self, place: int, body: bytes) -> None:
        self._open += 1
        if self._open == 1:
            self._newest = struct.unpack_from("<H", body)[0] >= _BIFF8
            self._sheet = Sheet()
            self.sheets[place] = self._sheet
            self._texts, self._notes, self._object = {}, [], -1

    def _end(self) -> None:
        """End a substream: now the texts of the comments are known from those of other boxes."""
        self._open = max(0, self._open - 1)
        if self._open:
            return
        for number, author in self._notes:
            said = self._texts.pop(number, "")
            known = author and not said.startswith(f"{author}:")
            if said.strip():
                self._sheet.comments.append(f"{author}: {said}" if known else said)
        self._sheet.boxes += [text for text in self._texts.values() if text.strip()]
        self._texts, self._notes = {}, []

    def _note(self, body: bytes) -> None:
        row, _, length, number = struct.unpack_from("<HHHH", body)
        if self._newest:
            self._notes.append((number, self._long(body[8:]).strip()))
        elif row == _NOTE_GOES_ON and self._sheet.comments:
            self._sheet.comments[-1] += self._decoded(body[6:])
        else:
            self._sheet.comments.append(self._decoded(body[6 : 6 + length]))

    def _header(self, body: bytes) -> None:
        line = self._long(body) if self._newest else self._short(body)
        words = _CODES.sub(" ", line.replace("&&", "\ue000")).replace("\ue000", "&").strip()
        if words and words not in self._sheet.headers:
            self._sheet.headers.append(words)

    def _prompt(self, body: bytes) -> None:
        """The words that show beside a cell: behind flags a title, that of an error, and the words."""
        texts, place = [], 4
        for _ in range(3):
            length, is_wide = struct.unpack_from("<HB", body, place)
            texts.append(_characters(body[place + 2 :], length).strip("\0 "))  # nothing is a NUL
            place += 3 + length * (1 + (is_wide & 1))
        line = ": ".join(text for text in (texts[0], texts[2]) if text)
        if line:
            self._sheet.prompts[line] = None

    def _continued(self, place: int, length: int) -> str:
        """A text of a length in characters that stands in the records behind one."""
        pieces: list[str] = []
        while length > 0:
            place += 4 + int.from_bytes(self._data[place + 2 : place + 4], "little")
            kind, size = struct.unpack_from("<HH", self._data, place)
            if kind != _CONTINUE or not size:
                break
            body = self._data[place + 4 : place + 4 + size]
            pieces.append(_characters(body, length))
            length -= len(pieces[-1]) or length
        return "".join(pieces)

    def _long(self, body: bytes) -> str:
        """A string that begins with its length in two bytes."""
        return _characters(body[2:], int.from_bytes(body[:2], "little")) if body else ""

    def _short(self, body: bytes) -> str:
        """A string that begins with its length in one byte."""
        if self._newest:
            return _characters(body[1:], body[0]) if body else ""
        return self._decoded(body[1 : 1 + body[0]]) if body else ""

    def _decoded(self, data: bytes) -> str:
        return data.decode(codec(self.page) or "cp1252", "replace")


def _characters(body: bytes, length: int) -> str:
    """Characters of one byte each or of two, as the first byte says."""
    if not body:
        return ""
    if body[0] & 1:
        return body[1 : 1 + 2 * length].decode("utf-16-le", "replace")
    return body[1 : 1 + length].decode("latin-1")

"""The text that rich text makes: paragraphs, rows of tables, boxes, notes and pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from mnemo_assets.text.pages import Budget, worded

_WHITE: Final = re.compile(r"[ \t\n]+")
_SURROGATES: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
#: Tables in one another that are told apart: more are one.
_DEEPEST: Final = 64
_TABLES: Final = frozenset({"intbl", "itap", "cell", "nestcell", "row", "nestrow"})
#: Whether a section of a kind begins a page.
_SECTIONS: Final = {
    "sectd": True, "sbkpage": True, "sbkeven": True, "sbkodd": True, "sbknone": False, "sbkcol": False,
}  # fmt: skip
_BREAKS: Final = frozenset({"page", "softpage", "pagebb"})


@dataclass(slots=True)
class _Row:
    """A row that is being written."""

    start: int  # of the open cell, among the parts
    cells: list[tuple[str, bool]] = field(default_factory=list)  # and whether rows are in it
    tabled: bool = False  # rows are in the open cell


@dataclass(slots=True)
class _Frame:
    """A stretch of text that is written on its own: the body, a header, a box, a note."""

    parts: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)  # of the paragraph that is being written
    rows: list[_Row] = field(default_factory=lambda: [_Row(0)])  # that are open, the outermost first
    in_table: bool = False
    depth: int = 1
    page_ended: bool = False  # inside of a row, which is not torn: it ends before the row


class Document:
    """Takes what is read, in its order.

    Attributes:
        budget: counts the text.
    """

    def __init__(self) -> None:
        self.budget = Budget()
        self._frames = [_Frame()]
        self._headers: list[str] = []
        self._footers: list[str] = []
        self._notes: list[str] = []  # of the page
        self._section_breaks = True

    def text(self) -> str:
        """The whole, form feeds between its pages."""
        while len(self._frames) > 1:
            self.close("box", "")
        body = self._ended(self._frames.pop()) + self._page_notes()
        headers, footers = (list(dict.fromkeys(texts)) for texts in (self._headers, self._footers))
        return _paired("\n\n".join(part for part in [*headers, body, *footers] if part.strip()))

    def write(self, text: str) -> None:
        """Write in the open paragraph."""
        self._frames[-1].parts.append(self.budget.spend(text).replace("\f", " "))

    def box(self, text: str) -> None:
        """Words that stand behind the open paragraph."""
        if text:
            self._frames[-1].boxes.append(self.budget.spend(text))

    def open(self) -> None:
        """Begin a stretch that is written on its own."""
        self._frames.append(_Frame())

    def close(self, kind: str, author: str) -> None:
        """End it: a `header`, a `footer`, a `note` (with its author, if any), or a `box`."""
        if len(self._frames) == 1:
            return
        text = self._ended(self._frames.pop()).strip()
        if kind == "header":
            self._headers.append(text)
        elif kind == "footer":
            self._footers.append(text)
        elif kind == "box":
            self._frames[-1].boxes.append(text)
        elif text:
            self._notes.append(f"{author}: {text}" if author else text)

    def word(self, name: str, number: int | None) -> None:
        """Do what a control word says about paragraphs, tables and pages."""
        frame = self._frames[-1]
        if name == "par":
            self._end_paragraph(frame)
        elif name == "pard":
            frame.in_table, frame.depth = False, 1
        elif name in _TABLES:
            self._table(frame, name, number or 1)
        elif name == "sect":
            self._end_paragraph(frame)
            if self._section_breaks:
                self._end_page()
        elif name in _SECTIONS:
            self._section_breaks = _SECTIONS[name]
        elif name in _BREAKS and number != 0:
            self._end_page()

    def _table(self, frame: _Frame, name: str, number: int) -> None:
        if name == "intbl":
            frame.in_table = True
        elif name == "itap":
            self._nest(frame, number)
        elif name in {"cell", "nestcell"}:
            self._end_cell(frame, 1 if name == "cell" else max(2, frame.depth))
        else:
            self._end_row(frame, 1 if name == "row" else max(2, min(frame.depth, len(frame.rows))))

    def _nest(self, frame: _Frame, depth: int) -> None:
        frame.depth = max(1, min(depth, _DEEPEST))
        while len(frame.rows) < frame.depth:
            frame.rows.append(_Row(len(frame.parts)))

    def _end_paragraph(self, frame: _Frame) -> None:
        frame.parts.append("\n")
        self._place_boxes(frame)
        if not frame.in_table and frame.depth == 1 and not frame.rows[0].cells:
            del frame.rows[1:]
            frame.rows[0].start = len(frame.parts)

    def _place_boxes(self, frame: _Frame) -> None:
        frame.parts.extend(f"{box}\n" for box in frame.boxes if box)
        frame.boxes.clear()

    def _end_cell(self, frame: _Frame, depth: int) -> None:
        self._nest(frame, depth)
        if frame.boxes:
            frame.parts.append("\n")
            self._place_boxes(frame)
        self._end_rows_below(frame, depth)
        row = frame.rows[depth - 1]
        text = "".join(frame.parts[row.start :]).strip("\n")
        del frame.parts[row.start :]
        row.cells.append((text, row.tabled))
        row.tabled = False

    def _end_rows_below(self, frame: _Frame, depth: int) -> None:
        """End the tables inside of a cell, also those whose last row has no end."""
        while len(frame.rows) > depth:
            if frame.rows[-1].cells:
                self._end_row(frame, len(frame.rows))
            frame.rows.pop()

    def _end_row(self, frame: _Frame, depth: int) -> None:
        """A cell's lines become one where others stand beside it, unless they are rows themselves."""
        self._nest(frame, depth)
        self._end_rows_below(frame, depth)
        row = frame.rows[depth - 1]
        alone = len(row.cells) == 1
        cells = [text if whole or alone else _WHITE.sub(" ", text).strip() for text, whole in row.cells]
        row.cells.clear()
        if frame.page_ended and depth == 1:
            frame.page_ended = False
            self._break(frame)
        frame.parts.append("\t".join(cells).rstrip("\t") + "\n")
        row.start = len(frame.parts)
        if depth > 1:
            frame.rows[depth - 2].tabled = True

    def _ended(self, frame: _Frame) -> str:
        """The text of a frame; a row that is still open is a row."""
        self._place_boxes_at_end(frame)
        self._end_rows_below(frame, 1)
        if frame.rows[0].cells:
            rest = "".join(frame.parts[frame.rows[0].start :])
            del frame.parts[frame.rows[0].start :]
            self._end_row(frame, 1)
            frame.parts.append(rest)
        return "".join(frame.parts)

    def _place_boxes_at_end(self, frame: _Frame) -> None:
        if frame.boxes:
            frame.parts.append("\n")
            self._place_boxes(frame)

    def _end_page(self) -> None:
        """End the page here; inside of a row before the row, and inside of a box or a note not at all."""
        frame = self._frames[-1]
        if len(self._frames) > 1:
            return
        if frame.in_table or frame.rows[0].cells:
            frame.page_ended = True
        else:
            self._break(frame)
            frame.rows[0].start = len(frame.parts)

    def _break(self, frame: _Frame) -> None:
        if worded(frame.parts):
            self.budget.spend_page()
            frame.parts += [self._page_notes(), "\f"]

    def _page_notes(self) -> str:
        notes = "".join(f"\n\n{note}" for note in self._notes)
        self._notes.clear()
        return f"{notes}\n" if notes else ""


def _paired(text: str) -> str:
    """Characters that were written as two halves, whole."""
    return _SURROGATES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)

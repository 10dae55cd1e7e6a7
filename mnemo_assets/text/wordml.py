"""WordprocessingML, walked as a stream: what a person who opens the document can see, and nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mnemo_assets.text.drawingml import COMPATIBILITY, MAIN, MATH, alternative_text
from mnemo_assets.text.rows import row
from mnemo_assets.text.symbols import symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mnemo_assets.text.pages import Budget

_WORD = frozenset(
    {
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://purl.oclc.org/ooxml/wordprocessingml/main",  # Strict
    }
)
_VML: Final = "urn:schemas-microsoft-com:vml"
#: Deleted and moved-away text, and properties as they were: what is in them is not the document's text.
_GONE = frozenset({"del", "moveFrom", "pPrChange", "rPrChange", "sectPrChange", "tblPrChange", "tcPrChange"})
_GLYPHS = {"tab": "\t", "ptab": "\t", "cr": "\n", "noBreakHyphen": "\u2011"}
_PICTURES = frozenset({"drawing", "pict", "object"})
_NOTES = frozenset({"footnote", "endnote", "comment"})
_REFERENCES = {
    "footnoteReference": "footnotes",
    "endnoteReference": "endnotes",
    "commentReference": "comments",
}
_OFF = frozenset({"0", "false", "off"})
_SAME_PAGE = frozenset({"continuous", "nextColumn"})
_FORM_FIELDS = frozenset({"ddList", "checkBox"})
_CHECKED, _UNCHECKED = "☒", "☐"


@dataclass(slots=True)
class _Frame:
    """A stretch of text that is written on its own: the body, a cell, a text box, a note."""

    parts: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)  # of the paragraph that is being written
    cells: list[str] = field(default_factory=list)  # of the row that is being written
    page_ended: bool = False  # inside of a row, which is not torn: it ends before the row


@dataclass(slots=True)
class _FormField:
    """A box to tick or a list to choose from, of the kind that Word 97 had: its value is no text."""

    entries: list[str] = field(default_factory=list)
    chosen: str = ""  # of the list, the number of the entry
    standard: str = ""  # what is chosen where nobody did

    def shown(self, kind: str) -> str:
        chosen = self.chosen or self.standard
        if kind == "checkBox":
            return _UNCHECKED if not chosen or chosen in _OFF else _CHECKED
        number = int(chosen) if chosen.isdecimal() and len(chosen) < 5 else 0  # noqa: PLR2004 - digits
        return self.entries[number] if number < len(self.entries) else ""


#: The instructions of fields that show when the document was opened last.
_CLOCK: Final = re.compile(r"\s*(?:DATE|TIME)\b", re.IGNORECASE)


class Walk:
    """Handles the elements of one part.

    Args:
        budget: counts the text.
        notes: the texts that the part refers to, by kind and identifier.
        related: the text of the chart, the diagram or the imported document that a relation names.
        is_converted: whether a program has just written the document: then its fields of days and times say
            when that was, and not what stood there.

    Attributes:
        pictured: whether there is a picture, or another thing that is not text.
        notes_found: the text of each footnote, endnote or comment of the part, by identifier.
    """

    def __init__(
        self,
        budget: Budget,
        notes: Mapping[str, dict[str, str]] | None = None,
        related: Callable[[str], str] = lambda _: "",
        *,
        is_converted: bool = False,
    ) -> None:
        self.pictured = False
        self.notes_found: dict[str, str] = {}
        self._budget = budget
        self._notes = notes or {}
        self._related = related
        self._page_notes: list[str] = []
        self._frames = [_Frame()]
        self._worded = False  # the page that is being written has words
        self._skipped = 0  # elements open inside of one that is left out
        self._in_text = 0
        self._note = ("", "")
        self._choices: list[
            int | None
        ] = []  # an alternative's branch that was taken, as the length before it
        self._break_after = False  # a section ends with this paragraph
        self._name = ""  # of what was drawn last
        self._form = _FormField()
        self._fields: list[list[str] | None] = []  # the instructions of each that is open, until they end
        self._instructions: list[str] | None = None  # those that are being read
        self._muted: int | None = None  # a field is not shown, such as one in another's instructions: which
        self._is_converted = is_converted

    def text(self) -> str:
        """The text of the part, form feeds between its pages."""
        self._end_of_page_notes()
        return "".join(self._frames[0].parts)

    def notes_left(self) -> str:
        """The notes that nothing refers to."""
        return "\n".join(text for notes in self._notes.values() for text in notes.values())

    def start(self, namespace: str, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if self._skipped:
            self._skipped += 1
        elif namespace in _WORD:
            self._start_word(name, attributes)
        elif namespace == COMPATIBILITY:
            self._start_alternative(name)
        elif namespace in MATH:
            self._in_text += name == "t"
        else:
            self._start_drawn(namespace, name, attributes)

    def end(self, namespace: str, name: str) -> None:
        """An element ends."""
        if self._skipped:
            self._skipped -= 1
        elif namespace in _WORD:
            self._end_word(name)
        elif namespace == COMPATIBILITY and name == "AlternateContent" and self._choices:
            self._choices.pop()
        elif namespace in MATH:
            self._in_text -= name == "t"
        elif namespace in MAIN:
            self._end_drawn(name)

    def characters(self, text: str) -> None:
        """Characters: the document's text where they stand in a text element."""
        if self._skipped:
            return
        if self._in_text:
            self._write(text)
        elif self._instructions is not None:
            self._instructions.append(self._budget.spend(text))

    def _written(self) -> int:
        return sum(len(frame.parts) + len(frame.boxes) for frame in self._frames)

    def _start_alternative(self, name: str) -> None:
        """Of alternatives the first that has text is taken: a text box stands in each of them."""
        if name == "AlternateContent":
            self._choices.append(None)
        elif name in {"Choice", "Fallback"} and self._choices:
            before = self._choices[-1]
            if before is not None and self._written() > before:
                self._skipped = 1
            else:
                self._choices[-1] = self._written()

    def _start_word(self, name: str, attributes: dict[str, str]) -> None:
        if name == "t":
            self._in_text += 1
        elif name in _GONE:
            self._skipped = 1
        elif name in _GLYPHS:
            self._write(_GLYPHS[name])
        elif name == "br":
            self._end_page() if attributes.get("type") == "page" else self._write("\n")
        elif name == "lastRenderedPageBreak" or (
            name == "pageBreakBefore" and attributes.get("val", "1") not in _OFF
        ):
            self._end_page()
        elif name in _REFERENCES:
            self._refer(_REFERENCES[name], attributes.get("id", ""))
        elif name in _NOTES:
            self._note = (attributes.get("id", ""), attributes.get("author", ""))
            self._frames.append(_Frame())
        elif name in {"tc", "txbxContent"}:
            self._frames.append(_Frame())
        else:
            self._start_other(name, attributes)

    def _start_other(self, name: str, attributes: dict[str, str]) -> None:
        self.pictured = self.pictured or name in _PICTURES
        if name == "sym":
            self._write(symbol(attributes.get("font", ""), attributes.get("char", "")))
        elif name == "altChunk":
            self._import(attributes.get("r:id", ""))
        elif name == "sectPr":
            self._break_after = True
        elif name == "type" and attributes.get("val") in _SAME_PAGE:
            self._break_after = False
        else:
            self._start_field(name, attributes)

    def _start_field(self, name: str, attributes: dict[str, str]) -> None:
        if name == "fldChar":
            self._field(attributes.get("fldCharType", ""))
        elif name == "instrText" and self._fields:
            self._instructions = self._fields[-1]
        elif name == "fldSimple":
            self._field("begin")
            self._fields[-1] = [attributes.get("instr", "")]
            self._field("separate")
        elif name in _FORM_FIELDS:
            self._form = _FormField()
        elif name in {"result", "checked"}:
            self._form.chosen = attributes.get("val", "1")
        elif name == "default":
            self._form.standard = attributes.get("val", "1")
        elif name == "listEntry":
            self._form.entries.append(attributes.get("val", ""))

    def _end_word(self, name: str) -> None:
        if name == "t":
            self._in_text -= 1
        elif name == "p":
            self._end_paragraph()
        elif name == "tc" and len(self._frames) > 1:
            cell = "".join(self._frames.pop().parts).strip("\n")
            self._frames[-1].cells.append(cell)
        elif name == "tr":
            self._end_row()
        elif name == "tbl":
            self._frames[-1].parts.append("\n")
        elif name == "txbxContent" and len(self._frames) > 1:
            box = "".join(self._frames.pop().parts).strip("\n")
            self._frames[-1].boxes.append(box)
        elif name in _NOTES and len(self._frames) > 1:
            self._end_note("".join(self._frames.pop().parts).strip())
        else:
            self._end_field(name)

    def _end_field(self, name: str) -> None:
        if name in _FORM_FIELDS:
            self._write(self._form.shown(name))
        elif name == "instrText":
            self._instructions = None
        elif name == "fldSimple":
            self._field("end")

    def _start_drawn(self, namespace: str, name: str, attributes: dict[str, str]) -> None:
        """What is drawn: its text is a box of the paragraph, as what stands in for it is."""
        if namespace in MAIN:
            if name == "t":
                self._in_text += 1
            elif name == "txBody":
                self._frames.append(_Frame())
        elif name in {"docPr", "cNvPr"}:
            self._name = attributes.get("name", "") if name == "docPr" else self._name
            self._box(*alternative_text(attributes))
        elif namespace == _VML:
            said = attributes.get("alt")  # LibreOffice writes the name there, where there is no other
            self._box(*filter(None, ("" if said == self._name else said, attributes.get("string"))))
        elif "r:dm" in attributes or (name == "chart" and "r:id" in attributes):
            self._box(self._related(attributes.get("r:dm") or attributes["r:id"]).strip(), spent=True)

    def _end_drawn(self, name: str) -> None:
        if name == "t":
            self._in_text -= 1
        elif name == "p":
            self._frames[-1].parts.append("\n")
        elif name == "txBody" and len(self._frames) > 1:
            box = "".join(self._frames.pop().parts).strip("\n")
            self._frames[-1].boxes.append(box)

    def _box(self, *texts: str, spent: bool = False) -> None:
        """Add to the boxes of the paragraph, unless it was the last: a picture says its text twice."""
        boxes = self._frames[-1].boxes
        for text in texts:
            if text not in boxes[-1:]:
                boxes.append(text if spent else self._budget.spend(text))
                self._worded = True

    def _import(self, identifier: str) -> None:
        """Write a document that is imported where this one is opened, as paragraphs of its own."""
        text = self._related(identifier).replace("\f", "\n")
        if text.strip():
            self._write(f"{text}\n")

    def _field(self, kind: str) -> None:
        """A field begins, its instructions end, or it ends."""
        if kind == "begin":
            if self._muted is None and self._fields and self._fields[-1] is not None:
                self._muted = len(self._fields)
            self._fields.append([])
        elif kind == "separate" and self._fields:
            instructions, self._fields[-1] = "".join(self._fields[-1] or ()), None
            if self._is_converted and self._muted is None and _CLOCK.match(instructions):
                self._muted = len(self._fields) - 1
        elif kind == "end" and self._fields:
            self._fields.pop()
            if self._muted == len(self._fields):
                self._muted = None

    def _write(self, text: str) -> None:
        if self._muted is not None:
            return
        self._frames[-1].parts.append(self._budget.spend(text))
        self._worded = self._worded or not text.isspace()

    def _end_paragraph(self) -> None:
        frame = self._frames[-1]
        self._muted = None  # a field that does not end loses no more than this paragraph
        frame.parts.append("\n")
        frame.parts.extend(f"{box}\n" for box in frame.boxes if box)
        frame.boxes.clear()
        if self._break_after and len(self._frames) == 1:
            self._end_page()
        self._break_after = False

    def _end_row(self) -> None:
        frame = self._frames[-1]
        cells = [*frame.cells]
        frame.cells.clear()
        ended, frame.page_ended = frame.page_ended, False
        if ended and len(self._frames) == 1:
            self._end_page()
        # a table of one column is often the frame of a whole letter, whose paragraphs stay
        frame.parts.append((cells[0] if len(cells) == 1 else row(cells)) + "\n")

    def _end_page(self) -> None:
        """End the page here; inside of a row before the row, and inside of a box or a note not at all."""
        if len(self._frames) > 1:
            self._frames[0].page_ended = True
            return
        if self._worded:  # Word repeats an explicit break as the one it rendered
            self._end_of_page_notes()
            self._frames[0].parts.append("\f")
            self._worded = False

    def _refer(self, kind: str, identifier: str) -> None:
        note = self._notes.get(kind, {}).pop(identifier, "")
        if note:
            self._page_notes.append(note)

    def _end_note(self, text: str) -> None:
        identifier, author = self._note
        if text:
            self.notes_found[identifier] = f"{author}: {text}" if author else text

    def _end_of_page_notes(self) -> None:
        self._frames[0].parts.extend(f"\n{note}\n" for note in self._page_notes)
        self._page_notes.clear()

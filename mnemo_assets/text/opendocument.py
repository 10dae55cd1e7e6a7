"""OpenDocument XML, walked as a stream: what a person who opens the text can see, and nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mnemo_assets.text.pages import worded

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.text.pages import Budget

_PREFIX: Final = "urn:oasis:names:tc:opendocument:xmlns:"
_OFFICE, _TEXT, _TABLE, _DRAW, _FORM, _STYLE, _META, _SVG = (
    f"{_PREFIX}{name}:1.0"
    for name in ("office", "text", "table", "drawing", "form", "style", "meta", "svg-compatible")
)
_DUBLIN: Final = "http://purl.org/dc/elements/1.1/"
_MATH: Final = "http://www.w3.org/1998/Math/MathML"

#: Deleted text and the state before a change; what programs run; templates of an index, which stands behind
#: them as it is shown; the number of a note, which stands where it is called.
_GONE: Final = frozenset(
    {
        (_TEXT, "tracked-changes"),
        (_TABLE, "tracked-changes"),
        (_OFFICE, "scripts"),
        (_OFFICE, "script"),
        (_TEXT, "script"),
        (_TEXT, "note-citation"),
        (_MATH, "annotation"),
        *((_TEXT, f"{kind}-source") for kind in ("table-of-content", "bibliography")),
        *(
            (_TEXT, f"{kind}-index-source")
            for kind in ("illustration", "table", "object", "user", "alphabetical")
        ),
    }
)
#: What is drawn at a place of a paragraph and may hold text of its own.
_SHAPES: Final = frozenset(
    """
    frame text-box custom-shape rect ellipse circle line polyline polygon path regular-polygon connector
    caption measure g
    """.split()  # noqa: SIM905 - a list of words is read as words
)
_CELLS: Final = frozenset({"table-cell", "covered-table-cell"})
#: Texts that stand for what cannot be seen.
_ALTERNATIVES: Final = frozenset({"title", "desc"})
_PICTURES: Final = frozenset({"image", "object", "object-ole", "plugin", "applet", "floating-frame"})
#: Controls whose value nobody sees.
_HIDDEN_CONTROLS: Final = frozenset({"hidden", "password", "form", "properties", "property"})
_HEADERS: Final = frozenset({"header", "header-left", "header-first"})
_FOOTERS: Final = frozenset({"footer", "footer-left", "footer-first"})
#: Controls whose value is what a program is told.
_MARKED: Final = frozenset({"checkbox", "radio", "button", "image"})
_MATH_TOKENS: Final = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_WHITE: Final = re.compile(r"[ \t\r\n]+")
#: Blanks that one element may stand for: a longer run is a bomb.
_MOST_BLANKS: Final = 1000


@dataclass(slots=True)
class _Frame:
    """A stretch of text that is written on its own: the body, a cell, a shape, a note."""

    parts: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)  # of the paragraph that is being written
    cells: list[tuple[str, bool]] = field(default_factory=list)  # of the row, and whether tables are in it
    paragraphs: int = 0  # that are open: one may stand inside of another
    blank: bool = True  # the next blank does not show
    cell: bool = False
    tabled: bool = False  # a table stands in it
    page_ended: bool = False  # inside of a row, which is not torn: it ends before the row


class Walk:
    """Handles the elements of the parts of one document, one part after the other.

    Attributes:
        pictured: whether there is a picture, or another thing that is not text.
        kinds: what is in the body, such as `text` or `spreadsheet`.
        headers: the text of each, as they come.
        footers: the same.
        properties: the text of elements of the metadata by name, the first of each.
    """

    def __init__(self, budget: Budget, embedded: Callable[[str], str] = lambda _name: "") -> None:
        self.pictured = False
        self.kinds: set[str] = set()
        self.headers: list[str] = []
        self.footers: list[str] = []
        self.properties: dict[str, str] = {}
        self._budget = budget
        self._embedded = embedded
        self._breaks: dict[str, tuple[bool, bool]] = {}  # of a style: before, behind
        self._style = ""
        self._controls: dict[str, list[str]] = {}
        self._control: list[str] = []  # of the control that is open
        self._notes: list[str] = []  # of the page
        self._author: list[str] = []
        self._frames = [_Frame()]
        self._skipped = 0  # elements open inside of one that is left out
        self._property: list[str] | None = None
        self._in_annotation = 0
        self._in_text = 0  # open elements, beside paragraphs, whose characters are text
        self._break_after: list[bool] = []  # of the paragraphs that are open

    def text(self) -> str:
        """The body, form feeds between its pages."""
        for label in [line for lines in self._controls.values() for line in lines]:
            self._frames[0].parts.append(f"{label}\n")
        self._controls.clear()
        self._end_of_page_notes()
        return "".join(self._frames[0].parts)

    def start(self, namespace: str, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if self._skipped or (namespace, name) in _GONE:
            self._skipped += 1
        elif namespace == _TEXT:
            self._start_text(name, attributes)
        elif namespace == _TABLE:
            self._start_table(name)
        elif namespace == _DRAW:
            self._start_drawing(name, attributes)
        elif namespace == _FORM:
            self._start_form(name, attributes)
        elif namespace == _STYLE:
            self._start_style(name, attributes)
        else:
            self._start_other(namespace, name)

    def end(self, namespace: str, name: str) -> None:
        """An element ends."""
        if self._skipped:
            self._skipped -= 1
        elif namespace == _TEXT:
            self._end_text(name)
        elif namespace == _TABLE:
            self._end_table(name)
        elif namespace == _DRAW and name in _SHAPES:
            self._end_shape()
        elif namespace == _STYLE and name in _HEADERS | _FOOTERS:
            found = self._closed().replace("\f", "\n").strip()
            (self.headers if name in _HEADERS else self.footers).append(found)
        else:
            self._end_other(namespace, name)

    def characters(self, text: str) -> None:
        """Characters: the document's text where they stand in a paragraph."""
        if self._skipped:
            return
        if self._property is not None:
            self._property.append(self._budget.spend(text))
        elif self._in_text or self._frames[-1].paragraphs:
            frame = self._frames[-1]
            text = _WHITE.sub(" ", text)
            text = text[1:] if frame.blank and text.startswith(" ") else text
            if text:
                self._write(text)
                frame.blank = text.endswith(" ")

    def _start_text(self, name: str, attributes: dict[str, str]) -> None:
        if name in {"p", "h"}:
            self._start_paragraph(attributes.get("style-name", ""))
        elif name == "s":
            count = attributes.get("c", "1")
            self._glyph(" " * (min(int(count), _MOST_BLANKS) if count.isdecimal() else 1))
        elif name == "tab":
            self._glyph("\t")
        elif name == "line-break":
            self._glyph("\n")
        elif name == "soft-page-break":
            self._end_page()
        elif name == "number":
            self._in_text += 1
        elif name == "hidden-text":
            self._glyph(attributes.get("string-value", ""))
            self._skipped = 1
        elif name == "note-body":
            self._frames.append(_Frame())

    def _start_table(self, name: str) -> None:
        if name in _CELLS:
            self._frames.append(_Frame(cell=True))
        elif name == "table":
            self._frames[-1].tabled = True
        elif name in _ALTERNATIVES:
            self._in_text += 1

    def _start_drawing(self, name: str, attributes: dict[str, str]) -> None:
        self.pictured = self.pictured or name in _PICTURES
        if name in _SHAPES:
            self._frames.append(_Frame())
        elif name == "object" and (target := attributes.get("href", "")):
            self._frames[-1].parts.append(self._embedded(target))
        elif name == "control":
            labels = self._controls.pop(attributes.get("control", ""), [])
            self._frames[-1].boxes += labels

    def _start_form(self, name: str, attributes: dict[str, str]) -> None:
        """Keep what a control says until the place comes where it is drawn."""
        if name in {"option", "item"}:
            self._control += [attributes["label"]] if attributes.get("label") else []
        elif name not in _HIDDEN_CONTROLS:
            value = attributes.get("current-value") or attributes.get("value")
            said = (attributes.get("label"), None if name in _MARKED else value)
            self._control = [self._budget.spend(line) for line in said if line]
            number = attributes.get("id") or f"{len(self._controls)}"
            self._controls[number] = self._control

    def _start_style(self, name: str, attributes: dict[str, str]) -> None:
        if name in _HEADERS | _FOOTERS:
            if attributes.get("display") == "false":
                self._skipped = 1
            else:
                self._frames.append(_Frame())
        elif name == "style":
            self._style = attributes.get("name", "")
            before, behind = self._breaks.get(attributes.get("parent-style-name", ""), (False, False))
            self._breaks[self._style] = (before or bool(attributes.get("master-page-name")), behind)
        elif name == "paragraph-properties":
            before, behind = self._breaks.get(self._style, (False, False))
            self._breaks[self._style] = (
                attributes.get("break-before", "page" if before else "") == "page",
                attributes.get("break-after", "page" if behind else "") == "page",
            )

    def _start_other(self, namespace: str, name: str) -> None:
        if namespace == _OFFICE and name == "annotation":
            self._frames.append(_Frame())
            self._in_annotation += 1
            self._author = []
        elif namespace == _OFFICE and name in {"text", "spreadsheet", "presentation", "drawing", "chart"}:
            self.kinds.add(name)
        elif namespace in {_DUBLIN, _META}:
            self._property = []
        elif namespace == _SVG and name in _ALTERNATIVES:
            if "chart" in self.kinds:
                self._skipped = 1  # there it names cells
            else:
                self._in_text += 1
        elif namespace == _MATH and name in _MATH_TOKENS:
            self._in_text += 1

    def _end_text(self, name: str) -> None:
        if name in {"p", "h"}:
            self._end_paragraph()
        elif name == "number":
            self._in_text -= 1
            self._glyph(" ")
        elif name == "note-body":
            self._note(self._closed().strip())

    def _end_table(self, name: str) -> None:
        if name in _CELLS:
            frame = self._frames.pop()
            cell = "".join(frame.parts).strip("\n")
            self._frames[-1].cells.append((cell, frame.tabled))
        elif name == "table-row":
            self._end_row()
        elif name == "table":
            self._frames[-1].parts.append("\n")
        elif name in _ALTERNATIVES:
            self._end_line("\n")

    def _end_shape(self) -> None:
        """A shape stands behind the paragraph that holds it."""
        found = self._closed().strip("\n")
        frame = self._frames[-1]
        if found and frame.paragraphs:
            frame.boxes.append(found)
        elif found:
            frame.parts.append(f"{found}\n")

    def _end_other(self, namespace: str, name: str) -> None:
        if namespace == _OFFICE and name == "annotation":
            said, author = self._closed().strip(), "".join(self._author).strip()
            self._in_annotation -= 1
            self._note(f"{author}: {said}" if said and author else said)
        elif namespace in {_DUBLIN, _META}:
            value, self._property = "".join(self._property or []), None
            if self._in_annotation and name == "creator":
                self._author = [value]
            elif not self._in_annotation:
                self.properties.setdefault(name, value)
        elif namespace == _SVG and name in _ALTERNATIVES:
            self._end_line("\n")
        elif namespace == _MATH and name in _MATH_TOKENS:
            self._end_line(" ")

    def _start_paragraph(self, style: str) -> None:
        frame = self._frames[-1]
        before, behind = self._breaks.get(style, (False, False))
        if before:
            self._end_page()
        self._break_after.append(behind)
        frame.paragraphs += 1
        frame.blank = True

    def _end_paragraph(self) -> None:
        frame = self._frames[-1]
        frame.paragraphs -= 1
        frame.parts.append("\n")
        if frame.paragraphs == 0:
            frame.parts.extend(f"{box}\n" for box in frame.boxes if box)
            frame.boxes.clear()
        if self._break_after.pop():
            self._end_page()

    def _end_row(self) -> None:
        """A cell's lines become one where others stand beside it, unless they are rows themselves."""
        frame = self._frames[-1]
        alone = len(frame.cells) == 1
        cells = [text if whole or alone else _WHITE.sub(" ", text).strip(" ") for text, whole in frame.cells]
        row = "\t".join(cells).rstrip("\t")
        frame.cells.clear()
        ended, frame.page_ended = frame.page_ended, False
        if ended and len(self._frames) == 1:
            self._end_page()
        frame.parts.append(f"{row}\n")

    def _glyph(self, text: str) -> None:
        """White space, or a text, that stands as it is."""
        if text and (self._in_text or self._frames[-1].paragraphs or self._frames[-1].parts):
            self._write(text)
            self._frames[-1].blank = False

    def _end_line(self, behind: str) -> None:
        """End an element whose characters are text by themselves."""
        self._in_text -= 1
        self._frames[-1].parts.append(behind)
        self._frames[-1].blank = True

    def _write(self, text: str) -> None:
        self._frames[-1].parts.append(self._budget.spend(text))

    def _closed(self) -> str:
        """The text of the innermost frame, which ends."""
        frame = self._frames.pop()
        return "".join(frame.parts) + "".join(f"\n{box}" for box in frame.boxes)

    def _note(self, said: str) -> None:
        if said:
            self._notes.append(said)

    def _end_page(self) -> None:
        """End the page here; inside of a row before the row, and inside of a box or a note not at all."""
        if len(self._frames) > 1:
            self._frames[0].page_ended |= all(frame.cell for frame in self._frames[1:])
        elif worded(
            self._frames[0].parts
        ):  # a break that was set may be written again as the one that was rendered
            self._end_of_page_notes()
            self._budget.spend_page()
            self._frames[0].parts.append("\f")

    def _end_of_page_notes(self) -> None:
        self._frames[0].parts.extend(f"\n{note}\n" for note in self._notes)
        self._notes.clear()

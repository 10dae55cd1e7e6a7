"""DrawingML, walked as a stream: slides, the drawings of sheets, the texts of diagrams, and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mnemo_assets.text.number_formats import shown
from mnemo_assets.text.ooxml import present
from mnemo_assets.text.rows import row

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.text.pages import Budget
    from mnemo_assets.text.xml_parts import Parts

MAIN: Final = frozenset(
    {
        "http://schemas.openxmlformats.org/drawingml/2006/main",
        "http://purl.oclc.org/ooxml/drawingml/main",  # Strict
    }
)
COMPATIBILITY: Final = "http://schemas.openxmlformats.org/markup-compatibility/2006"
MATH: Final = frozenset(
    {
        "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "http://purl.oclc.org/ooxml/officeDocument/math",
    }
)
_EXTENDED_CHART: Final = "http://schemas.microsoft.com/office/drawing/2014/chartex"
#: What ends with a shape, and so with its text; `pt` is a point of a diagram.
_SHAPES: Final = frozenset({"sp", "pic", "graphicFrame", "cxnSp", "pt", "contentPart"})
_PICTURES: Final = frozenset({"pic", "contentPart", "oleObj"})
_TITLES: Final = frozenset({"title", "ctrTitle"})
_WORDS: Final = frozenset({"strCache", "strLit", "multiLvlStrCache", "dlblRangeCache", "strDim"})
_NUMBERS: Final = frozenset({"numCache", "numLit"})
_CACHES: Final = frozenset({"strCache", "multiLvlStrCache", "dlblRangeCache", "strDim", "numCache"})
#: What a part may refer to, and what a chart may; nothing refers to a figure from inside of one.
_FIGURES: Final = frozenset({"chart", "chartEx", "diagramData"})
_IN_CHART: Final = frozenset({"chartUserShapes"})


def alternative_text(attributes: dict[str, str]) -> list[str]:
    """The texts that stand in for a picture, from the attributes of its properties."""
    said = (attributes.get(key, "").strip() for key in ("title", "descr"))
    return list(dict.fromkeys(text for text in said if text))


class Shapes:
    """Handles the elements of a part that holds shapes.

    Args:
        budget: counts the text.
        related: the text of the chart or diagram that a relation names.
        placeholders: whether what stands in the places of a layout is text: on a master it is a prompt.
        is_converted: whether a program has just written the part: then its fields of days and times say when
            that was, and not what stood there.

    Attributes:
        pictured: whether there is a picture, or another thing that is not text.
    """

    def __init__(
        self,
        budget: Budget,
        related: Callable[[str], str],
        *,
        placeholders: bool = True,
        is_converted: bool = False,
    ) -> None:
        self.pictured = False
        self._is_converted = is_converted
        self._placeholders = placeholders
        self._is_dropped = False
        self._budget = budget
        self._related = related
        self._titles: list[str] = []
        self._blocks: list[str] = []
        self._frames: list[list[str]] = [[]]  # of the shape, and of the table's cells that are open in it
        self._rows: list[list[str]] = []  # their cells so far
        self._alternatives: list[str] = []
        self._is_title = False
        self._in_text = 0
        self._skipped = 0  # elements open inside of one that is left out
        self._seen = 0  # elements
        self._choices: list[int] = []

    def text(self, between: str = "\n\n") -> str:
        """The shapes' texts, titles first."""
        self._end_shape()
        return between.join((*self._titles, *self._blocks))

    def start(self, namespace: str, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        self._seen += 1
        if self._skipped:
            self._skipped += 1
        elif namespace in MAIN:
            self._start_main(name, attributes)
        elif namespace == COMPATIBILITY:
            self._start_alternative(name)
        elif namespace in MATH:
            self._in_text += name == "t"
        elif name == "cNvPr":
            self._alternatives += map(self._budget.spend, alternative_text(attributes))
        elif name == "ph":
            self._is_title = attributes.get("type") in _TITLES
            self._is_dropped = not self._placeholders
        elif "r:dm" in attributes or (name == "chart" and "r:id" in attributes):
            self.pictured = True
            self._frames[-1].append(self._related(attributes.get("r:dm") or attributes["r:id"]))
        else:
            self.pictured = self.pictured or name in _PICTURES

    def end(self, namespace: str, name: str) -> None:
        """An element ends."""
        if self._skipped:
            self._skipped -= 1
        elif namespace in MAIN:
            self._end_main(name)
        elif namespace == COMPATIBILITY:
            if name == "AlternateContent" and self._choices:
                self._choices.pop()
        elif namespace in MATH:
            self._in_text -= name == "t"
        elif name in _SHAPES:
            self._end_shape()

    def characters(self, text: str) -> None:
        """Characters: text where they stand in a text element."""
        if self._in_text > 0 and not self._skipped:
            self._frames[-1].append(self._budget.spend(text))

    def _start_alternative(self, name: str) -> None:
        """Of alternatives the first that holds anything is taken: the others say that it cannot be shown."""
        if name == "AlternateContent":
            self._choices.append(0)
        elif name in {"Choice", "Fallback"} and self._choices:
            before = self._choices[-1]
            if before and self._seen > before + 1:
                self._skipped = 1
            else:
                self._choices[-1] = self._seen

    def _start_main(self, name: str, attributes: dict[str, str]) -> None:
        if name == "t":
            self._in_text += 1
        elif name == "br":
            self._frames[-1].append("\n")
        elif name == "fld" and attributes.get("type") == "slidenum":
            self._skipped = 1  # the number of the slide is that of the page
        elif name == "fld" and self._is_converted and attributes.get("type", "").startswith("datetime"):
            self._skipped = 1
        elif name == "tr":
            self._rows.append([])
        elif name == "tc":
            self._frames.append([])

    def _end_main(self, name: str) -> None:
        if name == "t":
            self._in_text -= 1
        elif name == "p":
            self._frames[-1].append("\n")
        elif name == "tc" and len(self._frames) > 1:
            cell = "".join(self._frames.pop())
            if self._rows:
                self._rows[-1].append(cell)
        elif name == "tr" and self._rows:
            self._frames[-1].append(row(self._rows.pop()) + "\n")

    def _end_shape(self) -> None:
        text = "".join(self._frames[0]).strip("\n")
        lines = [text] if text.strip() else []
        lines += [other for other in dict.fromkeys(self._alternatives) if other != text.strip()]
        if lines and not self._is_dropped:
            (self._titles if self._is_title else self._blocks).append("\n".join(lines))
        self._frames[0].clear()
        self._alternatives.clear()
        self._is_title = self._is_dropped = False


class Chart:
    """Handles the elements of a chart: its titles and the labels of series and categories, each once.

    Args:
        budget: counts the text.
        related: the text of the drawing that a relation names.
        cached: whether what is taken from cells is text: in a workbook it stands in the cells.
    """

    def __init__(self, budget: Budget, related: Callable[[str], str], *, cached: bool) -> None:
        self._budget = budget
        self._related = related
        self._cached = cached
        self._lines: dict[str, None] = {}
        self._pieces: list[str] = []
        self._collecting = False
        self._open: list[str] = []  # what decides whether a value is a label
        self._format = ""

    def text(self) -> str:
        """A line for each title and label."""
        return "\n".join(self._lines) + "\n"

    def start(self, namespace: str, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if namespace in MAIN:
            self._collecting = name == "t" and "fld" not in self._open
        elif name == "userShapes" and "r:id" in attributes:
            self._keep(self._related(attributes["r:id"]))
        elif name in {"v", "formatCode"} or (name == "pt" and namespace == _EXTENDED_CHART):
            self._pieces.clear()
            self._collecting = True
        if name in {"fld", "cat"} or name in _WORDS or name in _NUMBERS:
            self._open.append(name)

    def end(self, namespace: str, name: str) -> None:
        """An element ends."""
        if self._open and self._open[-1] == name:
            self._open.pop()
        if namespace in MAIN:
            if name == "p":
                self._keep("".join(self._pieces))
                self._pieces.clear()
        elif name == "formatCode":
            self._format = "".join(self._pieces)
            self._pieces.clear()
        elif name == "v" or (name == "pt" and namespace == _EXTENDED_CHART):
            self._value("".join(self._pieces))
            self._pieces.clear()
        self._collecting = False

    def characters(self, text: str) -> None:
        """Characters between elements."""
        if self._collecting:
            self._pieces.append(self._budget.spend(text))

    def _value(self, text: str) -> None:
        kind = self._open[-1] if self._open else ""
        if kind in _CACHES and not self._cached:
            return
        if kind not in _NUMBERS:
            self._keep(text)
        elif "cat" in self._open:
            self._keep(shown(text, self._format))

    def _keep(self, text: str) -> None:
        line = text.strip()
        if line and line not in self._lines:
            self._lines[line] = None


class Figures:
    """Reads the charts and diagrams that parts refer to, each once.

    Args:
        parts: of the container.
        budget: counts the text.
        cached: see `Chart`.
    """

    def __init__(self, parts: Parts, budget: Budget, *, cached: bool = True) -> None:
        self._parts = parts
        self._budget = budget
        self._cached = cached
        self._read: set[str] = set()

    def of(self, source: str, kinds: frozenset[str] = _FIGURES) -> Callable[[str], str]:
        """What returns the text of the chart, or diagram, that a relation of a part names."""
        known = {one.identifier: one for one in present(self._parts, source) if one.kind in kinds}

        def related(identifier: str) -> str:
            found = known.get(identifier)
            if found is None or found.target.lower() in self._read:
                return ""
            self._read.add(found.target.lower())
            if found.kind in {"chart", "chartEx"}:
                return self._chart(found.target)
            shapes = Shapes(self._budget, lambda _: "")
            self._parts.parse(found.target, shapes)
            return shapes.text("\n") + "\n"

        return related

    def _chart(self, target: str) -> str:
        chart = Chart(self._budget, self.of(target, _IN_CHART), cached=self._cached)
        self._parts.parse(target, chart)
        return chart.text()

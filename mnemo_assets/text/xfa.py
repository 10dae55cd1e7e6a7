"""Forms that are XML inside of a PDF (XFA), and rich text that is.

The pages of a dynamic form only ask to wait, or for another program: the form is drawn from a template and
the values that were filled in. Taken are the words of the template that show, then the values by name.
"""

from __future__ import annotations

from typing import Final, Protocol
from xml.parsers import expat

#: Elements of a template that show, and those inside of them that hold their words.
_SHOWN: Final = frozenset({"caption", "draw"})
_WORDS: Final = frozenset({"text", "exData"})
#: Elements behind which a line ends.
_LINES: Final = frozenset({"p", "br", "li", "div", "body", *_WORDS})
_XHTML: Final = "http://www.w3.org/1999/xhtml"
_SEPARATOR: Final = "\n"
#: Elements in one another: a form has some twenty.
_DEEP: Final = 1_000


def form(template: bytes, datasets: bytes) -> list[str]:
    """The words of a form, in lines; damage ends either half where it stands, as a document type does."""
    words, values = _Words(_SHOWN), _Values()
    _parse(template, words)
    _parse(datasets, values)
    return words.found() + values.lines


def rich_text(xml: str) -> str:
    """The words of a rich text, a line for each paragraph."""
    words = _Words(None)
    _parse(xml.encode(errors="replace"), words)
    return "\n".join(words.found())


class _Handler(Protocol):
    def start(self, namespace: str, name: str) -> None: ...

    def end(self, namespace: str, name: str) -> None: ...

    def characters(self, text: str) -> None: ...


class _Words:
    """Collects words: all, or those inside of some elements alone."""

    def __init__(self, wanted: frozenset[str] | None) -> None:
        self._wanted = wanted
        self._open: list[str] = []
        self._lines: list[list[str]] = [[]]

    def start(self, _namespace: str, name: str) -> None:
        self._open.append(name)

    def end(self, _namespace: str, name: str) -> None:
        self._open.pop()
        if name in _LINES:
            self._lines.append([])

    def characters(self, text: str) -> None:
        inside = self._wanted is None or not (
            self._wanted.isdisjoint(self._open) or _WORDS.isdisjoint(self._open)
        )
        if inside:
            self._lines[-1].append(text)

    def found(self) -> list[str]:
        """The lines that have words."""
        lines = [" ".join("".join(pieces).split()) for pieces in self._lines]
        return [line for line in lines if line]


class _Values:
    """Collects what was filled in: `name: value` for each element that holds no others."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0
        self._data: int | None = None  # the depth of the element that holds the values
        self._field = ""
        self._words: list[str] = []

    def start(self, namespace: str, name: str) -> None:
        self._depth += 1
        self._words.clear()
        if self._data is None:
            self._data = self._depth if name == "data" else None
        elif namespace != _XHTML:
            self._field = name

    def end(self, _namespace: str, _name: str) -> None:
        value = " ".join("".join(self._words).split())
        self._words.clear()
        if self._data is not None and value:
            self.lines.append(f"{self._field}: {value}")
        if self._depth == self._data:
            self._data = None
        self._depth -= 1

    def characters(self, text: str) -> None:
        self._words.append(text)


class _RefusedError(Exception):
    """There is a document type, or it is too deep."""


def _parse(xml: bytes, handler: _Handler) -> None:
    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
    parser.buffer_text = True
    depth = 0

    def start(tag: str, _attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEP:
            raise _RefusedError
        namespace, _, name = tag.rpartition(_SEPARATOR)
        handler.start(namespace, name)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        namespace, _, name = tag.rpartition(_SEPARATOR)
        handler.end(namespace, name)

    def refuse(*_: object) -> None:
        raise _RefusedError

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handler.characters
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(xml, True)  # noqa: FBT003 - the library takes it by place alone
    except (expat.ExpatError, _RefusedError):
        return

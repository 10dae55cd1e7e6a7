"""Presentations: pptx, transitional and strict.

A page for each slide, hidden ones among them, in the order in which they are shown: its title, its shapes,
what its layout and its master add to every slide (read once, with the first that shows it), then the
speaker's notes and the comments. The places of masters and layouts are not read: they hold prompts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import ooxml
from mnemo_assets.text.drawingml import Figures, Shapes
from mnemo_assets.text.pages import Budget, Pages
from mnemo_assets.text.xml_parts import elements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.text.xml_parts import Parts


def read(file: BinaryIO, *, is_converted: bool = False) -> Pages:
    """Read a presentation; `is_converted` is whether a program has just made it of another kind.

    Raises:
        ReadingError: CORRUPT, the container or its XML is damaged, or has a document type; ENCRYPTED, a
            part is locked; UNSUPPORTED, there is no presentation in it; TOO_LARGE, it unpacks to more than
            it may.
    """
    return ooxml.read(file, lambda parts: _Presentation(parts, is_converted=is_converted).pages())


class _Presentation:
    def __init__(self, parts: Parts, *, is_converted: bool) -> None:
        self._parts = parts
        self._is_converted = is_converted
        self._budget = Budget()
        self._figures = Figures(parts, self._budget)
        self._main = ooxml.main_part(parts, "pptx")
        self._related = ooxml.relations(parts, self._main)
        self._authors = dict(self._named())
        self._pictured = False
        self._read: set[str] = set()  # of layouts and masters

    def pages(self) -> Pages:
        """A page for each slide."""
        known = {one.identifier: one.target for one in self._related if one.kind == "slide"}
        targets: dict[str, None] = {}
        for tag, attributes, _ in elements(self._parts, self._main):
            target = known.get(attributes.get("r:id", ""), "") if tag == "sldId" else ""
            if target in self._parts:
                targets[target] = None
        if known and not targets:
            raise ReadingError(ErrorClass.CORRUPT, "no slides")
        pages = [self._slide(target) for target in targets]
        return Pages(pages, has_content=self._pictured)

    def _named(self) -> Iterator[tuple[str, str]]:
        """The authors of comments, by identifier."""
        for relation in self._related:
            if relation.kind in {"commentAuthors", "authors"} and relation.target in self._parts:
                for tag, attributes, _ in elements(self._parts, relation.target):
                    if tag in {"cmAuthor", "author"}:
                        yield attributes.get("id", ""), attributes.get("name", "")

    def _slide(self, target: str) -> str:
        self._budget.spend_page()
        beside = ooxml.present(self._parts, target)
        texts = [self._shapes(target), *self._around(beside)]
        texts += [self._shapes(one.target) for one in beside if one.kind == "notesSlide"]
        texts += [line for one in beside if one.kind == "comments" for line in self._comments(one.target)]
        return "\n\n".join(text for text in texts if text.strip())

    def _around(self, beside: list[ooxml.Relation]) -> Iterator[str]:
        """The texts of a slide's layout, and of that one's master, that nobody has seen yet."""
        for kind in ("slideLayout", "slideMaster"):
            beside = [one for one in beside if one.kind == kind and one.target.lower() not in self._read]
            for one in beside:
                self._read.add(one.target.lower())
                yield self._shapes(one.target, placeholders=False)
            beside = [other for one in beside for other in ooxml.present(self._parts, one.target)]

    def _shapes(self, target: str, *, placeholders: bool = True) -> str:
        shapes = Shapes(
            self._budget,
            self._figures.of(target),
            placeholders=placeholders,
            is_converted=self._is_converted,
        )
        self._parts.parse(target, shapes)
        self._pictured = self._pictured or (placeholders and shapes.pictured)  # not for a background
        return shapes.text()

    def _comments(self, target: str) -> Iterator[str]:
        """Comments of both kinds, each with its author; answers stand after what they answer."""
        words: list[str] = []
        bodies: list[str] = []
        answers: list[str] = []
        for tag, attributes, text in elements(self._parts, target):
            if tag == "t":
                words.append(self._budget.spend(text))
            elif tag == "p":
                words.append("\n")
            elif tag == "txBody":
                bodies.append("".join(words))
                words.clear()
            elif tag == "text":
                bodies.append(self._budget.spend(text))
            elif tag == "reply":
                answers.append(self._said(attributes, bodies))
            elif tag == "cm":
                yield self._said(attributes, bodies)
                yield from answers
                answers.clear()

    def _said(self, attributes: dict[str, str], bodies: list[str]) -> str:
        author = self._authors.get(attributes.get("authorId", ""), "")
        text = bodies.pop().strip() if bodies else ""
        return f"{author}: {text}" if author and text else text

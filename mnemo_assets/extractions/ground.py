"""Pure: the gate between what a model says and the graph. What does not stand in the text is not taken.

A name becomes an entity at each place where it stands; its words there are its name, however the model wrote
it. A relation is taken if both its ends stand in the text, and a sentence of it says so.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_assets.extractions import evidence, filters, folding
from mnemo_assets.extractions.candidates import apart
from mnemo_assets.extractions.dropped import bounded, dropped
from mnemo_assets.extractions.extractor import Entity, Extraction, Relation
from mnemo_assets.extractions.finding import Finder
from mnemo_assets.extractions.people import TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mnemo_assets.extractions.dropped import Dropped
    from mnemo_assets.extractions.finding import Span
    from mnemo_assets.extractions.parse import Named, Parsed, Stated

_TITLE: Final = re.compile(TITLES)


@dataclass(frozen=True, slots=True)
class Grounded:
    """What stands in the text, and what was dropped: by the parser, and here."""

    extraction: Extraction
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the name with a number stands."""

    number: int
    start: int
    end: int
    is_near: bool

    @property
    def rank(self) -> tuple[bool, int, int, int]:
        return self.is_near, self.start - self.end, self.start, self.number


def ground(text: str, parsed: Parsed) -> Grounded:
    """Find each name and each relation of a reply in the text that it is about.

    Entities do not overlap: of two, the one that stands there as it was given is taken before one that only
    nearly does, then the longer one. A shorter name is kept where it stands alone.
    """
    finder = Finder(text)
    bad: list[Dropped] = []
    found: list[_Place] = []
    for number, named in enumerate(parsed.entities):
        why, places = _places(finder, number, named)
        found += places
        if why:
            bad.append(dropped("entity", why, {"type": named.type, "name": named.name}))
    kept = apart(sorted(found, key=lambda place: place.rank))
    entities = tuple(
        Entity(parsed.entities[place.number].type, text[place.start : place.end], place.start, place.end)
        for place in kept
    )
    ends = _Ends(parsed.entities, kept, found)
    bad += (
        dropped("entity", "overlapped", {"type": parsed.entities[number].type, "name": name})
        for number, name in ends.lost()
    )
    relations: dict[Relation, None] = {}
    for stated in parsed.relations:
        why, relation = _related(finder, entities, ends, stated)
        if relation is not None:
            relations[relation] = None
        else:
            said = {"subject": stated.subject, "predicate": stated.predicate, "object": stated.object}
            bad.append(dropped("relation", why, {**said, "quote": stated.quote}))
    ordered = sorted(relations, key=lambda r: (r.start, r.subject, r.object, r.predicate, r.end))
    return Grounded(Extraction(entities, tuple(ordered)), bounded((*parsed.dropped, *bad)))


def _places(finder: Finder, number: int, named: Named) -> tuple[str, list[_Place]]:
    """Where a name stands; or why it is none that is taken."""
    near = False
    spans: list[Span]
    if named.type == "Date":
        if not any(map(str.isnumeric, named.name)):
            return "vague", []
        spans = finder.date(named.name)
    else:
        name = _own_words(named)
        if not name or filters.is_common(name, named.type):
            return "common", []
        spans, near = finder.name(name)
    return "" if spans else "ungrounded", [_Place(number, start, end, near) for start, end in spans]


def _own_words(named: Named) -> str:
    """A name without article, marks and possessive s around it, and a person's without title."""
    if named.type == "Date":
        return named.name
    return _untitled(_plain(named.name)) if named.type == "Person" else _plain(named.name)


def _plain(name: str) -> str:
    span = filters.trim(name, 0, len(name))
    return name[slice(*span)] if span else ""


def _untitled(name: str) -> str:
    title = _TITLE.match(name)
    return name[title.end() :] if title and title.end() < len(name) else name


class _Ends:
    """Which mentions the name in a relation means."""

    def __init__(self, names: Sequence[Named], kept: Sequence[_Place], found: Sequence[_Place]) -> None:
        self._names = names
        self._kept = kept
        self._found = found
        self._mentions: list[list[int]] = [[] for _ in names]
        for mention, place in enumerate(kept):
            self._mentions[place.number].append(mention)
        self._numbers: dict[str, list[int]] = {}
        self._keys = [folding.key(_own_words(named)) for named in names]
        for number, key in enumerate(self._keys):
            self._numbers.setdefault(key, []).append(number)
        for key, named in zip(self._keys, names, strict=True):
            self._numbers.setdefault(folding.key(named.name), self._numbers[key])
        self._lost = {place.number for place in found if not self._mentions[place.number]}
        self._within = self._holders()

    def lost(self) -> Iterator[tuple[int, str]]:
        """The names that stand in the text, and nowhere on their own."""
        for number in sorted(self._lost):
            if not any(self._mentions[each] for each in self._numbers[self._keys[number]]):
                yield number, self._names[number].name

    def mentions(self, name: str) -> list[int] | None:
        """The mentions that a name means, in order; None if it is not listed."""
        numbers = self._numbers.get(folding.key(name)) or self._numbers.get(
            folding.key(_untitled(_plain(name)))
        )
        if not numbers:
            return None
        found = sorted(mention for number in numbers for mention in self._mentions[number])
        return found or self._within.get(numbers[0], [])

    def _holders(self) -> dict[int, list[int]]:
        """The mentions of the longer name of the same type of which a name is everywhere a part."""
        holders: dict[int, set[int]] = {number: set() for number in self._lost}
        starts = [place.start for place in self._kept]
        for place in self._found:
            if place.number in holders:
                holders[place.number].update(self._overlapping(starts, place))
        return {
            number: self._mentions[next(iter(longer))]
            for number, longer in holders.items()
            if len(longer) == 1 and self._names[next(iter(longer))].type == self._names[number].type
        }

    def _overlapping(self, starts: list[int], place: _Place) -> Iterator[int]:
        at = max(0, bisect_right(starts, place.start) - 1)
        while at < len(starts) and starts[at] < place.end:
            if self._kept[at].end > place.start:
                yield self._kept[at].number
            at += 1


def _related(
    finder: Finder, entities: Sequence[Entity], ends: _Ends, stated: Stated
) -> tuple[str, Relation | None]:
    """The relation with the words that prove it; or why it is not taken."""
    subjects, objects = ends.mentions(stated.subject), ends.mentions(stated.object)
    if subjects is None or objects is None:
        return "unknown_end", None
    if not subjects or not objects:
        return "ungrounded_end", None
    if not set(subjects).isdisjoint(objects):
        return "self", None
    quotes = finder.quotation(stated.quote)
    proof = evidence.cited(finder.text, quotes, entities, subjects, objects)
    proof = proof or evidence.found(finder.text, entities, subjects, objects)
    if proof is None:
        return "no_quote", None
    return "", Relation(proof.subject, stated.predicate, proof.object, proof.start, proof.end)

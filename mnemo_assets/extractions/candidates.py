"""Pure: what the patterns and the model propose, and which proposals become entities."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_assets.extractions.extractor import Entity

if TYPE_CHECKING:
    from collections.abc import Iterable

#: How sure a proposal is. Of two that overlap the surer stands, then the longer, then the earlier.
STATED: Final = 9  # its form says so: a date, a mail header
FORMAL: Final = 8  # a title, a salutation, a legal form
NAMED: Final = 7  # an institution's or an address's form
LISTED: Final = 6  # a short list knows it
GUESSED: Final = 4  # the model says so
FRAMED: Final = 3  # only a sentence asks for it: "X works for Y"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposal: text[start:end] is a name of the type."""

    type: str
    start: int
    end: int
    sure: int
    role: str = "mentioned"


def choose(text: str, candidates: Iterable[Candidate]) -> tuple[Entity, ...]:
    """The entities among candidates: no two overlap; sorted by where they stand.

    Between what a list knows and what the model guesses, the longer stands: "Berlin Symphony Orchestra".
    """
    starts: list[int] = []
    chosen: dict[int, Candidate] = {}
    for candidate in sorted(set(candidates), key=_rank):
        place = bisect_left(starts, candidate.start)
        before = chosen[starts[place - 1]] if place else None
        after = chosen[starts[place]] if place < len(starts) else None
        if (before is None or before.end <= candidate.start) and (
            after is None or candidate.end <= after.start
        ):
            starts.insert(place, candidate.start)
            chosen[candidate.start] = candidate
    return tuple(
        Entity(found.type, text[found.start : found.end], found.start, found.end, found.role)
        for found in (chosen[start] for start in starts)
    )


def _rank(candidate: Candidate) -> tuple[int, int, int, int, str, bool, str]:
    length = candidate.end - candidate.start
    by_form = candidate.sure if candidate.sure >= NAMED else min(candidate.sure, GUESSED)
    a_role_is_told = candidate.role == "mentioned"
    return (
        -by_form,
        -length,
        -candidate.sure,
        candidate.start,
        candidate.type,
        a_role_is_told,
        candidate.role,
    )

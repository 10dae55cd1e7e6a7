"""Pure: what the patterns and the model propose, and which proposals become entities."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

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
    return tuple(
        Entity(found.type, text[found.start : found.end], found.start, found.end, found.role)
        for found in apart(sorted(set(candidates), key=_rank))
    )


class Span(Protocol):
    """From where to where something stands."""

    @property
    def start(self) -> int:
        """Its first code point."""

    @property
    def end(self) -> int:
        """The one behind its last."""


Spanning = TypeVar("Spanning", bound=Span)


def apart(preferred: Iterable[Spanning]) -> list[Spanning]:
    """Those that overlap none that comes before them in the order of preference, in the order of the text."""
    starts: list[int] = []
    chosen: list[Spanning] = []
    for one in preferred:
        place = bisect_left(starts, one.start)
        if (place == 0 or chosen[place - 1].end <= one.start) and (
            place == len(starts) or one.end <= starts[place]
        ):
            starts.insert(place, one.start)
            chosen.insert(place, one)
    return chosen


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

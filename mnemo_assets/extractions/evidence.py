"""Pure: the sentence that says that two names have to do with each other."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_assets.extractions import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemo_assets.extractions.extractor import Entity
    from mnemo_assets.extractions.finding import Span

#: Pairs of mentions that are tried, the nearest first.
_MOST_PAIRS: Final = 5
_STOPS: Final = ".!?…。！？\"'”’»)] \t\n\f"


@dataclass(frozen=True, slots=True)
class Proof:
    """The mentions of the subject and the object, by their numbers, and the span of what says it."""

    subject: int
    object: int
    start: int
    end: int


def cited(
    text: str, quotes: Sequence[Span], mentions: Sequence[Entity], subjects: list[int], objects: list[int]
) -> Proof | None:
    """The sentence of a quotation, if one of its places holds a mention of either.

    Args:
        text: the whole one.
        quotes: where the quotation stands.
        mentions: in the order of the text.
        subjects: numbers of those that are the subject, ascending; one at least.
        objects: of those that are the object.
    """
    proofs = []
    for quote in quotes:
        start, end = sentence(text, *quote) or quote
        inside = [
            [number for number in numbers if start <= mentions[number].start and mentions[number].end <= end]
            for numbers in (subjects, objects)
        ]
        if any(inside):
            pair = _nearest(mentions, inside[0] or subjects, inside[1] or objects)[0]
            proofs.append((not all(inside), start, Proof(*pair, start, end)))
    return min(proofs, key=lambda each: each[:2])[2] if proofs else None


def found(text: str, mentions: Sequence[Entity], subjects: list[int], objects: list[int]) -> Proof | None:
    """The smallest sentence that holds a mention of both; arguments as of `cited`."""
    proofs = []
    for subject, object_ in _nearest(mentions, subjects, objects):
        first, last = sorted((subject, object_))
        span = sentence(text, mentions[first].start, mentions[last].end)
        if span is not None:
            proofs.append(Proof(subject, object_, *span))
    return min(proofs, key=lambda proof: (proof.end - proof.start, proof.start), default=None)


def sentence(text: str, start: int, end: int) -> Span | None:
    """The sentence around a span that may begin or end with it; None if it holds the end of one."""
    if end - start > 2 * sentences.REACH:
        return None
    # a sentence that ends right before the span is only seen with the first letter of the next one
    inner = start
    while inner < end and not text[inner].isalnum():
        inner += 1
    inner = min(inner + 1, end)
    last = end
    while last > inner and text[last - 1] in _STOPS:
        last -= 1
    around = sentences.around(text, inner, last)
    return None if around is None or around[0] > start else (around[0], max(around[1], end))


def _nearest(mentions: Sequence[Entity], subjects: list[int], objects: list[int]) -> list[tuple[int, int]]:
    """The pairs of mentions that stand nearest to each other."""
    pairs = []
    for subject in subjects:
        place = bisect_left(objects, subject)
        pairs += [(subject, objects[near]) for near in (place - 1, place) if 0 <= near < len(objects)]
    return sorted(pairs, key=lambda pair: (_gap(mentions, *pair), pair))[:_MOST_PAIRS]


def _gap(mentions: Sequence[Entity], one: int, other: int) -> int:
    first, last = sorted((one, other))
    return mentions[last].start - mentions[first].end

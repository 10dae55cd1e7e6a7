"""Pure: where a name or a quotation that a model gives stands in the text, if it does.

Of a name, the first of these that finds it says all the places where it stands:

1. as it is, but for the shapes of quotes, dashes and blanks, and for a line's end within it;
2. without case, with any white space, and with words that a line's end divides;
3. without accents, if all that is found is the same word;
4. with a few other letters: one for every eight of the name, and two at most; the first is the same, there is
   no digit, and only one word is that near.

It stands there as whole words. In scripts that write no blanks between words, it stands anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from mnemo_assets import dates
from mnemo_assets.extractions import folding
from mnemo_assets.extractions.spelling import DIVIDED, on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

Span: TypeAlias = tuple[int, int]

#: Places of one name that are told.
MOST: Final = 100
#: A name that is written small is taken for one written large only if it is longer: "us" is not "US".
_SHORT: Final = 4
#: Of the name, for each letter that may differ; and how many may at most.
_LETTERS_PER_EDIT: Final = 8
_MOST_EDITS: Final = 2
#: Places of a piece of a name that are looked at for one that is nearly the name.
_MOST_LOOKS: Final = 60
#: Places of a quotation.
_MOST_QUOTES: Final = 5
_SHORTEST_QUOTE: Final = 8

#: Scripts that write no blanks between words, or hang endings on names.
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
_UNEVEN: Final = re.compile(rf"{DIVIDED.pattern}|\S[ \t\n]{{2,}}\S")
_JOINERS: Final = frozenset("\u200c\u200d\ufe0e\ufe0f")
_DIGIT: Final = re.compile(r"\d")
#: Around a number: what makes it a part of a longer one.
_NUMBER_BEFORE: Final = re.compile(r"(?:\d[.,:/]|(?<!\d)\d{1,2}[-–])\Z")
_NUMBER_AFTER: Final = re.compile(r"[.,:/]\d|[-–]\d{1,2}(?!\d)")
_AROUND_QUOTE: Final = " \t\"'“”„‘’«»…*"
_ELLIPSIS: Final = re.compile(r"\.{3}|…|\[…\]")


class Finder:
    """A text, in the forms in which it is searched: each is made when it is needed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._in_place = folding.in_place(text)

    @cached_property
    def _folded(self) -> folding.Folded:
        return folding.fold(self.text)

    @cached_property
    def _bare(self) -> folding.Folded:
        return folding.bare(self._folded)

    @cached_property
    def _is_uneven(self) -> bool:
        """Whether names may go on in the next line in another way than after a single break."""
        return _UNEVEN.search(self.text) is not None

    @cached_property
    def _dates(self) -> list[dates.FoundDate]:
        return list(dates.find(self.text))

    def name(self, name: str) -> tuple[list[Span], bool]:
        """Where a name stands, in order; and whether only nearly."""
        found = self._exactly(name) or self._without_case(name) or self._without_accents(name)
        return (found, False) if found else (self._nearly(name), True)

    def date(self, name: str) -> list[Span]:
        """Where a date stands, however it is written; not within a longer one."""
        day = dates.parse(name)
        found = {(each.start, each.end) for each in self._dates if day and each.value == day.value}
        whole = [(each.start, each.end) for each in self._dates]
        for start, end in self._exactly(name):
            if not any(first <= start and end <= last for first, last in whole):
                found.add((start, end))
        return sorted(found)[:MOST]

    def quotation(self, quote: str) -> list[Span]:
        """Where a quotation stands, in order; of one with an omission, its longest part."""
        quote = max(_ELLIPSIS.split(quote), key=len).strip(_AROUND_QUOTE)
        if len(quote) < _SHORTEST_QUOTE:
            return []
        shaped = folding.in_place(quote)
        found = [(at, at + len(shaped)) for at in _all(self._in_place, shaped, _MOST_QUOTES)]
        if not found and (folded := folding.fold(quote).text.strip()):
            at = _all(self._folded.text, folded, _MOST_QUOTES)
            found = [self._folded.span(start, start + len(folded)) for start in at]
        return found

    def _exactly(self, name: str) -> list[Span]:
        shaped = folding.in_place(name)
        found = list(_whole(self._in_place, shaped))
        if found and self._is_uneven:
            as_well = [
                span
                for span in self._without_case(name)
                if folding.in_place(on_one_line(self.text[slice(*span)])) == shaped
            ]
            found = sorted({*found, *as_well})[:MOST]
        return found

    def _without_case(self, name: str) -> list[Span]:
        folded = folding.key(name)
        spans = (self._folded.span(*span) for span in _whole(self._folded.text, folded))
        return [span for span in spans if self._may_be(span, name)]

    def _without_accents(self, name: str) -> list[Span]:
        if name.isascii() and self._folded.text.isascii():
            return []
        plain = folding.bare(folding.fold(name)).text.strip()
        spans = [self._bare.span(*span) for span in _whole(self._bare.text, plain)]
        spans = [span for span in spans if self._may_be(span, name)]
        words = {folding.fold(self.text[start:end]).text for start, end in spans}
        return spans if len(words) == 1 else []

    def _may_be(self, span: Span, name: str) -> bool:
        words = self.text[slice(*span)]
        return len(name) > _SHORT or not words.islower() or name.islower()

    def _nearly(self, name: str) -> list[Span]:
        folded = folding.key(name)
        edits = min(_MOST_EDITS, len(folded) // _LETTERS_PER_EDIT)
        if not edits or _DIGIT.search(folded):
            return []
        text = self._folded.text
        places: dict[str, list[Span]] = {}
        for start, end in sorted(_around_pieces(text, folded, edits)):
            places.setdefault(text[start:end], []).append((start, end))
        near: dict[int, list[str]] = {}
        for words in places:
            near.setdefault(distance(words, folded, edits), []).append(words)
        best = near[min(near)] if near and min(near) <= edits else []
        return [self._folded.span(*span) for span in places[best[0]][:MOST]] if len(best) == 1 else []


def _all(text: str, part: str, most: int) -> Iterator[int]:
    """Where a part of a text begins, each time."""
    at = text.find(part) if part else -1
    while at >= 0 and most:
        yield at
        most -= 1
        at = text.find(part, at + 1)


def _whole(text: str, name: str) -> Iterator[Span]:
    """Where a name stands as whole words. A name of marks stands nowhere."""
    told = 0
    for at in _all(text, name, len(text)):
        if _is_apart(text, at, at + len(name)):
            yield at, at + len(name)
            told += 1
            if told == MOST:
                return


def _is_apart(text: str, start: int, end: int) -> bool:
    """Whether no word, and no number, goes on beyond a span."""
    if start and _are_one(text[start - 1], text[start]):
        return False
    if end < len(text) and _are_one(text[end - 1], text[end]):
        return False
    if text[start].isdigit() and _NUMBER_BEFORE.search(text, max(0, start - 4), start):
        return False
    return not (text[end - 1].isdigit() and _NUMBER_AFTER.match(text, end))


def _are_one(before: str, after: str) -> bool:
    """Whether two characters that follow each other belong to one word."""
    if before.isascii() and after.isascii():  # nearly always
        return (before.isalnum() or before == "_") and (after.isalnum() or after == "_")
    if after in _JOINERS or before == "\u200d" or unicodedata.combining(after):
        return True
    if not (before.isalnum() or before == "_" or unicodedata.combining(before)):
        return False
    return (after.isalnum() or after == "_") and not (_UNSPACED.match(before) or _UNSPACED.match(after))


def _around_pieces(text: str, name: str, edits: int) -> set[Span]:
    """The words that may be a name but for some letters: of so many pieces and one more, one is the same."""
    found: set[Span] = set()
    size = len(name) // (edits + 1)
    for offset in range(0, size * (edits + 1), size):
        for at in _all(text, name[offset : offset + size], _MOST_LOOKS):
            for start in range(max(0, at - offset - edits), at - offset + edits + 1):
                if text[start : start + 1] == name[0] and not (start and _are_one(text[start - 1], name[0])):
                    found.update(_ends(text, start, len(name), edits))
    return found


def _ends(text: str, start: int, length: int, edits: int) -> Iterator[Span]:
    for end in range(start + length - edits, min(len(text), start + length + edits) + 1):
        part = text[start:end]
        is_name = "\n" not in part and not part[-1].isspace() and not _DIGIT.search(part)
        if is_name and _is_apart(text, start, end):
            yield start, end


def distance(one: str, other: str, most: int) -> int:
    """How many letters are to be changed, added or left out; one more than `most` if it is more."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, start=1):
        low, high = max(1, number - most), min(len(other), number + most)
        before, row = row, [most + 1] * (len(other) + 1)
        row[0] = number
        for place in range(low, high + 1):
            row[place] = min(
                before[place - 1] + (letter != other[place - 1]), before[place] + 1, row[place - 1] + 1
            )
        if min(row[max(0, low - 1) : high + 1]) > most:
            return most + 1
    return min(row[-1], most + 1)

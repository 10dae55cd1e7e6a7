"""Pure: a text as it is compared, where case, line breaks and the shapes of marks do not matter."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from mnemo_assets.extractions.spelling import DIVIDED, ONE_SHAPE

#: The same without the characters that are nothing: each character stays where it is.
_SHAPES: Final = {code: shape for code, shape in ONE_SHAPE.items() if shape is not None}
_BLANKS: Final = {0x09: " ", 0xA0: " "}
_IN_PLACE: Final = _SHAPES | _BLANKS
_LONE_BREAK: Final = re.compile(r"(?<![\n\f])\n(?![\n\f])")

#: White space that is not one blank.
_BLANK_RUN: Final = re.compile(r"\s{2,}|[^\S ]")
_PARAGRAPH: Final = re.compile(r"\n[^\S\n]*\n|\f")
#: Letters that Unicode does not take apart.
_BASES: Final = {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"}


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it is compared.

    Attributes:
        text: in it a line feed is the end of a paragraph, and any other white space a blank.
        places: of each character, where in the whole text it comes from, and where that ends.
    """

    text: str
    places: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the whole text a span of the folded one stands; it is not empty."""
        return self.places[start][0], self.places[end - 1][1]


def in_place(text: str) -> str:
    """A text of the same length, with one shape of each mark; a line's end is a blank, not a paragraph's."""
    return _LONE_BREAK.sub(" ", text).translate(_IN_PLACE)


def fold(text: str) -> Folded:
    """A text without case, with one shape of each mark and blank, and whole words where a line divides them.

    A hyphen at the end of a line goes where a small letter follows, and stays where a capital or digit does.
    """
    kept: list[str] = []
    places: list[tuple[int, int]] = []
    at = 0
    for piece, start, end in _pieces(text):
        _fold_characters(text, at, start, kept, places)
        if piece:
            kept.append(piece)
            places.append((start, end))
        at = end
    return Folded("".join(kept), tuple(places))


def key(name: str) -> str:
    """A name as it is compared with another."""
    if name.isascii() and "\n" not in name:  # most names: the same, in a tenth of the time
        return " ".join(name.translate(ONE_SHAPE).lower().split())
    return fold(name).text.strip()


def bare(folded: Folded) -> Folded:
    """The same without accents."""
    kept: list[str] = []
    places: list[tuple[int, int]] = []
    for character, place in zip(folded.text, folded.places, strict=True):
        for each in _bare(character):
            kept.append(each)
            places.append(place)
    return Folded("".join(kept), tuple(places))


def _fold_characters(text: str, start: int, end: int, kept: list[str], places: list[tuple[int, int]]) -> None:
    """Fold what holds no white space but single blanks."""
    part = text[start:end]
    if part.isascii():
        kept.append(part.translate(ONE_SHAPE).lower())
        places += zip(range(start, end), range(start + 1, end + 1), strict=True)
        return
    for index, character in enumerate(part, start):
        folded = _folded(character)
        kept.append(folded)
        places += [(index, index + 1)] * len(folded)


def _pieces(text: str) -> list[tuple[str, int, int]]:
    """What is not folded a character at a time: white space, and hyphens at the ends of lines."""
    found = [
        ("\n" if _PARAGRAPH.search(run[0]) else " ", run.start(), run.end())
        for run in _BLANK_RUN.finditer(text)
    ]
    divided = {
        each.start(): ("" if each[2].islower() else "-", each.start(), each.end())
        for each in DIVIDED.finditer(text)
    }
    if divided:
        found = [divided.pop(start - 1, (piece, start, end)) for piece, start, end in found]
    return [*found, ("", len(text), len(text))]


@lru_cache(maxsize=10_000)
def _folded(character: str) -> str:
    if character == "\ufffd":  # half a character that was lost
        return ""
    if character == " ":
        return " "
    shaped = unicodedata.normalize("NFKC", character.translate(ONE_SHAPE)).translate(ONE_SHAPE)
    return "".join(shaped.casefold().split())


@lru_cache(maxsize=10_000)
def _bare(character: str) -> str:
    apart = unicodedata.normalize("NFD", _BASES.get(character, character))
    return "".join(each for each in apart if not unicodedata.combining(each))

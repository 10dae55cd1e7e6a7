"""Pure: split a document's normalised text into overlapping pieces, and tell a table from prose."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_assets.text.normalise import page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Rises when the same text would be cut otherwise: what was cut before shows as stale.
VERSION: Final = 1
#: Code points of a piece: what a local model's context takes with its prompt, and a page or two for a reader.
LONGEST: Final = 6_000
#: Code points that two neighbours share at least: a name or a sentence at the seam is whole in one of them.
OVERLAP: Final = 400
#: A piece is cut in its second half, so that many pieces are not made of a text with many boundaries.
_SHORTEST: Final = LONGEST // 2
#: How far a piece's start is moved back to where a word starts, and a cut to where a character ends.
_SLACK: Final = 40

SENTENCE_END: Final = re.compile(r"[.!?…。！？][\"'”’»)\]]{0,3}\s")
_SPACE: Final = re.compile(r"\s")

#: The junk gate of the ledger: a text shorter than this is taken, table or not.
TABULAR_FROM: Final = 10_000
_TABULAR_SHARE: Final = 0.9
_TABULAR_MARKS: Final = 3


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece: `document_text[start:end] == text`, offsets in code points; pages count from 1."""

    ordinal: int
    start: int
    end: int
    first_page: int
    last_page: int
    text: str


def split(text: str, page_starts: Sequence[int]) -> list[Chunk]:
    """Split a text into pieces of at most `LONGEST` that overlap by at least `OVERLAP`.

    A piece ends after a paragraph if one ends in its second half, else after a sentence, else after a word,
    else anywhere but within a character and its accents. Pieces of white space alone are left out.

    Args:
        text: the normalised text.
        page_starts: offset of each page's first code point, ascending, the first 0.
    """
    pieces: list[Chunk] = []
    start, end = 0, 0
    while end < len(text):
        end = len(text) if len(text) - start <= LONGEST else _cut(text, start)
        piece = text[start:end]
        if not piece.isspace():
            first, last = page_of(page_starts, start), page_of(page_starts, end - 1)
            pieces.append(Chunk(len(pieces), start, end, first, last, piece))
        start = word_start(text, end - OVERLAP)
    return pieces


def _cut(text: str, start: int) -> int:
    """Where the piece that begins at `start`, and is not the last, ends."""
    shortest, longest = start + _SHORTEST, start + LONGEST
    paragraph = text.rfind("\n\n", shortest, longest)
    if paragraph >= 0:
        return paragraph + 2
    # the space that ends a sentence may be the one that follows the piece
    sentence = max((m.end() - 1 for m in SENTENCE_END.finditer(text, shortest, longest + 1)), default=-1)
    if sentence >= 0:
        return sentence
    word = max((m.end() for m in _SPACE.finditer(text, shortest, longest)), default=-1)
    return word if word >= 0 else character_end(text, longest)


def word_start(text: str, at: int) -> int:
    """The nearest start of a word at or before an offset, or of a character where words are long."""
    for earlier in range(at, max(0, at - _SLACK), -1):
        if text[earlier - 1].isspace():
            return earlier
    return character_end(text, max(0, at))


def character_end(text: str, at: int) -> int:
    """The nearest offset at or before `at` that does not part a character from its accents."""
    for earlier in range(at, max(0, at - _SLACK), -1):
        if not unicodedata.combining(text[earlier]):
            return earlier
    return at


def is_tabular(text: str) -> bool:
    """Whether a text is rows of a table: long, and over 90% of its lines with three or more separators.

    Blank lines do not count. Separators are comma, tab, semicolon and pipe.
    """
    if len(text) <= TABULAR_FROM:
        return False
    lines = [line for line in text.replace("\f", "\n").split("\n") if line and not line.isspace()]
    rows = sum(sum(map(line.count, ",\t;|")) >= _TABULAR_MARKS for line in lines)
    return rows > _TABULAR_SHARE * len(lines)

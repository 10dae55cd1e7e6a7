"""Pure: cut a verbatim quote around a mention."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Characters looked at on each side of a mention: a sentence of English prose has about 130.
AROUND = 160
#: Characters of a quote at most.
QUOTE = 400

_END = re.compile(r"[.!?…]['\"”’)\]]*\s+|[。！？]|\n\s*\n")
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Quote:
    """`text[start:end]` of the document, verbatim. Offsets are code points."""

    start: int
    end: int
    text: str


def cut(window: str, window_start: int, start: int, end: int) -> Quote:
    """Cut the sentence around a mention out of a window of the document's text.

    Args:
        window: a piece of the text that holds the mention, with up to AROUND characters on each side.
        window_start: its offset in the document.
        start: where the mention begins in the document.
        end: where it ends.
    """
    first, last = start - window_start, end - window_start
    left = _left(window[:first])
    right = last + _right(window[last:])
    while left < first and window[left].isspace():
        left += 1
    while right > last and window[right - 1].isspace():
        right -= 1
    if right - left > QUOTE:
        left, right = first, min(right, first + QUOTE)
    return Quote(window_start + left, window_start + right, window[left:right])


def _left(before: str) -> int:
    ends = [match.end() for match in _END.finditer(before)]
    if ends:
        return ends[-1]
    if len(before) < AROUND:
        return 0  # the text or its chunk begins here
    space = _SPACE.search(before)
    return space.end() if space else 0


def _right(after: str) -> int:
    if match := _END.search(after):
        return match.end()
    if len(after) < AROUND:
        return len(after)
    spaces = [match.start() for match in _SPACE.finditer(after)]
    return spaces[-1] if spaces else len(after)

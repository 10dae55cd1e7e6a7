"""Pure: the sentence around a place in a text. What is longer than a sentence should be has none."""

from __future__ import annotations

import re
from typing import Final

from mnemo_assets.extractions.spelling import UPPER

#: How far a sentence may reach to either side of its verb, in code points.
REACH: Final = 400

#: A full stop after these ends no sentence, and none after a lone capital letter.
_ABBREVIATIONS = "".join(
    rf"(?<!\b{short}\.)"
    for short in (
        "Mr",
        "Mrs",
        "Ms",
        "Dr",
        "Prof",
        "St",
        "Sr",
        "No",
        "Nr",
        r"e\.g",
        r"i\.e",
        "bzw",
        "ca",
        "vs",
    )
)
_END: Final = re.compile(
    rf"[.!?…](?<!(?<!\w)[{UPPER}]\.)(?<!\d\.){_ABBREVIATIONS}"
    rf"[\"'”’»)\]]{{0,3}}(?=\s+[\"'“„‘«(\[¿¡*\-•]{{0,3}}[{UPPER}\d])"
    r"|[.!?](?<=\d.)(?=\s+[\"'“„‘«(\[]{0,3}(?:[A-Z][a-z]|\n))"
    r"|\n[ \t]*\n|\f|\n[ \t]*(?=[-*•>#|]|\d{1,3}[.)] )"
    r"|[。！？]"
)


def around(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The span of the sentence that holds [start:end], without white space around it.

    None if no sentence ends within `REACH` on either side, or if one ends within [start:end].
    """
    left = max(0, start - REACH)
    begin = 0 if left == 0 else -1
    for boundary in _END.finditer(text, left, start):
        begin = boundary.end()
    if begin < 0 or _END.search(text, start, end):
        return None
    right = min(len(text), end + REACH)
    boundary_after = _END.search(text, end, right)
    if boundary_after:
        finish = boundary_after.end()
    elif right == len(text):
        finish = right
    else:
        return None
    while begin < finish and text[begin].isspace():
        begin += 1
    while begin < finish and text[finish - 1].isspace():
        finish -= 1
    return (begin, finish) if begin <= start and end <= finish else None

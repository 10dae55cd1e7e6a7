"""Pure: what models add to an answer, or say in its place: end tokens, excuses, one thing again and again."""

from __future__ import annotations

import re
import zlib
from typing import Final

#: Tokens that end a reply, which some servers let through.
_CONTROL: Final = re.compile(r"\s*(?:<\|[a-z_]{1,30}\|>|</s>|<end_of_turn>|<eos>)?\s*\Z")
#: Longer than any of them.
_TOKEN: Final = 64
#: A model's excuse, if it is all that it says.
_EXCUSE: Final = re.compile(
    r"\A(?=.*\b(?:can(?:no|['’])t|unable|not able)\b)"
    r"(?=.*\b(?:assist|help with|comply|extract|transcribe|process|image|picture)\b)"
    r"(?:I['’]m|I am|I can(?:no|['’])t|Sorry|I apologi[sz]e|As an AI|Unfortunately)\b",
    re.DOTALL | re.IGNORECASE,
)
_LONGEST_EXCUSE: Final = 400
#: From so many characters on, text that packs this well is one thing said again and again: print packs to a
#: half or a third, a table of empty cells to a tenth, a list of two hundred numbered names to a fourteenth.
_RUNAWAY_FROM: Final = 1_000
_RUNAWAY: Final = 15


def without_end_tokens(text: str) -> str:
    """A reply without white space around it, and without the tokens that end it, however often they stand."""
    end = len(text)
    while (found := _CONTROL.search(text, max(0, end - _TOKEN), end)) and found.start() < end:
        end = found.start()
    return text[:end].strip()


def is_excuse(text: str) -> bool:
    """Whether a reply is nothing but an excuse."""
    return len(text) <= _LONGEST_EXCUSE and _EXCUSE.match(text) is not None


def is_runaway(text: str) -> bool:
    """Whether a text is one thing said again and again, or white space."""
    if len(text) < _RUNAWAY_FROM:
        return False
    written = text.encode("utf-8", "replace")
    return len(written) > _RUNAWAY * len(zlib.compress(written))

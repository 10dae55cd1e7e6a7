"""The one form of text that offsets refer to.

A page at a time, before any offset exists; pages are then joined with form feeds, and their starts are kept,
so that any span maps to its page by bisection. Headers, titles and names pass the same way.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: NUL and the other controls that mean nothing in text: C0 without tab and newline, DEL, C1 and
#: noncharacters.
_CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff"
#: Soft hyphens, zero-width spaces, bidi marks and invisible operators: two words that look the same must be
#: the same. The joiners U+200C and U+200D stay, as scripts and emoji are spelled with them.
_INVISIBLE = "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
_DROPPED = re.compile(f"[{_CONTROLS}{_INVISIBLE}]")
_DROPPED_ASCII = bytes([*range(9), *range(0x0E, 0x20), 0x7F])
_SURROGATES = re.compile("[\ud800-\udfff]")
#: What a page cannot hold once it is normalised; a form feed only stands between pages.
FORBIDDEN = re.compile(f"[{_CONTROLS}{_INVISIBLE}\r\x0b\u2028\u2029\ud800-\udfff]")

#: Tried once a run of blanks, not once a blank: a megabyte of spaces takes no longer than one of letters.
_TRAILING_BLANKS = re.compile(r"(?<![ \t])[ \t]++(?=\n|\Z)")
_EMPTY_LINES = re.compile(r"\n{3,}")
_NEWLINES = {0x0B: "\n", 0x0C: "\n", 0x0D: "\n", 0x85: "\n", 0x2028: "\n", 0x2029: "\n\n"}
_BLANKS = {0xA0: " ", 0x202F: " "}
_LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
_REPLACED = _NEWLINES | _BLANKS | _LIGATURES
_REPLACED_RUNS = re.compile("[" + "".join(map(chr, _REPLACED)) + "]")

#: A longer title is not a title. Code points.
LINE_LIMIT = 500


def normalise(page: str) -> tuple[str, int]:
    """One page in its normal form.

    Newlines are one kind, no-break spaces are spaces, lone surrogates are U+FFFD, ligatures are letters;
    controls and invisible characters are gone; NFC; no blanks at the ends of lines, at most one empty line
    in a row, none at the ends of the page. Idempotent.

    Returns:
        The page, without a form feed in it, and how many characters were dropped for what they are.
    """
    page = page.replace("\r\n", "\n")
    if page.isascii():  # most pages: ten times faster, and the same
        page = page.replace("\r", "\n").replace("\x0b", "\n").replace("\x0c", "\n")
        kept = page.encode("ascii").translate(None, _DROPPED_ASCII)
        removed = len(page) - len(kept)
        page = kept.decode("ascii") if removed else page
    else:
        page = _REPLACED_RUNS.sub(lambda found: _REPLACED[ord(found[0])], page)
        page = _SURROGATES.sub("\ufffd", page)
        page, removed = _DROPPED.subn("", page)
        page = unicodedata.normalize("NFC", page)
    page = _TRAILING_BLANKS.sub("", page) if " \n" in page or "\t\n" in page else page.rstrip(" \t")
    page = _EMPTY_LINES.sub("\n\n", page) if "\n\n\n" in page else page
    return page.strip("\n"), removed


def join(pages: Iterable[str]) -> tuple[str, tuple[int, ...], int]:
    """Normalise pages and make them one text.

    Returns:
        The text with a form feed between pages; the offset, in code points, at which each page starts; how
        many characters were dropped.
    """
    normal, starts, start, removed = [], [], 0, 0
    for page in pages:
        text, dropped = normalise(page)
        normal.append(text)
        starts.append(start)
        start += len(text) + 1
        removed += dropped
    return "\f".join(normal), tuple(starts), removed


def page_of(page_starts: Sequence[int], offset: int) -> int:
    """The page, counted from 1, on which an offset stands; the form feed behind a page belongs to it."""
    return max(bisect_right(page_starts, offset), 1)


def one_line(value: str) -> str:
    """A title, subject or name in its normal form: one line, single spaces, at most LINE_LIMIT characters."""
    return " ".join(normalise(value[: 4 * LINE_LIMIT])[0].split())[:LINE_LIMIT].rstrip()

"""Pure: places of a short list, and the town of a postal address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mnemo_assets.extractions import words
from mnemo_assets.extractions.candidates import FORMAL, LISTED, NAMED, Candidate
from mnemo_assets.extractions.gazetteer import ORGANISATIONS, PLACES
from mnemo_assets.extractions.spelling import CAPITAL, GAP, TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator

_DOTTED: Final = re.compile(r"(?<![\w.])(?:U\.S\.(?:A\.)?|U\.K\.|U\.N\.|E\.U\.)(?!\w)")
_TOWN: Final = rf"{CAPITAL}(?:{GAP}(?:(?:am|an|der|im|in|de|la|le|les|sur|del){GAP}){{0,2}}{CAPITAL}){{0,2}}"
#: "80331 München", "D-80331 München", "75001 Paris", "1010 AB Amsterdam", "Springfield, IL 62704".
_POSTAL: Final = re.compile(
    rf"(?:^[ \t]*|,[ ])(?:(?:[A-Z]{{1,2}}-)?\d{{5}}|[A-Z]{{1,2}}-\d{{4}}"
    rf"|\d{{4}}[ ]?[A-Z]{{2}})[ ](?P<town>{_TOWN})[ \t]*(?=$|,)"
    rf"|(?:^[ \t]*|,[ ])(?P<ustown>{_TOWN}),[ ][A-Z]{{2}}[ ]\d{{5}}(?:-\d{{4}})?(?!\d)"
    rf"|(?:^[ \t]*|,[ ])(?P<uktown>{_TOWN}),?[ ][A-Z]{{1,2}}\d[A-Z\d]?[ ]\d[A-Z]{{2}}(?!\w)",
    re.MULTILINE,
)
#: The two lines above a postal code: a name, and a street with its number.
_BLOCK: Final = re.compile(
    rf"^[ \t]*(?:(?:Herrn?|Frau|Mrs?|Ms|Dr"
    rf"|Prof)\.?[ ]){{0,3}}(?P<name>{CAPITAL}(?:{GAP}{CAPITAL}){{1,2}})[ \t]*\n"
    r"[ \t]*(?:[^\W\d_][\w.\-']{1,30}(?:[ ][^\W\d_][\w.\-']{0,30}){0,3}[ ]\d{1,4}[ ]?[a-z]?"
    r"|\d{1,5}[ ][^\n\d]{3,40})[ \t]*\n"
    rf"(?=[ \t]*(?:(?:[A-Z]{{1,2}}-)?\d{{4,5}}[ ]{CAPITAL}|{CAPITAL}[^\n]{{0,30}}[ ](?:\d{{5}}"
    rf"|[A-Z]{{1,2}}\d[A-Z\d]?[ ]\d[A-Z]{{2}})))",
    re.MULTILINE,
)
#: "Ann Miller" above a street is a person, "Hotel Adler" is not.
_HOUSES: Final = words.ORG_TAILS | frozenset(
    {
        "hotel",
        "restaurant",
        "praxis",
        "kanzlei",
        "café",
        "cafe",
        "pension",
        "gasthof",
        "apotheke",
        "autohaus",
        "shop",
        "bar",
    }
)
#: Names of several words of the lists are this long at most.
_MOST_WORDS: Final = 5


def find(text: str) -> Iterator[Candidate]:
    """Places that an address or an abbreviation tells, and the name above an address."""
    for match in _DOTTED.finditer(text):
        yield Candidate("Place" if match[0] in PLACES else "Org", match.start(), match.end(), NAMED)
    for match in _POSTAL.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        if text[start:end].split(maxsplit=1)[0].casefold() not in words.COMMON:
            yield Candidate("Place", start, end, FORMAL)
    for match in _BLOCK.finditer(text):
        parts = [part.casefold() for part in match["name"].split()]
        house = any(part in _HOUSES for part in parts)
        if house or not any(part in words.COMMON or part in words.STOP for part in parts):
            yield Candidate("Org" if house else "Person", *match.span("name"), NAMED)


def by_list(text: str, tokens: list[re.Match[str]]) -> Iterator[Candidate]:
    """Listed places and organisations in a run of capitalised words.

    Only where the rest of the run cannot be of the same name: "Paris" in "In Paris", not in "Paris Hilton".
    """
    index = 0
    while index < len(tokens):
        for last in range(min(len(tokens), index + _MOST_WORDS) - 1, index - 1, -1):
            start, end = tokens[index].start(), tokens[last].end()
            name = text[start:end]
            listed = "Place" if name in PLACES else "Org" if name in ORGANISATIONS else None
            if listed and _stands_alone(text, tokens, index, last):
                yield Candidate(listed, start, end, LISTED)
                index = last
                break
        index += 1


def _stands_alone(text: str, tokens: list[re.Match[str]], first: int, last: int) -> bool:
    start, end = tokens[first].start(), tokens[last].end()
    if text[end : end + 1] in ("-", "&", "@") or text[max(0, start - 1) : start] == "&":
        return False
    if last + 1 < len(tokens) and not _is_apart(tokens[last + 1][0]):
        return False
    if first == 0 or _is_apart(tokens[first - 1][0]):
        return True
    return first == 1 and tokens[0][0].casefold() in words.COMMON - words.QUALIFIERS


def _is_apart(word: str) -> bool:
    """Whether a capitalised neighbour is a word of its own."""
    folded = word.casefold().strip(".")
    return word in PLACES or (folded in words.STOP and folded not in words.QUALIFIERS)


def tokens_of(run: re.Match[str]) -> list[re.Match[str]]:
    """The words of a run, with their places in the text."""
    return list(TOKEN.finditer(run.string, run.start(), run.end()))

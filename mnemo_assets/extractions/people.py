"""Pure: persons that a title, a first name, an initial or a verb of saying tells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mnemo_assets.extractions import words
from mnemo_assets.extractions.candidates import FORMAL, LISTED, NAMED, Candidate
from mnemo_assets.extractions.gazetteer import FIRST_NAMES
from mnemo_assets.extractions.spelling import CAPITAL, GAP, INITIAL, LATER, PERSON, TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator

_TITLE: Final = (
    r"(?:Mrs?|Ms|Mx|Miss|Dr|Prof|Professor|Sir|Dame|Herrn?|Frau|Monsieur|Madame|Mademoiselle|Mme|Mlle"
    r"|Señora?|Sra?|Srta"
    r"|Signora?|Sig|Sig\.ra|Dott|Dott\.ssa|Dhr|Mevr|Mevrouw|Meneer|Dipl\.-Ing|Ing|Mag|med|jur|phil"
    r"|rer|nat|h\.c|Rev|Senhora?"
    r"|President|Senator|Chancellor|Captain|Sergeant|Colonel|Lieutenant|Inspector|Rabbi"
    r"|Bundeskanzler(?:in)?)\.?"
)
TITLES: Final = rf"(?:{_TITLE}{GAP}){{1,4}}"
_TITLED: Final = re.compile(rf"(?<![\w.\-]){TITLES}(?P<name>{PERSON})")
_WITH_INITIAL: Final = re.compile(
    rf"(?<![\w.'’@#/\-]){CAPITAL}(?:{GAP}{INITIAL}){{1,2}}{GAP}{CAPITAL}(?:{GAP}(?:Jr|Sr|III|II)(?!\w)\.?)?"
)
_SPEAKS: Final = re.compile(
    rf"(?:(?<![\w.\-])(?P<before>{CAPITAL}{GAP}{LATER})(?={GAP}(?:said|says|told|wrote|asked|explained"
    rf"|replied|added|argued|signed)\b"
    rf"(?!{GAP}by))|\b(?:said|says|told|asked|added){GAP}(?P<after>{CAPITAL}{GAP}{LATER})(?=[.,;:\n]))"
)
_NO_PART_OF_NAMES: Final = words.STOP - words.PARTICLES
_NOT_LATER: Final = _NO_PART_OF_NAMES | words.COMMON | words.NOT_SURNAMES | words.PEOPLES
#: Words of a person's name in a run, at most: more are two things.
_MOST_WORDS: Final = 4


def find(text: str) -> Iterator[Candidate]:
    """Persons by title, by middle initial, and by what they say."""
    for match in _TITLED.finditer(text):
        yield from named(text, match.start("name"), match.end("name"), FORMAL, "mentioned")
    for pattern, sure in ((_WITH_INITIAL, NAMED), (_SPEAKS, LISTED)):
        for match in pattern.finditer(text):
            start, end = match.span(match.lastgroup or 0)
            yield from named(text, start, end, sure, "mentioned")


def by_first_name(text: str, tokens: list[re.Match[str]]) -> Iterator[Candidate]:
    """The person in a run of capitalised words: from a known first name on."""
    for index, token in enumerate(tokens[:-1]):
        before = tokens[index - 1][0].casefold().strip(".") if index else ""
        if token[0] not in FIRST_NAMES or before in words.QUALIFIERS:
            continue
        last = index
        for later in tokens[index + 1 : index + _MOST_WORDS]:
            word = later[0].casefold().strip(".")
            if word in _NOT_LATER:
                break
            last += 1
        following = tokens[last + 1][0].casefold() if last + 1 < len(tokens) else ""
        if last > index and following not in words.NOT_SURNAMES:
            start = (
                tokens[index - 1].start()
                if index and re.fullmatch(INITIAL, tokens[index - 1][0])
                else token.start()
            )
            yield from named(text, start, tokens[last].end(), LISTED, "mentioned")
        return


def named(text: str, start: int, end: int, sure: int, role: str) -> Iterator[Candidate]:
    """The name without titles before it; nothing if it holds a word that no name has."""
    for word in TOKEN.finditer(text, start, end):
        folded = word[0].casefold().strip(".,")
        if folded not in words.OFFICES and folded not in _NO_PART_OF_NAMES:
            break
        start = word.end() + 1
    name = text[start:end].strip()
    parts = [part.casefold().strip(".,") for part in name.split()]
    if parts and not any(part in words.COMMON or part in _NO_PART_OF_NAMES for part in parts):
        yield Candidate("Person", start, end, sure, role)

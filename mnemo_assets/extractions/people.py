"""Pure: persons that a title, a first name, an initial or a letter's form tells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mnemo_assets.extractions import words
from mnemo_assets.extractions.candidates import FORMAL, LISTED, NAMED, Candidate
from mnemo_assets.extractions.gazetteer import FIRST_NAMES
from mnemo_assets.extractions.spelling import CAPITAL, GAP, INITIAL, LATER, PERSON

if TYPE_CHECKING:
    from collections.abc import Iterator

_TITLE: Final = (
    r"(?:Mrs?|Ms|Mx|Miss|Dr|Prof|Professor|Sir|Dame|Herrn?|Frau|Monsieur|Madame|Mademoiselle|Mme|Mlle|Señora?|Sra?|Srta"
    r"|Signora?|Sig|Sig\.ra|Dott|Dott\.ssa|Dhr|Mevr|Mevrouw|Meneer|Dipl\.-Ing|Ing|Mag|med|jur|phil|rer|nat|h\.c|Rev|Senhora?"
    r"|President|Senator|Chancellor|Captain|Sergeant|Colonel|Lieutenant|Inspector|Rabbi|Bundeskanzler(?:in)?)\.?"
)
_TITLES: Final = rf"(?:{_TITLE}{GAP}){{1,4}}"
_TITLED: Final = re.compile(rf"(?<![\w.\-]){_TITLES}(?P<name>{PERSON})")
_SALUTATION: Final = re.compile(
    r"^[ \t]*(?:Dear|Hello|Hi|Hey|Good[ ](?:morning|afternoon|evening)|Sehr[ ]geehrter?|Liebe[rs]?|Hallo|Guten[ ]Tag|Lieber"
    r"|Chère|Cher|Bonjour|Estimad[oa]|Querid[oa]|Hola|Gentile|Egregi[oa]|Car[oa]|Beste|Geachte|Prezad[oa]|Ol[áa])[ ]"
    rf"(?P<names>(?:{_TITLES})?{PERSON}(?:[ ](?:and|und|et|y|e|en|&)[ ](?:{_TITLES})?{PERSON})?)[ ]?(?=[,!:;\n]|\Z|[ ]?[–-][ ])",
    re.MULTILINE,
)
_JOINED: Final = re.compile(r"[ ](?:and|und|et|y|e|en|&)[ ]")
_SIGNED: Final = re.compile(
    r"^[ \t]*(?:(?:(?:With[ ])?(?:Kind(?:est)?|Best|Warm(?:est)?|Many)[ ])?(?:Regards|regards|wishes|Wishes)|Sincerely(?:[ ]yours)?"
    r"|Yours(?:[ ](?:sincerely|faithfully|truly|ever))?|Best|Cheers|Thanks|Thank[ ]you|Many[ ]thanks|All[ ]the[ ]best|Love"
    r"|Mit[ ](?:freundlichen|besten|herzlichen|lieben)[ ]Grü(?:ß|ss)en|(?:Viele|Liebe|Beste|Herzliche|Freundliche)[ ]Grü(?:ß|ss)e"
    r"|MfG|LG|Hochachtungsvoll|Cordialement|Bien[ ](?:à[ ]vous|cordialement)|Salutations(?:[ ]distinguées)?|Amicalement"
    r"|Atentamente|(?:Un[ ])?[Ss]aludos?(?:[ ]cordial(?:es)?)?|Cordiali[ ]saluti|Distinti[ ]saluti|Saluti"
    r"|Met[ ]vriendelijke[ ]groet(?:en)?|Groeten|Atenciosamente|Abraços?)[ \t]*[,.!–-]?[ \t]*\n(?:[ \t]*\n){0,3}[ \t]*"
    rf"(?:{_TITLES})?(?P<name>{PERSON})[ \t]*(?=\n|\Z|,)",
    re.MULTILINE,
)
_WITH_INITIAL: Final = re.compile(
    rf"(?<![\w.'’@#/\-]){CAPITAL}(?:{GAP}{INITIAL}){{1,2}}{GAP}{CAPITAL}(?:{GAP}(?:Jr|Sr|III|II)(?!\w)\.?)?"
)
_SPEAKS: Final = re.compile(
    rf"(?:(?<![\w.\-])(?P<before>{CAPITAL}{GAP}{LATER})(?={GAP}(?:said|says|told|wrote|asked|explained|replied|added|argued|signed)\b"
    rf"(?!{GAP}by))|\b(?:said|says|told|asked|added){GAP}(?P<after>{CAPITAL}{GAP}{LATER})(?=[.,;:\n]))"
)
#: "Attn: Ann Miller", "c/o Ann Miller", "z. Hd. Frau Müller", "Author: Ann Miller", "Signed by Ann Miller".
_NAMED_BY_LABEL: Final = re.compile(
    r"(?:\b(?:Attn\.?|Attention|FAO|Author|Autor(?:in)?|Auteur|Prepared[ ]by|Written[ ]by|Signed[ ]by|Signed|Contact|Contact[ ]person"
    r"|Ansprechpartner(?:in)?|Bearbeiter(?:in)?|Patient(?:in)?|Tenant|Landlord|Employee|Name|Nom|Nombre)[ ]?:[ ]{0,3}|\bc/o[ ]|\b[zZ]\.[ ]?Hd\.[ ])"
    rf"(?:{_TITLES})?(?P<name>{CAPITAL}(?:{GAP}{LATER}){{1,2}})[ \t]*(?=\n|\Z|[,;(])"
)
#: Words of a person's name in a run, at most: more are two things.
_MOST_WORDS: Final = 4


def find(text: str) -> Iterator[Candidate]:
    """Persons by title, salutation, sign-off, label, middle initial, and by what they say."""
    for match in _TITLED.finditer(text):
        yield from _candidates(text, match.start("name"), match.end("name"), FORMAL, "mentioned")
    for match in _SALUTATION.finditer(text):
        yield from _greeted(text, match.start("names"), match.end("names"))
    for match in _SIGNED.finditer(text):
        yield from _candidates(text, match.start("name"), match.end("name"), FORMAL, "author")
    for pattern, sure in ((_WITH_INITIAL, NAMED), (_SPEAKS, LISTED), (_NAMED_BY_LABEL, NAMED)):
        for match in pattern.finditer(text):
            start, end = match.span(match.lastgroup or 0)
            yield from _candidates(text, start, end, sure, "mentioned")


def by_first_name(text: str, tokens: list[re.Match[str]]) -> Iterator[Candidate]:
    """The person in a run of capitalised words: from a known first name on."""
    for index, token in enumerate(tokens[:-1]):
        if token[0] not in FIRST_NAMES:
            continue
        last = index
        for later in tokens[index + 1 : index + _MOST_WORDS]:
            word = later[0].casefold().strip(".")
            if word in words.STOP - words.PARTICLES or word in words.COMMON or word in words.NOT_SURNAMES:
                break
            last += 1
        following = tokens[last + 1][0].casefold() if last + 1 < len(tokens) else ""
        if last > index and following not in words.NOT_SURNAMES:
            start = (
                tokens[index - 1].start()
                if index and re.fullmatch(INITIAL, tokens[index - 1][0])
                else token.start()
            )
            yield from _candidates(text, start, tokens[last].end(), LISTED, "mentioned")
        return


def _greeted(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Both of "Ann and Bob", without titles."""
    edges = [start, *(edge for joint in _JOINED.finditer(text, start, end) for edge in joint.span()), end]
    for begin, finish in zip(edges[::2], edges[1::2], strict=True):
        title = re.compile(_TITLES).match(text, begin, finish)
        begin_name = title.end() if title else begin
        yield from _candidates(text, begin_name, finish, FORMAL, "recipient")


def _candidates(text: str, start: int, end: int, sure: int, role: str) -> Iterator[Candidate]:
    """The name without titles before it; nothing if it holds a word that no name has."""
    parts = [part.casefold().strip(".,") for part in text[start:end].split()]
    while parts and (
        parts[0] in words.OFFICES or (parts[0] in words.STOP and parts[0] not in words.PARTICLES)
    ):
        start = text.index(text[start:end].split()[0], start, end) + len(text[start:end].split()[0])
        while start < end and text[start].isspace():
            start += 1
        parts = parts[1:]
    common = [part for part in parts if part in words.COMMON or part in words.STOP - words.PARTICLES]
    if parts and not common:
        yield Candidate("Person", start, end, sure, role)

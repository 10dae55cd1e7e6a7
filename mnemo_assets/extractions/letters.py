"""Pure: whom a letter greets, who signs it, and whom a form's label names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mnemo_assets.extractions.candidates import FORMAL, NAMED, Candidate
from mnemo_assets.extractions.people import TITLES, named
from mnemo_assets.extractions.spelling import CAPITAL, GAP, LATER, PERSON

if TYPE_CHECKING:
    from collections.abc import Iterator

_SALUTATION: Final = re.compile(
    r"^[ \t]*(?:Dear|Hello|Hi|Hey|Good[ ](?:morning|afternoon|evening)|Sehr[ ]geehrter?|Liebe[rs]?"
    r"|Hallo|Guten[ ]Tag|Lieber"
    r"|Chère|Cher|Bonjour|Estimad[oa]|Querid[oa]|Hola|Gentile|Egregi[oa]|Car[oa]|Beste|Geachte"
    r"|Prezad[oa]|Ol[áa])[ ]"
    rf"(?P<names>(?:{TITLES})?{PERSON}(?:[ ](?:and|und|et|y|e|en"
    rf"|&)[ ](?:{TITLES})?{PERSON})?)[ ]?(?=[,!:;\n]|\Z|[ ]?[–-][ ])",
    re.MULTILINE,
)
_JOINED: Final = re.compile(r"[ ](?:and|und|et|y|e|en|&)[ ]")
_SIGNED: Final = re.compile(
    r"^[ \t]*(?:(?:(?:With[ ])?(?:Kind(?:est)?|Best|Warm(?:est)?|Many)[ ])?(?:Regards|regards|wishes"
    r"|Wishes)|Sincerely(?:[ ]yours)?"
    r"|Yours(?:[ ](?:sincerely|faithfully|truly|ever))?|Best|Cheers|Thanks|Thank[ ]you|Many[ ]thanks"
    r"|All[ ]the[ ]best|Love"
    r"|Mit[ ](?:freundlichen|besten|herzlichen|lieben)[ ]Grü(?:ß|ss)en|(?:Viele|Liebe|Beste|Herzliche"
    r"|Freundliche)[ ]Grü(?:ß|ss)e"
    r"|MfG|LG|Hochachtungsvoll|Cordialement|Bien[ ](?:à[ ]vous|cordialement)"
    r"|Salutations(?:[ ]distinguées)?|Amicalement"
    r"|Atentamente|(?:Un[ ])?[Ss]aludos?(?:[ ]cordial(?:es)?)?|Cordiali[ ]saluti|Distinti[ ]saluti|Saluti"
    r"|Met[ ]vriendelijke[ ]groet(?:en)?|Groeten|Atenciosamente"
    r"|Abraços?)[ \t]*[,.!–-]?[ \t]*\n(?:[ \t]*\n){0,3}[ \t]*"
    rf"(?:{TITLES})?(?P<name>{PERSON})[ \t]*(?=\n|\Z|,)",
    re.MULTILINE,
)
#: "Attn: Ann Miller", "c/o Ann Miller", "z. Hd. Frau Müller", "Author: Ann Miller", "Signed by Ann Miller".
_NAMED_BY_LABEL: Final = re.compile(
    r"(?:\b(?:Attn\.?|Attention|FAO|Author|Autor(?:in)?|Auteur|Prepared[ ]by|Written[ ]by|Signed[ ]by"
    r"|Signed|Contact|Contact[ ]person"
    r"|Ansprechpartner(?:in)?|Bearbeiter(?:in)?|Patient(?:in)?|Tenant|Landlord|Employee|Name|Nom"
    r"|Nombre)[ ]?:[ ]{0,3}|\bc/o[ ]|\b[zZ]\.[ ]?Hd\.[ ])"
    rf"(?:{TITLES})?(?P<name>{CAPITAL}(?:{GAP}{LATER}){{1,2}})[ \t]*(?=\n|\Z|[,;(])"
)
_TITLED: Final = re.compile(TITLES)


def find(text: str) -> Iterator[Candidate]:
    """Recipients of salutations, authors of sign-offs, and persons behind labels."""
    for match in _SALUTATION.finditer(text):
        yield from _greeted(text, *match.span("names"))
    for match in _SIGNED.finditer(text):
        yield from named(text, *match.span("name"), FORMAL, "author")
    for match in _NAMED_BY_LABEL.finditer(text):
        yield from named(text, *match.span("name"), NAMED, "mentioned")


def _greeted(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Both of "Ann and Bob", without titles."""
    edges = [start, *(edge for joint in _JOINED.finditer(text, start, end) for edge in joint.span()), end]
    for begin, finish in zip(edges[::2], edges[1::2], strict=True):
        title = _TITLED.match(text, begin, finish)
        begin_name = title.end() if title else begin
        yield from named(text, begin_name, finish, FORMAL, "recipient")

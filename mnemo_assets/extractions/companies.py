"""Pure: organisations that say what they are: by legal form, by the kind of institution, or well known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mnemo_assets.extractions import words
from mnemo_assets.extractions.candidates import FORMAL, LISTED, NAMED, Candidate
from mnemo_assets.extractions.gazetteer import ORGANISATIONS, PLACES
from mnemo_assets.extractions.spelling import CAPITAL, GAP, INITIAL, TOKEN, UPPER

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Legal forms, the longer before what they begin with.
_FORMS: Final = (
    r"GmbH[ ]?(?:&|und)[ ]?Co\.?[ ]?KG(?:aA)?|gGmbH|GmbH|mbH|AG[ ]?&[ ]?Co\.?[ ]?KG(?:aA)?|KGaA|AG|KG"
    r"|OHG|GbR|UG"
    r"|e\.[ ]?V\.|e\.[ ]?K\.|eG|eingetragener[ ]Verein"
    r"|Ltd\.?|Limited|LLC|L\.L\.C\.|LLP|LP|Inc\.?|Incorporated|Corp\.?|Corporation|PLC|plc"
    r"|Co\.[ ]?Ltd\.?|Co\."
    r"|Pty\.?[ ]Ltd\.?|S\.A\.S\.|S\.A\.R\.L\.|S\.[àa][ ]r\.l\.|S\.A\.|SARL|SAS|SA|S\.p\.A\.|SpA"
    r"|S\.r\.l\.|Srl|S\.L\.U?\.?"
    r"|S\.C\.|B\.V\.|BV|N\.V\.|NV|VZW|Oyj|Oy|AB|A/S|ApS|ASA|AS|SE|Lda\.?|Ltda\.?|z[ ]o\.o\."
    r"|Sp\.[ ]z[ ]o\.o\.|s\.r\.o\."
    r"|Kft\.?|GesmbH|Ges\.m\.b\.H\.|Cie\.?"
)
_FORM: Final = re.compile(rf"(?<=[\w.)&’'][ \u00a0,])[ \u00a0]?(?:{_FORMS})(?![\w&])")
#: Two letters that are words or weights in other places: not after a place, and no number may follow.
_SHORT_FORMS: Final = frozenset({"AG", "KG", "SA", "AB", "AS", "SE", "BV", "NV", "UG", "LP", "SAS"})
#: Words of a company's name, read from its legal form backwards.
_WORDS_BEFORE: Final = re.compile(
    rf"(?:(?:{CAPITAL}|{INITIAL}|\d[\w\-]{{0,8}}|[\w]{{2,20}}\.(?:com|de|org|net|io))(?:{GAP}|\Z)"
    rf"(?:(?:&|\+|-|–){GAP}|(?:and|und|et|y|e|of|for|für|der|des|du|de|di|del|della|do|da){GAP}(?=[{UPPER}]))?){{1,7}}\Z"
)
_REACH: Final = 90

_KINDS: Final = (
    r"Bank|University|Universities|Ministry|Department|Institute|Academy|Council|Court|Museum|School"
    r"|College|Embassy"
    r"|Church|Bureau|Office|Board|Federation|Society|Association|House|Chamber|Faculty|Union"
    r"|Confederation|Bishopric"
    r"|Universität|Hochschule|Ministerium|Bundesministerium|Amt|Institut|Verband|Akademie|Botschaft"
    r"|Gesellschaft"
    r"|Université|Ministère|Banque|École|Académie|Conseil|Universidad|Ministerio|Banco|Instituto|Escuela"
    r"|Università|Ministero|Banca|Istituto|Universiteit|Ministerie|Universidade|Ministério"
)
_INSTITUTION: Final = re.compile(
    rf"(?<![\w-])(?:{CAPITAL}{GAP}){{0,2}}(?:{_KINDS}){GAP}"
    rf"(?:(?:of|for|für|de|di|do|da|van|voor|des|der|du|zu){GAP}(?:(?:the|la|los|las|l['’]){GAP}?)?|d['’])"
    rf"{CAPITAL}(?:{GAP}(?:(?:and|und|et|y|e|&|of){GAP}(?:the{GAP})?)?{CAPITAL}){{0,3}}"
)
_GERMAN: Final = re.compile(
    rf"(?<![\w-])(?:Amtsgericht|Landgericht|Oberlandesgericht|Finanzamt|Arbeitsgericht|Standesamt"
    rf"|Sparkasse|Volksbank"
    rf"|Universität|Hochschule|Klinikum|Stadtwerke|Bezirksamt|Landratsamt|Technische{GAP}Universität"
    rf"|Université|Universidad|Università|Universiteit){GAP}{CAPITAL}(?:[/\-]{CAPITAL})?"
)
#: Roles that stand before a company's name without being of it: "Director of Acme Ltd".
_NOT_FIRST: Final = words.OFFICES | frozenset(
    {
        "chairman",
        "director",
        "founder",
        "owner",
        "partner",
        "ceo",
        "chief",
        "head",
        "employee",
        "customer",
        "member",
    }
)


def find(text: str) -> Iterator[Candidate]:
    """Organisations by legal form and by kind of institution."""
    for form in _FORM.finditer(text):
        start = _company_start(text, form)
        if start is not None:
            yield Candidate("Org", start, form.end(), FORMAL)
    for pattern in (_INSTITUTION, _GERMAN):
        for match in pattern.finditer(text):
            start = _skip_first_words(text, match.start(), match.end())
            yield Candidate("Org", start, match.end(), NAMED)


def by_last_word(text: str, tokens: list[re.Match[str]]) -> Candidate | None:
    """The organisation among a run's words that ends in a word such as Bank or University."""
    for last in range(len(tokens) - 1, 0, -1):
        if tokens[last][0].casefold() in words.ORG_TAILS:
            start = _skip_first_words(text, tokens[0].start(), tokens[last].end())
            if start >= tokens[last].start() or _all_common(text[start : tokens[last].start()]):
                return None
            return Candidate("Org", start, tokens[last].end(), LISTED)
    return None


def looks_like_company(name: str) -> bool:
    """Whether a name, alone, says that it is an organisation's."""
    if name in ORGANISATIONS or _FORM.search(name) or _INSTITUTION.match(name):
        return True
    parts = name.split()
    return len(parts) > 1 and parts[-1].casefold() in words.ORG_TAILS | {"team", "support", "newsletter"}


def _company_start(text: str, form: re.Match[str]) -> int | None:
    edge = form.start()
    if text[edge - 1] == ",":
        edge -= 1
    edge = len(text[:edge].rstrip(" \u00a0")) if text[max(0, edge - 1)] in " \u00a0" else edge
    reach = max(0, edge - _REACH, text.rfind("\n", max(0, edge - _REACH), edge) + 1)
    before = _WORDS_BEFORE.search(text, reach, edge)
    if before is None or (before.start() and text[before.start() - 1] in "@./\\-_"):
        return None
    start = _skip_first_words(text, _after_joined(text, before.start(), edge), edge)
    name = text[start:edge]
    if start >= edge or _all_common(name) or not any(char.isupper() for char in name):
        return None
    short = form[0].strip() in _SHORT_FORMS
    if short and (
        name in PLACES or name.upper() == name or re.match(r"[ ]?\d", text[form.end() : form.end() + 2])
    ):
        return None
    return start


def _after_joined(text: str, start: int, end: int) -> int:
    """Where the company begins in "Ann Miller and Acme": after the last "and" or "of" that joins two names.

    "Johnson and Johnson", "Miller and Sons" and "Institute of Art" are one name.
    """
    firm = _CALLED.search(text, start, end)
    start = firm.end() if firm else start
    joints = list(re.finditer(r"[ \u00a0](and|und|et|y|e|of|for)[ \u00a0]", text[start:end]))
    for joint in reversed(joints):
        left, right = text[start : start + joint.start()], text[start + joint.end() : end]
        word = joint[1]
        if word in ("of", "for"):
            kept = left.split()[-1].casefold() in words.ORG_TAILS | {"bank", "house"}
        else:
            kept = right.split()[0].casefold() in _KIN or (len(left.split()) == 1 and left == right)
        if not kept:
            return start + joint.end()
    return start


#: "Rechnungen der Firma Nordwind GmbH".
_CALLED: Final = re.compile(r"\b(?:Firma|Fa\.|Firm|Company|Société)[ \u00a0](?=[^\W\d_a-z])")
_KIN: Final = frozenset(
    {
        "sons",
        "son",
        "co",
        "co.",
        "company",
        "partners",
        "partner",
        "associates",
        "brothers",
        "söhne",
        "sohn",
        "fils",
        "daughters",
    }
)


def _skip_first_words(text: str, start: int, end: int) -> int:
    """Leave out what only stands before the name: articles, prepositions, offices."""
    for token in TOKEN.finditer(text, start, end):
        word = token[0].strip(".,").casefold()
        if word in words.QUALIFIERS or (word not in words.STOP and word not in _NOT_FIRST):
            return token.start()
    return end


def _all_common(name: str) -> bool:
    parts = [part.strip(".,&").casefold() for part in name.split()]
    return all(not part or part in words.STOP or part in words.COMMON or part in _KIN for part in parts)

"""Pure: the people and organisations that a mail's headers name, at its top or in a quoted mail."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mnemo_assets.extractions import words
from mnemo_assets.extractions.candidates import STATED, Candidate
from mnemo_assets.extractions.companies import looks_like_company
from mnemo_assets.extractions.gazetteer import FIRST_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROLES: Final = {
    "author": "From|Sender|Von|De|Da|Van|Absender|Expéditeur|Mittente",
    "recipient": "To|Cc|Bcc|An|Kopie|À|A|Para|Aan|Empfänger|Destinataire|Destinatario",
}
_HEADER: Final = re.compile(
    r"^(?:>[ \t]?){0,5}\**(?:"
    + "|".join(f"(?P<{role}>{names})" for role, names in _ROLES.items())
    + r")\**[ \t]?:\**[ \t]*(?P<value>\S.*)$",
    re.MULTILINE | re.IGNORECASE,
)
#: One of a list of addresses. Quotes and brackets keep together; with semicolons, commas are of the names:
#: "Miller, Ann; Stone, Bob".
_QUOTED = r"\"[^\"\n]{0,200}\"|<[^<>\n]{0,320}>|\([^()\n]{0,200}\)"
_COMMAS: Final = re.compile(rf"(?:{_QUOTED}|[^,])+")
_SEMICOLONS: Final = re.compile(rf"(?:{_QUOTED}|[^;])+")
_ADDRESS: Final = re.compile(r"<?(?P<local>[\w.+\-]{1,64})@(?P<host>[\w.\-]{1,255})>?")
_BEFORE_ADDRESS: Final = re.compile(
    r"\s*[\"']{0,2}(?P<name>[^<>\"@\n]{1,100}?)[\"']{0,2}\s*(?:<|\[mailto:|\Z)"
)
_AFTER_ADDRESS: Final = re.compile(r"\s*\((?P<name>[^()@\n]{1,100})\)")
#: In running text and in attributions: "On 5 Oct 2020, Ann Miller <ann@example.org> wrote:".
_INLINE: Final = re.compile(r"[ ]<(?=[\w.+\-]{1,64}@[\w.\-]{1,255}>)")
_NAME_BEFORE: Final = re.compile(r"(?<![\w.'’\-])[^\W\d_][^\W_]{0,30}(?:[ ][^\W\d_][\w.'’\-]{0,30}){1,3}\Z")
#: Code points that such a name takes at most.
_REACH: Final = 130
#: A local part that no person has.
_GENERIC: Final = re.compile(
    r"(?:no-?_?reply|do-?not-?reply|info|news|newsletter|support|service|kontakt|contact|office|sales"
    r"|team|help|mail"
    r"|billing|rechnung|notifications?|updates?|hello|admin|marketing|bestellung|orders?"
    r"|postmaster)(?:[.+\-_]|\Z)",
    re.IGNORECASE,
)
#: Addresses of one header that are looked at; a list of thousands is no correspondence.
_MOST: Final = 200
#: A person's name has at most this many words.
_MOST_WORDS: Final = 5


def find(text: str) -> Iterator[Candidate]:
    """Names in From, To and Cc with their role; in "Name <address>" elsewhere without one."""
    for header in _HEADER.finditer(text):
        role = "author" if header["author"] else "recipient"
        between = _SEMICOLONS if ";" in header["value"] else _COMMAS
        for count, part in enumerate(between.finditer(text, *header.span("value"))):
            if count == _MOST:
                break
            found = _named(text, part.start(), part.end(), role)
            if found is not None:
                yield found
    for inline in _INLINE.finditer(text):
        name = _NAME_BEFORE.search(text, max(0, inline.start() - _REACH), inline.start())
        type_ = _type_of(name[0], None) if name else None
        if name and type_:
            yield Candidate(type_, *name.span(), STATED - 1)


def _named(text: str, start: int, end: int, role: str) -> Candidate | None:
    address = _ADDRESS.search(text, start, end)
    name = _BEFORE_ADDRESS.match(text, start, address.start("local") if address else end)
    if address and (name is None or not name["name"].strip()):
        name = _AFTER_ADDRESS.match(text, address.end(), end)
    if name is None:
        return None
    type_ = _type_of(name["name"], address)
    return Candidate(type_, name.start("name"), name.end("name"), STATED, role) if type_ else None


def _type_of(name: str, address: re.Match[str] | None) -> str | None:
    """Person or Org; None where the words are neither."""
    parts = name.replace(",", " ").split()
    folded = [part.strip(".").casefold() for part in parts]
    if (
        not parts
        or len(parts) > _MOST_WORDS
        or not all(
            part[0].isalpha() and not part[0].islower()
            for part in parts
            if part.casefold() not in words.PARTICLES
        )
    ):
        return None
    if looks_like_company(name) or (address and _is_house(folded, address)):
        return "Org"
    if any(char.isdigit() for char in name):
        return None
    known = any(part in FIRST_NAMES for part in parts)
    if any(part in words.STOP - words.PARTICLES or part in words.COMMON for part in folded) and not known:
        return None
    return "Person" if known or len(parts) > 1 else None


def _is_house(folded: list[str], address: re.Match[str]) -> bool:
    """Whether the address is a house's own: "Acme Tools <news@acmetools.example>"."""
    host = address["host"].casefold().replace("-", "").split(".")
    joined = "".join(folded)
    return joined in host or (bool(_GENERIC.match(address["local"])) and folded[0] in host)

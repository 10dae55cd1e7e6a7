"""Pure: the directional sentences: which words relate what to what. A phrase is what stands between two names.

A frame says nothing about negation or doubt: `relations` reads the rest of the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_ANY: Final = ("Thing", "Org", "Person", "Place")


@dataclass(frozen=True, slots=True)
class Rule:
    """Words that relate, and the types they relate; an unknown name is taken to be of the first type."""

    words: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """A place where a rule's words stand: text[start:end], with the blanks and commas around them."""

    rule: Rule
    start: int
    end: int
    predicate: str
    #: it stands behind a comma ("X, born in Y", "X, who works for Y"), so it speaks of the name next to it
    appositive: bool


_ROLE: Final = (
    r"(?:(?:former|current|new|acting|deputy|managing|executive|general|vice|founding|technical|regional|senior)[ ])?"
    r"(?:CEO|CFO|CTO|COO|chief[ ]executive(?:[ ]officer)?|director|founder|co-founder|president|vice-president|chairman"
    r"|chairwoman|chair|head|owner|co-owner|manager|secretary|treasurer|editor|partner|professor|principal|employee)"
)
_BE: Final = r"(?:is|was)[ ]"

RULES: Final = (
    Rule(
        r"works?[ ](?:for|at)|worked[ ](?:for|at)|(?:is|was|are|were)[ ]employed[ ](?:by|at)|joined"
        r"|arbeitet[ ](?:für|bei)|arbeitete[ ](?:für|bei)|travaille[ ](?:pour|chez)|trabaja[ ](?:para|en)|lavora[ ]per"
        r"|werkt[ ](?:voor|bij)",
        ("Person",),
        ("Org", "Person"),
    ),
    Rule(r"studied[ ]at|graduated[ ]from", ("Person",), ("Org",)),
    Rule(
        rf"{_BE}born[ ](?:in|on)|born[ ](?:in|on)|died[ ](?:in|on)|geboren[ ](?:in|am)|(?:est[ ])?née?[ ](?:à|le|en)"
        r"|nació[ ](?:en|el)|naci(?:do|da)[ ]en|nat[oa][ ]a",
        ("Person",),
        ("Place", "Date"),
    ),
    Rule(
        r"lives?[ ]in|lived[ ]in|resides?[ ]in|resided[ ]in|moved[ ]to|lebt[ ]in|wohnt[ ]in|habite[ ]à|vit[ ]à|vive[ ](?:en|a)"
        r"|woont[ ]in",
        ("Person",),
        ("Place",),
    ),
    Rule(r"depends?[ ](?:up)?on|depended[ ]on|relies[ ]on|rely[ ]on|relied[ ]on|hängt[ ]von", _ANY, _ANY),
    Rule(rf"(?:{_BE}(?:the[ ]|an?[ ])?|,[ ](?:the[ ])?){_ROLE}[ ](?:of|at)", ("Person",), ("Org", "Place")),
    Rule(rf"{_BE}married[ ]to|married", ("Person",), ("Person",)),
    Rule(
        r"acquired|acquires|(?:is|was|were)[ ]acquired[ ]by|bought|(?:was|were)[ ]bought[ ]by|took[ ]over"
        r"|(?:was|were)[ ]taken[ ]over[ ]by|acquired[ ]by",
        ("Org", "Person"),
        ("Org", "Person"),
    ),
    Rule(r"founded|co-founded", ("Person", "Org"), ("Org",)),
    Rule(
        r"(?:is|was|were)[ ]founded[ ]by|founded[ ]by|owned[ ]by|(?:is|was)[ ]owned[ ]by",
        ("Org",),
        ("Person", "Org"),
    ),
    Rule(r"owns", ("Person", "Org"), ("Org",)),
    Rule(r"(?:was|were)[ ]founded[ ](?:in|on)", ("Org",), ("Place", "Date")),
    Rule(
        rf"(?:{_BE})?(?:located|based|headquartered|situated)[ ]in|(?:hat|mit)[ ]Sitz[ ]in",
        ("Org", "Place"),
        ("Place",),
    ),
    Rule(
        rf"(?:{_BE}an?[ ]|,[ ](?:an?[ ]))(?:wholly[ ]owned[ ])?(?:subsidiary|division|member|part)[ ]of",
        ("Org", "Person", "Place"),
        ("Org", "Place"),
    ),
)


def _over_lines(words: str) -> str:
    """A phrase may go on in the next line."""
    return words.replace("[ ]", r"[ \n]")


#: After a passive or a simple past these make another phrase of it: "was acquired by" is not "acquired".
_ALL: Final = re.compile(
    r"(?P<lead>(?:,?[ \n](?:who|which|die|der|qui|que)(?:[ ](?:has|had|have))?[ \n]|,[ \n]|[ \n]\(|[ \n])"
    r"(?:(?:now|currently|also|still|later|then|recently|formerly|first|has|had|have)[ \n]){0,2}|(?=,[ ]))"
    r"(?:" + "|".join(f"(?P<r{n}>{_over_lines(rule.words)})" for n, rule in enumerate(RULES)) + r")"
    r"(?=[ \n](?!by[ \n]))[ \n](?:(?:the|an?|den|der|die|dem)[ \n])?"
)


def find(text: str) -> Iterator[Frame]:
    """The frames of a text, in order."""
    for match in _ALL.finditer(text):
        group = match.lastgroup
        if group is None or group == "lead":
            continue
        words = match[group]
        yield Frame(
            RULES[int(group[1:])],
            match.start(),
            match.end(),
            " ".join(words.lstrip(", \n").lower().split()),
            match["lead"].startswith((",", " who", " which", " (")) or words.startswith(","),
        )

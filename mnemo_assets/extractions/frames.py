"""Pure: the directional sentences: which words relate what to what. A phrase stands between two names.

A frame says nothing about negation or doubt: `relations` reads the rest of the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Rule:
    """Words that relate, and the types they relate.

    Where `tells`, an unknown name is taken to be of the first type: whoever works for something is a person.
    """

    words: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    tells: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """A place where a rule's words stand: text[start:end], with the blanks and commas around them."""

    rule: Rule
    start: int
    end: int
    predicate: str
    #: it stands behind a comma ("X, born in Y", "X, who works for Y"), so it speaks of the name next to it
    appositive: bool


_RANK: Final = (
    r"(?:(?:former|current|new|acting|deputy|managing|executive|general|vice|founding|technical|regional"
    r"|senior)[ ])?"
)
_BE: Final = r"(?:is|was)[ ]"
_IS_THE: Final = rf"(?:{_BE}(?:the[ ]|an?[ ])?|,[ ](?:the[ ]|an?[ ])?)"

RULES: Final = (
    Rule(
        r"works?[ ](?:for|at)|worked[ ](?:for|at)|(?:is|was|are|were)[ ]employed[ ](?:by|at)"
        r"|arbeitet[ ](?:für|bei)|arbeitete[ ](?:für|bei)|travaille[ ](?:pour|chez)|trabaja[ ]para"
        r"|lavora[ ]per"
        r"|werkt[ ](?:voor|bij)",
        ("Person",),
        ("Org", "Person"),
        tells=True,
    ),
    Rule(r"joined|studied[ ]at|graduated[ ]from", ("Person",), ("Org",)),
    Rule(
        rf"{_BE}born[ ](?:in|on)|born[ ](?:in|on)|born(?=[ ]\d)|died[ ](?:in|on)|geboren[ ](?:in|am)"
        r"|(?:est[ ])?née?[ ](?:à|le|en)|nació[ ](?:en|el)|nacid[oa][ ]en|nat[oa][ ]a",
        ("Person",),
        ("Place", "Date"),
        tells=True,
    ),
    Rule(
        r"lives?[ ]in|lived[ ]in|resides?[ ]in|resided[ ]in|lebt[ ]in|wohnt[ ]in|habite[ ]à|vit[ ]à"
        r"|vive[ ]en"
        r"|vive[ ]a|woont[ ]in",
        ("Person",),
        ("Place",),
        tells=True,
    ),
    Rule(r"moved[ ]to", ("Person", "Org"), ("Place",)),
    Rule(
        r"depends?[ ](?:up)?on|depended[ ]on|relies[ ]on|rely[ ]on|relied[ ]on",
        ("Thing", "Org", "Person", "Place"),
        ("Thing", "Org", "Person", "Place"),
        tells=True,
    ),
    Rule(
        rf"{_IS_THE}{_RANK}(?:CEO|CFO|CTO|COO|chief[ ]executive(?:[ ]officer)?|director|founder"
        rf"|co-founder|owner"
        r"|co-owner|partner|employee)[ ](?:of|at)",
        ("Person",),
        ("Org",),
        tells=True,
    ),
    Rule(
        rf"{_IS_THE}{_RANK}(?:president|chairman|chairwoman|chair|head|manager|secretary|treasurer"
        rf"|editor|professor"
        r"|principal|mayor)[ ](?:of|at)",
        ("Person",),
        ("Org", "Place"),
    ),
    Rule(rf"{_BE}married[ ]to", ("Person",), ("Person",), tells=True),
    Rule("married", ("Person",), ("Person",)),
    Rule(
        r"acquired|acquires|bought|took[ ]over|(?:is|was|were)[ ](?:acquired|bought"
        r"|taken[ ]over)[ ]by|acquired[ ]by",
        ("Org", "Person"),
        ("Org", "Person"),
    ),
    Rule(r"founded|co-founded|owns", ("Person", "Org"), ("Org",)),
    Rule(r"(?:(?:is|was|were)[ ])?(?:founded|owned)[ ]by", ("Org",), ("Person", "Org")),
    Rule(r"(?:was|were)[ ]founded[ ](?:in|on)", ("Org",), ("Place", "Date")),
    Rule(
        rf"(?:{_BE})?(?:located|based|headquartered|situated)[ ]in|(?:hat|mit)[ ]Sitz[ ]in",
        ("Org", "Place"),
        ("Place",),
    ),
    Rule(
        rf"(?:{_BE}an?[ ]|,[ ]an?[ ])(?:wholly[ ]owned[ ])?(?:subsidiary|division|member|part)[ ]of",
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

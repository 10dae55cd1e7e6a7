"""Pure: the words that say a relation -> one canonical predicate, and which way round they say it.

A synonym in the table joins two edges into one; words that are not in it stay as they are, without a
canonical predicate. Phrases are looked up whole: "works for" never matches inside "never works for".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mnemo_assets.graph import names


@dataclass(frozen=True, slots=True)
class Predicate:
    """A canonical predicate; `reversed` if the words have its subject and object the other way round."""

    name: str
    reversed: bool = False


#: canonical predicate -> phrases that say it in its direction, besides its own words
_FORWARD: Final[dict[str, str]] = {
    "works_for": "works for, work for, worked for, works at, worked at, is employed by, "
    "was employed by, employed by, is an employee of, employee of, employee at, arbeitet für, "
    "arbeitet bei, arbeitete für, arbeitete bei, travaille pour, travaille chez, trabaja para, "
    "lavora per, werkt voor, werkt bij",
    "leads": "leads, led, heads, headed, runs, manages, managed, directs, directed, chairs, chaired, "
    "head of, ceo of, ceo at, chief executive of, chief executive officer of, director of, president of, "
    "chairman of, chairwoman of, chair of, manager of, principal of, mayor of",
    "founded": "founded, co-founded, established, set up, founder of, co-founder of",
    "owns": "owns, owned, owner of, co-owner of",
    "acquired": "acquired, acquires, bought, buys, took over, takes over",
    "part_of": "part of, division of, subsidiary of, wholly owned subsidiary of",
    "member_of": "member of",
    "located_in": "is located in, was located in, based in, is based in, was based in, "
    "headquartered in, is headquartered in, was headquartered in, located in, was situated in, "
    "situated in, lies in, is situated in, hat sitz in, mit sitz in",
    "lives_in": "lives in, lived in, resides in, resided in, is resident in, lebt in, wohnt in, "
    "habite à, vit à, vive en, vive a, woont in",
    "moved_to": "moved to, relocated to, emigrated to",
    "born_in": "was born in, is born in, born in, geboren in, né à, née à, est né à, est née à, "
    "nació en, nacido en, nacida en",
    "born_on": "was born on, born on, born, geboren am",
    "died_in": "died in",
    "died_on": "died on",
    "married_to": "is married to, was married to, married",
    "parent_of": "father of, mother of, parent of",
    "studied_at": "studied at, studies at, graduated from, attended",
    "depends_on": "depends on, depended on, depend on, relies on, relied on, requires",
    "wrote": "wrote, author of",
    "wrote_to": "wrote to, writes to",
    "signed": "signed, signs",
    "sold_to": "sold to",
    "founded_on": "was founded on, was established on",
}
#: canonical predicate -> phrases that say it with subject and object the other way round
_BACKWARD: Final[dict[str, str]] = {
    "works_for": "employs, employed, hired",
    "leads": "is led by, was led by, led by, is headed by, was headed by, headed by, is run by, "
    "is managed by, is directed by, is chaired by, chaired by",
    "founded": "is founded by, was founded by, founded by, was established by, established by, was set up by",
    "owns": "is owned by, was owned by, owned by, belongs to, belonged to",
    "acquired": "is acquired by, was acquired by, acquired by, was bought by, bought by, was taken over by",
    "part_of": "includes, consists of",
    "born_in": "is the birthplace of, was the birthplace of",
    "parent_of": "son of, daughter of, child of",
    "depends_on": "is required by",
    "wrote": "is written by, was written by, written by",
    "signed": "is signed by, was signed by, signed by",
}


def _phrases() -> dict[str, Predicate]:
    """All phrases; that none stands twice is a test's business."""
    found = {name.replace("_", " "): Predicate(name) for name in _FORWARD}
    found |= {phrase: Predicate(name) for name, all_ in _FORWARD.items() for phrase in all_.split(", ")}
    return found | {
        phrase: Predicate(name, reversed=True)
        for name, all_ in _BACKWARD.items()
        for phrase in all_.split(", ")
    }


_PHRASES: Final = _phrases()

#: "was the former CEO of" says what "CEO of" says. Not "deputy" or "vice": that is another office.
_ABOUT_AN_OFFICE: Final = re.compile(
    r"(?:(?:is|was|are|were) )?(?:(?:the|an?) )?"
    r"(?:(?:former|current|new|acting|managing|executive|general) )?(?=\S.* (?:of|at)$)"
)


def find(raw: str) -> Predicate | None:
    """The predicate that the words say and its direction; None if the table does not know them.

    Args:
        raw: the words between subject and object; case, white space and "_" for a space do not matter.
    """
    phrase = names.canonical_key("", raw.replace("_", " "))
    return _PHRASES.get(phrase) or _PHRASES.get(_ABOUT_AN_OFFICE.sub("", phrase, count=1))


def canonical(raw: str) -> str | None:
    """The canonical predicate that the words say; None if the table does not know them."""
    found = find(raw)
    return None if found is None else found.name

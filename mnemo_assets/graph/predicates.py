"""Pure: the words that say a relation -> one canonical predicate, and which way round they say it.

A synonym in the table joins two edges into one; words that are not in it stay as they are, without a
canonical predicate. Phrases are looked up whole: "works for" never matches inside "never works for".
"""

from __future__ import annotations

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
    "works_for": "works for, work for, worked for, works at, worked at, is employed by, was employed by, "
    "employed by, is an employee of",
    "leads": "leads, led, heads, headed, runs, manages, managed, directs, directed, is head of, "
    "is the head of, chairs, chaired, is ceo of, is the ceo of, is director of, is the director of, "
    "is president of, is the president of",
    "founded": "founded, co-founded, established, set up, is the founder of, was the founder of",
    "owns": "owns, owned, is the owner of",
    "acquired": "acquired, acquires, bought, buys, took over, takes over",
    "part_of": "is part of, was part of, is a part of, is a division of, is a subsidiary of, subsidiary of",
    "member_of": "is a member of, was a member of, is member of",
    "located_in": "is located in, was located in, based in, is based in, was based in, headquartered in, "
    "is headquartered in, lies in, is situated in",
    "lives_in": "lives in, lived in, resides in, resided in, is resident in",
    "moved_to": "moved to, relocated to, emigrated to",
    "born_in": "was born in, is born in",
    "born_on": "was born on",
    "died_in": "died in",
    "died_on": "died on",
    "married_to": "is married to, was married to, married",
    "parent_of": "is the father of, is the mother of, is father of, is mother of, is a parent of",
    "studied_at": "studied at, studies at, graduated from, attended",
    "depends_on": "depends on, depended on, depend on, relies on, relied on, requires",
    "wrote": "wrote, is the author of, was the author of",
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
    "parent_of": "is the son of, is the daughter of, is son of, is daughter of, is a child of, son of, "
    "daughter of",
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


def find(raw: str) -> Predicate | None:
    """The predicate that the words say and its direction; None if the table does not know them.

    Args:
        raw: the words between subject and object; case, white space and "_" for a space do not matter.
    """
    return _PHRASES.get(names.canonical_key("", raw.replace("_", " ")))


def canonical(raw: str) -> str | None:
    """The canonical predicate that the words say; None if the table does not know them."""
    found = find(raw)
    return None if found is None else found.name

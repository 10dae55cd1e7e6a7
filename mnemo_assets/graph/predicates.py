"""Pure: the words that say a relation -> one canonical predicate, and which way round they say it.

The words are data, in predicates.toml beside this file. A synonym there joins two edges into one; words
that are not in it stay as they are, without a canonical predicate. Phrases are looked up whole: "works for"
never matches inside "never works for".
"""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from mnemo_assets.graph import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Predicate:
    """A canonical predicate; `reversed` if the words have its subject and object the other way round."""

    name: str
    reversed: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """What the table says of a canonical predicate: its inverse, and the types of its ends."""

    inverse: str
    subjects: frozenset[str]
    objects: frozenset[str]


def _table() -> Mapping[str, Mapping[str, Any]]:
    text = resources.files(__package__).joinpath("predicates.toml").read_text("utf-8")
    return MappingProxyType(tomllib.loads(text))


def _said(table: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Predicate]]:
    """Each phrase of a table with what it says; that none stands twice is a test's business."""
    for name, said in table.items():
        yield _folded(name), Predicate(name)
        if said["inverse"] != name:
            yield _folded(said["inverse"]), Predicate(name, reversed=True)
        for key, is_reversed in (("says", False), ("says_reversed", True)):
            for phrases in said.get(key, {}).values():
                yield from ((_folded(phrase), Predicate(name, is_reversed)) for phrase in phrases)


def _folded(raw: str) -> str:
    return names.canonical_key("", raw.replace("_", " "))


_TABLE: Final = _table()
#: canonical predicate -> what the table says of it
RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        name: Rule(said["inverse"], frozenset(said["subject"]), frozenset(said["object"]))
        for name, said in _TABLE.items()
    }
)
_PHRASES: Final = dict(_said(_TABLE))

#: "was the former CEO of" says what "CEO of" says. Not "deputy" or "vice": that is another office.
_ABOUT_AN_OFFICE: Final = re.compile(
    r"(?:(?:is|was|are|were) )?(?:(?:the|an?) )?"
    r"(?:(?:former|current|new|acting|managing|executive|general) )?(?=\S.* (?:of|at)$)"
)


@functools.lru_cache(4_096)
def find(raw: str) -> Predicate | None:
    """The predicate that the words say and its direction; None if the table does not know them.

    Args:
        raw: the words between subject and object; case, white space and "_" for a space do not matter.
    """
    phrase = _folded(raw)
    return _PHRASES.get(phrase) or _PHRASES.get(_ABOUT_AN_OFFICE.sub("", phrase, count=1))


def canonical(raw: str) -> str | None:
    """The canonical predicate that the words say; None if the table does not know them."""
    found = find(raw)
    return None if found is None else found.name


def allows(name: str, subject: str, object_: str) -> bool:
    """Whether things of these types may be the ends of a canonical predicate, in its own direction."""
    rule = RULES[name]
    return subject in rule.subjects and object_ in rule.objects

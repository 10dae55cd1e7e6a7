"""What an extractor takes and gives. Offsets are code points of the text it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

EntityType = Literal["Person", "Org", "Place", "Date", "Thing"]
Role = Literal["mentioned", "author", "recipient"]


@dataclass(frozen=True, slots=True)
class Entity:
    """A name in a text: `text[start:end] == name`, without title, article or possessive s.

    It stands on one line. Only what a model names may go on in the next one, where the line ends within it.
    """

    type: str
    name: str
    start: int
    end: int
    role: str = "mentioned"


@dataclass(frozen=True, slots=True)
class Relation:
    """A statement: `subject` and `object` index the entities; `text[start:end]` is the sentence that says it.

    The predicate is the statement's own words in lower case, read from subject to object: "works for".
    """

    subject: int
    predicate: str
    object: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in a text. Entities do not overlap, and are sorted by (start, end, type)."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]


class Extractor(Protocol):
    """A recipe: the same text gives the same extraction as long as the version stays."""

    @property
    def name(self) -> str:
        """What MNEMO_EXTRACTOR calls it."""

    @property
    def version(self) -> int:
        """Rises when the same text may give another extraction; the graph is then built anew."""

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """One extraction a text, in order."""

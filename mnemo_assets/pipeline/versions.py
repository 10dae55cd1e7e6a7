"""Which code made what there is: a version for each step, so that what older code made can be told."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Final

from mnemo_assets import chunks
from mnemo_assets.archive.rules import RULES_VERSION
from mnemo_assets.extractions import recipes
from mnemo_assets.graph.merge import DERIVATION
from mnemo_assets.pipeline.generations import find
from mnemo_assets.text import blend
from mnemo_assets.text.reading import READERS

if TYPE_CHECKING:
    from mnemo_assets.database import Connection

#: reader -> its version
READER_VERSIONS: Final = {reader.name: reader.version for reader in READERS.values()}


@dataclass(frozen=True, slots=True)
class Versions:
    """The version of each step's code; a step that has several kinds of code names them all."""

    files: str
    text: str
    ocr: str
    chunks: str
    extractions: str
    graph: str


#: Of this code, whatever graph there is.
CODE: Final = Versions(
    files=f"rules-{RULES_VERSION}",
    text=" ".join(f"{name}-{version}" for name, version in sorted(READER_VERSIONS.items())),
    ocr=f"ocr-{blend.VERSION}",
    chunks=f"chunks-{chunks.VERSION}",
    extractions=" ".join(f"{name}-{version}" for name, version in sorted(recipes.versions().items())),
    graph=f"merge-{DERIVATION}",
)


def line(connection: Connection) -> str:
    """The code's versions and the generation that is served, in one line: what was told by it is current."""
    active = find(connection, "active")
    return "|".join((*astuple(CODE), str(active.generation if active is not None else 0)))


def changed(told: str | None, now: str) -> frozenset[str]:
    """The steps of which something else is to be told, since `line` was another one."""
    names = ("files", "text", "ocr", "chunks", "extractions", "graph")
    before, after = (told or "").split("|"), now.split("|")
    if len(before) != len(after):
        return frozenset(names)
    steps = {name for name, old, new in zip(names, before, after, strict=False) if old != new}
    return frozenset(steps | ({"extractions", "graph"} if before[-1] != after[-1] else set()))

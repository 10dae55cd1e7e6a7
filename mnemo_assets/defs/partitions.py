"""The documents' partitions: one a content, its key is the sha256."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import dagster as dg

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

NAME: Final = "documents"
documents: Final = dg.DynamicPartitionsDefinition(name=NAME)

#: Keys in one statement: it has two parameters a key, of at most 65,535.
BATCH: Final = 5_000


@dataclass(frozen=True, slots=True)
class Registered:
    """What became of keys: added, removed, and refused (nothing that can be a key)."""

    added: int
    removed: int = 0
    refused: int = 0


def register(
    instance: dg.DagsterInstance, wanted: Iterable[object], known: Collection[str] | None = None
) -> Registered:
    """Add the keys that are not there yet; one that cannot be a key stops no other.

    Args:
        instance: where.
        wanted: keys, as text or something that has a text.
        known: the keys that are there, where the caller has them; adding one that is there takes as long as
            adding one that is not, so they are left out.
    """
    here = frozenset(
        documents.get_partition_keys(dynamic_partitions_store=instance) if known is None else known
    )
    new, refused = additions(wanted, here)
    for start in range(0, len(new), BATCH):
        instance.add_dynamic_partitions(NAME, new[start : start + BATCH])
    return Registered(added=len(new), refused=refused)


def additions(wanted: Iterable[object], known: Collection[str]) -> tuple[list[str], int]:
    """The wanted keys that are not known, as text, each once and in order; and how many cannot be keys."""
    texts = [str(key) for key in wanted]
    fit = [key for key in texts if _fits(key)]
    return list(dict.fromkeys(key for key in fit if key not in known)), len(texts) - len(fit)


def _fits(key: str) -> bool:
    """Whether Dagster takes a key: it says so only by refusing all that come with it."""
    try:
        dg.StaticPartitionsDefinition([key])
    except dg.DagsterInvalidDefinitionError:
        return False
    return bool(key)


def unregister(instance: dg.DagsterInstance, gone: Iterable[str]) -> int:
    """Remove keys; how many."""
    removed = 0
    for key in gone:
        if instance.has_dynamic_partition(NAME, key):
            instance.delete_dynamic_partition(NAME, key)
            removed += 1
    return removed

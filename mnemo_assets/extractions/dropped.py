"""Pure: what a model said that is not believed, and why: kept within bounds, and counted."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mnemo_assets.text.normalise import FORBIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: {"kind": "entity" or "relation", "why": a word, "item": what it was}; what is over the bound has a "count"
#: in place of its item.
Dropped: TypeAlias = dict[str, Any]

#: That are kept of one reply, or of one text.
MOST: Final = 50
#: Characters of an item.
LONGEST: Final = 300


def dropped(kind: str, why: str, item: object) -> Dropped:
    """An item that is not believed, as a jsonb column can hold it."""
    said = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
    return {"kind": kind, "why": why, "item": FORBIDDEN.sub("\ufffd", said[: 4 * LONGEST])[:LONGEST]}


def bounded(items: Iterable[Dropped]) -> tuple[Dropped, ...]:
    """The first of them as they are, and of the rest how many there are of each kind."""
    kept: list[Dropped] = []
    more: Counter[tuple[str, str]] = Counter()
    for item in items:
        if "item" in item and len(kept) < MOST:
            kept.append(item)
        else:
            more[item["kind"], item["why"]] += item.get("count", 1)
    return (*kept, *({"kind": kind, "why": why, "count": n} for (kind, why), n in sorted(more.items())))


def count(items: Iterable[Dropped], why: str, kind: str | None = None) -> int:
    """How many were dropped for a reason."""
    return sum(each.get("count", 1) for each in _of(items, why, kind))


def _of(items: Iterable[Dropped], why: str, kind: str | None) -> Iterator[Dropped]:
    return (each for each in items if each["why"] == why and kind in (None, each["kind"]))

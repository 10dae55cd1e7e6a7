"""What each recipe did, and what its requests to a model cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemo_assets.database import Connection, queries
from mnemo_assets.extractions import recipes
from mnemo_assets.pipeline import extractors

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Mapping

Q = queries("extractors")


@dataclass(frozen=True, slots=True)
class Cost:
    """What requests cost, answered or not; of one day, or of all."""

    day: dt.date | None
    calls: int
    attempts: int
    prompt_tokens: int
    completion_tokens: int
    milliseconds: int


@dataclass(frozen=True, slots=True)
class Tally:
    """A recipe at the latest version that it was used at.

    Attributes:
        name: what it is called on the command line.
        kind: "rules", or "model" for one that asks one.
        version: of its code.
        is_active: whether the graph that is served is made with it.
        is_measured: whether a bake-off has measured it.
        documents: of which it was given every text.
        chunks_done, chunks_failed, chunks_split: texts; of one that was split, some part could not be done.
        dropped: items of a model's replies that are not believed; of them `ungrounded` are names that stand
            nowhere in the text, and `malformed` no items at all.
        costs: of its requests; of all requests of its model together where several are stored.
    """

    name: str
    kind: str
    version: int
    is_active: bool
    is_measured: bool
    documents: int
    chunks_done: int
    chunks_failed: int
    chunks_split: int
    dropped: int
    ungrounded: int
    malformed: int
    costs: tuple[Cost, ...]


def tallies(connection: Connection, *, by_day: bool = False) -> list[Tally]:
    """Each recipe that was used or can be, by name.

    Args:
        connection: the owner's.
        by_day: a cost for each day, by the database's clock; without, one for all, if there is any.
    """
    outcomes = {row["extractor_id"]: row for row in connection.execute(Q["count_outcomes"])}
    documents = {row["extractor_id"]: row["n"] for row in connection.execute(Q["count_documents"])}
    measured = {row["recipe"] for row in connection.execute(Q["measured_recipes"])}
    costs: dict[str, list[Cost]] = {}
    for row in connection.execute(Q["sum_calls"], {"days": by_day}):
        costs.setdefault(row.pop("recipe"), []).append(Cost(**row))
    found = []
    for one in _all(connection):
        counted: Mapping[str, int] = outcomes.get(one.extractor_id, {})
        found.append(
            Tally(
                name=one.label,
                kind="model" if one.asks_a_model else "rules",
                version=one.version,
                is_active=one.is_active,
                is_measured=f"{one.name}@{one.request_hash}" in measured,
                documents=documents.get(one.extractor_id, 0),
                chunks_done=counted.get("done", 0),
                chunks_failed=counted.get("failed", 0),
                chunks_split=counted.get("split", 0),
                dropped=counted.get("dropped", 0),
                ungrounded=counted.get("ungrounded", 0),
                malformed=counted.get("malformed", 0),
                costs=tuple(costs.get(one.name, ())),
            )
        )
    return found


def _all(connection: Connection) -> Iterator[extractors.Extractor]:
    """The recipes that were used, and those that could be without a model."""
    used = extractors.stored(connection)
    names = {one.name for one in used}
    new = [
        extractors.Extractor(0, name, recipes.version(name), "", is_active=False, label=name)
        for name in recipes.EXTRACTORS
        if name not in names and recipes.is_installed(name)
    ]
    yield from sorted([*used, *new], key=lambda one: one.label)

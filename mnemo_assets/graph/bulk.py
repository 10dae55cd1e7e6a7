"""The rows of many documents at once, into a generation that nobody is served yet.

COPY writes them straight into the tables: none of the documents has rows there, so that there is nothing to
compare, and no other table has to hold them first. Entities come before, in a transaction of their own, so
that several connections may fill a generation at once and none waits long for another. What a killed build
leaves of them, and their names, are put right by `settle`, before the generation is served.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from mnemo_assets.database import Connection, queries
from mnemo_assets.graph import names, store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mnemo_assets.graph.merge import Contribution, Identity, RelationRow

Q = queries("graph")

#: Ids that are remembered; beyond that they are asked for again. A few hundred bytes each.
MOST_IDS: Final = 200_000
#: Entities whose names are chosen in one transaction: who removes documents waits meanwhile.
RANGE: Final = 20_000

#: document_id -> what is to be its rows
Contributions: TypeAlias = "Mapping[int, Contribution]"

#: What has a meaning in the text format of COPY.
_ESCAPED: Final = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_NULL: Final = "\\N"


class Ids:
    """The ids of a generation's entities, as far as they were needed. One for all connections of a build."""

    def __init__(self) -> None:
        self._known: dict[Identity, int] = {}

    def of(
        self, connection: Connection, generation: int, contributions: Contributions
    ) -> dict[Identity, int]:
        """The ids of all entities of some documents; those that are not there yet are added.

        Args:
            connection: in autocommit mode, outside a transaction: others see at once what is added.
            generation: that is being built.
            contributions: the documents'.
        """
        wanted: dict[Identity, str] = {}
        for contribution in contributions.values():
            for row in contribution.entities:
                wanted.setdefault((row.type, row.key), row.name)
        known = self._known
        found = {identity: known[identity] for identity in wanted if identity in known}
        if missing := sorted(wanted.keys() - found.keys()):
            values = {
                "generation": generation,
                "types": [type_ for type_, _ in missing],
                "keys": [key for _, key in missing],
                "names": [wanted[identity] for identity in missing],
            }
            connection.execute(Q["insert_entities"], values)
            rows = connection.execute(Q["entity_ids"], values)
            added = {identity: row["entity_id"] for identity, row in zip(missing, rows, strict=True)}
            if len(known) + len(added) > MOST_IDS:
                known = self._known = {}
            known.update(added)
            found |= added
        return found


def add(
    connection: Connection, generation: int, contributions: Contributions, ids: Mapping[Identity, int]
) -> None:
    """Add documents to a generation in which none of them is.

    Args:
        connection: in a transaction that shares the graph.
        generation: that is being built.
        contributions: the documents'.
        ids: of all their entities.
    """
    mentions: list[str] = []
    spans: list[str] = []
    relations: list[str] = []
    refused: list[str] = []
    whole: list[str] = []
    for document_id, found in sorted(contributions.items()):
        place = f"{generation}\t{document_id}\t"
        numbers = [ids[row.type, row.key] for row in found.entities]
        mentions += [
            f"{place}{numbers[row.entity]}\t{row.role.translate(_ESCAPED)}\t{row.count}\t{row.quoted}\n"
            for row in found.mentions
        ]
        spans += [
            f"{place}{numbers[row.entity]}\t{row.start}\t{row.end}\t{row.form.translate(_ESCAPED)}"
            f"\t{row.page}\t{row.chunk}\t{row.quoted}\n"
            for row in found.spans
        ]
        relations += [f"{place}{_relation(row, numbers)}\t{row.quoted}\t1\n" for row in found.relations]
        refused += [f"{place}{_relation(row, numbers)}\n" for row in found.refused]
        whole.append(f"{place}{found.digest}\n")
    _copy(connection, "copy_mentions", mentions)
    _copy(connection, "copy_spans", spans)
    _copy(connection, "copy_relations", relations)
    _copy(connection, "copy_refused", refused)
    _copy(connection, "copy_contributions", whole)


def _relation(row: RelationRow, ids: list[int]) -> str:
    predicate = _NULL if row.predicate is None else row.predicate
    words = f"{row.predicate_raw.translate(_ESCAPED)}\t{predicate}"
    return f"{ids[row.subject]}\t{words}\t{ids[row.object]}\t{row.start}\t{row.end}\t{row.page}\t{row.chunk}"


def _copy(connection: Connection, query: str, lines: Iterable[str]) -> None:
    data = "".join(lines)
    if data:
        with connection.cursor() as cursor, cursor.copy(Q[query]) as copy:
            copy.write(data)


def settle(connection: Connection, generation: int) -> None:
    """Give the entities of a generation their names, and delete those that no document mentions.

    In transactions of some thousand entities. Nobody else may add documents to the generation meanwhile;
    documents may be removed.

    Args:
        connection: in autocommit mode.
        generation: that is being built.
    """
    after = 0
    while True:
        with connection.transaction():
            store.share(connection)
            place = {"generation": generation, "after": after, "limit": RANGE}
            reach = connection.execute(Q["entities_after"], place).fetchone()
            if reach is None or reach["last"] is None:
                return
            place["upto"] = reach["last"]
            connection.execute(Q["delete_unmentioned"], place)
            chosen = {
                row["entity_id"]: names.display_name(dict(zip(row["forms"], row["counts"], strict=True)))
                for row in connection.execute(Q["forms_to_choose"], place)
            }
            if chosen:
                connection.execute(Q["set_names"], {"ids": list(chosen), "names": list(chosen.values())})
        after = reach["last"]

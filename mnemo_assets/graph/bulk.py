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
    from collections.abc import Mapping

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
    ) -> Mapping[Identity, int]:
        """The ids of the entities of some documents, and of others; those that are not there yet are added.

        Args:
            connection: in autocommit mode, outside a transaction: others see at once what is added.
            generation: that is being built.
            contributions: the documents'.
        """
        known = self._known
        missing: dict[Identity, str] = {}
        for contribution in contributions.values():
            for row in contribution.entities:
                if (identity := row[:2]) not in known:
                    missing.setdefault(identity, row.name)
        if known and len(known) + len(missing) > MOST_IDS:
            self._known = {}  # the one that others are using stays as it is
            return self.of(connection, generation, contributions)
        if missing:
            ordered = sorted(missing)
            values = {
                "generation": generation,
                "types": [type_ for type_, _ in ordered],
                "keys": [key for _, key in ordered],
                "names": [missing[identity] for identity in ordered],
            }
            connection.execute(Q["insert_entities"], values)
            rows = connection.execute(Q["entity_ids"], values)
            known.update((identity, row["entity_id"]) for identity, row in zip(ordered, rows, strict=True))
        return known


def lines(generation: int, contributions: Contributions, ids: Mapping[Identity, int]) -> dict[str, bytes]:
    """The rows of documents as COPY takes them: query -> text, in the order in which they can be written.

    Args:
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
        numbers = [ids[row[:2]] for row in found.entities]
        mentions += [
            f"{place}{numbers[row.entity]}\t{_escaped(row.role)}\t{row.count}\t{row.quoted}\n"
            for row in found.mentions
        ]
        spans += [
            f"{place}{numbers[row.entity]}\t{row.start}\t{row.end}\t{_escaped(row.form)}"
            f"\t{row.page}\t{row.chunk}\t{row.quoted}\n"
            for row in found.spans
        ]
        relations += [f"{place}{_relation(row, numbers)}\t{row.quoted}\t1\n" for row in found.relations]
        refused += [f"{place}{_relation(row, numbers)}\n" for row in found.refused]
        whole.append(f"{place}{found.digest}\n")
    rows = {
        "copy_mentions": mentions,
        "copy_spans": spans,
        "copy_relations": relations,
        "copy_refused": refused,
        "copy_contributions": whole,
    }
    return {query: "".join(some).encode() for query, some in rows.items()}


def _escaped(text: str) -> str:
    return text if text.isprintable() and "\\" not in text else text.translate(_ESCAPED)


def _relation(row: RelationRow, ids: list[int]) -> str:
    predicate = _NULL if row.predicate is None else row.predicate
    words = f"{_escaped(row.predicate_raw)}\t{predicate}"
    return f"{ids[row.subject]}\t{words}\t{ids[row.object]}\t{row.start}\t{row.end}\t{row.page}\t{row.chunk}"


def add(connection: Connection, rows: Mapping[str, bytes]) -> None:
    """Add documents to a generation in which none of them is.

    Args:
        connection: in a transaction that shares the graph.
        rows: of `lines`.
    """
    for query, data in rows.items():
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

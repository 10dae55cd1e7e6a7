"""A document's rows of the graph: written whole, replaced whole, taken out whole.

Any number of processes may write at once. Writers share the graph's advisory lock, and lock rows of entities
in the order of (type, key), so that none waits for another that waits for it. Who removes documents or
entities has the lock alone. In every transaction it is the first lock that is taken.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from mnemo_assets.database import Connection, queries
from mnemo_assets.graph import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemo_assets.graph.merge import Contribution, RelationRow

Q = queries("graph")

#: Entities whose names are chosen in one transaction: it has the graph alone for some milliseconds.
BATCH = 500


def share(connection: Connection) -> None:
    """Write beside others to the end of this transaction; wait for who has the graph alone."""
    connection.execute(Q["share_graph"])


def own(connection: Connection) -> None:
    """Have the graph alone to the end of this transaction; wait for all who write."""
    connection.execute(Q["own_graph"])


def replace(connection: Connection, generation: int, document_id: int, contribution: Contribution) -> None:
    """Make a document's rows in a generation those of `contribution`, whatever was there.

    To be called before the transaction locks any row. Names that may change are marked for `finish`.

    Raises:
        psycopg.errors.ForeignKeyViolation: the document or the generation was deleted meanwhile.
    """
    share(connection)
    place = {"generation": generation, "document_id": document_id}
    ids, added = _entity_ids(connection, generation, contribution)
    mentioned = [ids[row.entity] for row in contribution.mentions]
    connection.execute(Q["mark_stale"], {**place, "ids": sorted(set(mentioned) - added)})
    connection.execute(Q["delete_mentions"], {**place, "ids": mentioned})
    connection.execute(
        Q["put_mentions"],
        {
            **place,
            "ids": mentioned,
            "roles": [row.role for row in contribution.mentions],
            "counts": [row.count for row in contribution.mentions],
            "quoted": [row.quoted for row in contribution.mentions],
        },
    )
    _put_spans(connection, place, ids, contribution)
    _put_relations(connection, place, ids, contribution)
    connection.execute(Q["put_contribution"], {**place, "digest": contribution.digest})


def _entity_ids(
    connection: Connection, generation: int, contribution: Contribution
) -> tuple[list[int], set[int]]:
    """The ids of the contribution's entities, in its order, and which are new: their name is right."""
    values = {
        "generation": generation,
        "types": [row.type for row in contribution.entities],
        "keys": [row.key for row in contribution.entities],
        "names": [row.name for row in contribution.entities],
    }
    added = {row["entity_id"] for row in connection.execute(Q["insert_entities"], values)}
    return [row["entity_id"] for row in connection.execute(Q["entity_ids"], values)], added


def _put_spans(
    connection: Connection, place: dict[str, int], ids: Sequence[int], contribution: Contribution
) -> None:
    values = {
        **place,
        "ids": [ids[row.entity] for row in contribution.spans],
        "starts": [row.start for row in contribution.spans],
        "ends": [row.end for row in contribution.spans],
        "forms": [row.form for row in contribution.spans],
        "pages": [row.page for row in contribution.spans],
        "chunks": [row.chunk for row in contribution.spans],
        "quoted": [row.quoted for row in contribution.spans],
    }
    connection.execute(Q["delete_spans"], values)
    connection.execute(Q["put_spans"], values)


def _put_relations(
    connection: Connection, place: dict[str, int], ids: Sequence[int], contribution: Contribution
) -> None:
    connection.execute(Q["delete_relations"], place)
    for query, rows in (
        ("insert_relations", contribution.relations),
        ("insert_refused", contribution.refused),
    ):
        if rows:
            connection.execute(Q[query], {**place, **_columns(rows, ids)})


def _columns(rows: Sequence[RelationRow], ids: Sequence[int]) -> dict[str, list[object]]:
    return {
        "subjects": [ids[row.subject] for row in rows],
        "raws": [row.predicate_raw for row in rows],
        "predicates": [row.predicate for row in rows],
        "objects": [ids[row.object] for row in rows],
        "starts": [row.start for row in rows],
        "ends": [row.end for row in rows],
        "pages": [row.page for row in rows],
        "chunks": [row.chunk for row in rows],
        "quoted": [row.quoted for row in rows],
    }


def withdraw(connection: Connection, document_ids: Sequence[int]) -> None:
    """Take documents out of the graph, in every generation; their chunks stay.

    To be called before the transaction locks any row. Entities without a mention go with `finish`.
    """
    own(connection)
    values = {"document_ids": list(document_ids)}
    connection.execute(Q["mark_mentioned_stale"], values)
    connection.execute(Q["delete_contributions"], values)


def forget(connection: Connection, document_ids: Sequence[int], keep: Sequence[str] = ()) -> None:
    """Take documents out of the graph with their chunks, and what was found in chunks of theirs alone.

    To be called before the transaction locks any row, and before it deletes the documents.

    Args:
        connection: in a transaction.
        document_ids: the documents.
        keep: contents (sha256 of a chunk's text) of which the extractions stay: they are about to come back.
    """
    withdraw(connection, document_ids)
    gone = connection.execute(Q["delete_chunks"], {"document_ids": list(document_ids)}).fetchall()
    hashes = {row["content_sha256"] for row in gone} - set(keep)
    forget_unused(connection, sorted(hashes))


def forget_unused(connection: Connection, contents: Sequence[str]) -> None:
    """Delete what was found in these contents, and what models answered, where no chunk has them any more."""
    connection.execute(Q["delete_unused_extractions"], {"hashes": list(contents)})


def finish(connection: Connection, generation: int, limit: int = BATCH) -> int:
    """Choose the names of at most `limit` entities whose mentions changed; delete those without a mention.

    To be called, each time in a transaction of its own, until it returns 0: writers wait meanwhile.

    Returns:
        How many entities were looked at.
    """
    own(connection)
    stale = connection.execute(Q["stale_entities"], {"generation": generation, "limit": limit}).fetchall()
    orphans = [row["entity_id"] for row in stale if not row["mentioned"]]
    if orphans:
        connection.execute(Q["delete_entities"], {"ids": orphans})
    mentioned = [row["entity_id"] for row in stale if row["mentioned"]]
    forms: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for row in connection.execute(Q["forms"], {"ids": mentioned}):
        forms[row["entity_id"]][row["form"]] = row["n"]
    chosen = {entity: names.display_name(counted) for entity, counted in forms.items()}
    connection.execute(Q["set_names"], {"ids": list(chosen), "names": list(chosen.values())})
    return len(stale)

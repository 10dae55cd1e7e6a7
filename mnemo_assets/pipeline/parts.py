"""The documents inside of documents, as rows: a mail's attachments become documents of their own.

Their bytes are never stored: whoever reads one takes it from its parent again. A part passes the gates of a
file, lies at most DEEPEST deep, and is not inside of itself. One content is one document, whatever holds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mnemo_assets.archive.rules import RULES_VERSION
from mnemo_assets.database import Connection, queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemo_assets.text.pages import Part

Q = queries("parts")
_ARCHIVE = queries("archive")

#: How many documents a document may be inside of: forwarded mails are rarely three deep. Views know it, too.
DEEPEST: Final = 5
#: What keeps a part out beside the rules for files.
CYCLE: Final = "part:cycle"
TOO_DEEP: Final = "part:too-deep"


def share_ledger(connection: Connection) -> None:
    """Keep documents from being removed to the end of this transaction; before it locks anything else."""
    connection.execute(_ARCHIVE["share_ledger"])


def put(connection: Connection, document_id: int, parts: Sequence[Part]) -> tuple[bool, bool]:
    """Make the parts of a document those that its reader found, and have documents for those that come in.

    Args:
        connection: in a transaction that holds the ledger where there are parts, and the document's row.
        document_id: of the parent.
        parts: in order; their paths differ.

    Returns:
        Whether a document has come in by that, and whether one may have lost what held it.
    """
    judged = _judged(connection, document_id, parts) if parts else []
    values: dict[str, Any] = {
        "document_id": document_id,
        "rules_version": RULES_VERSION,
        "paths": [part.path for part in parts],
        "names": [part.name for part in parts],
        "exts": [part.ext for part in parts],
        "sizes": [part.size for part in parts],
        "hashes": [part.sha256 for part in parts],
        "rules": judged,
    }
    lost = connection.execute(Q["delete_parts"], values).fetchall()
    if not parts:
        return False, bool(lost)
    coming = [part.sha256 for part, rule in zip(parts, judged, strict=True) if rule is None]
    new = connection.execute(_ARCHIVE["insert_documents"], {"hashes": coming}).fetchall() if coming else []
    connection.execute(Q["put_parts"], values)
    return bool(new), bool(lost)


def _judged(connection: Connection, document_id: int, parts: Sequence[Part]) -> list[str | None]:
    """The rule that keeps each part out, or None."""
    values = {"document_id": document_id, "deepest": DEEPEST}
    place = connection.execute(Q["place_of"], values).fetchone()
    assert place is not None
    inside, depth = set(place["hashes"]), place["depth"] or 0
    deep = TOO_DEEP if depth >= DEEPEST else None
    return [part.rule or (CYCLE if part.sha256 in inside else deep) for part in parts]


def refresh(connection: Connection) -> None:
    """Let in what is not too deep any more, and have read again what older rules have judged.

    Args:
        connection: in autocommit mode.
    """
    connection.execute(Q["mark_outdated"], {"rules_version": RULES_VERSION})
    if not connection.execute(Q["liftable"], {"deepest": DEEPEST}).fetchall():
        return
    with connection.transaction():
        share_ledger(connection)
        rows = connection.execute(Q["liftable"], {"deepest": DEEPEST}).fetchall()
        connection.execute(_ARCHIVE["insert_documents"], {"hashes": [row["sha256"] for row in rows]})
        values = {"parent_ids": [row["parent_id"] for row in rows], "paths": [row["path"] for row in rows]}
        connection.execute(Q["lift"], values)

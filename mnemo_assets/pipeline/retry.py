"""Once more: documents that failed, or that a gate keeps out, go back to the step that they wait for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from mnemo_assets.errors import ErrorClass

Q = queries("retry")
PAGES = queries("ocr")

#: A document is named by at least so many digits of its sha256.
PREFIX = re.compile(r"[0-9a-f]{6,64}")


def retry(
    connection: Connection,
    *,
    stage: str | None = None,
    error_class: ErrorClass | None = None,
    sha256: str | None = None,
    force: bool = False,
) -> int:
    """Send documents back to be read or mined again by the next sync.

    Without a filter these are all that failed, and those of which some chunks could not be mined: of these,
    only the chunks that failed are mined again. What waits for text recognition must be asked for by a
    filter. What was skipped must be named by its sha256, or asked for by a filter and forced.

    Args:
        connection: in autocommit mode.
        stage: only documents in this stage.
        error_class: only documents with this class.
        sha256: only this document; six digits or more that it begins with.
        force: take it in although a gate says no, from now on; with `sha256`, read it even if it is well.

    Returns:
        How many documents were sent back.

    Raises:
        UsageError: `sha256` is malformed, or several documents begin with it.
        NotFoundError: no document begins with it.
    """
    values = {
        "stage": stage,
        "error_class": error_class,
        "document_id": None if sha256 is None else _document(connection, sha256),
        "force": force,
    }
    with connection.transaction():
        sent = connection.execute(Q["send_back"], values).fetchall()
        mined = [row["document_id"] for row in sent if row["stage"] == "extracted"]
        again = [row["document_id"] for row in sent if row["stage"] == "new"]
        connection.execute(PAGES["forget_failures"], {"document_ids": again})
        connection.execute(Q["delete_failures"], {"document_ids": mined})
    return len(sent)


def sha256_of(connection: Connection, beginning: str) -> str:
    """The sha256 of the document whose sha256 begins like this; errors as for `retry`."""
    return str(_named(connection, beginning)["sha256"])


def _document(connection: Connection, sha256: str) -> int:
    return int(_named(connection, sha256)["document_id"])


def _named(connection: Connection, sha256: str) -> dict[str, Any]:
    prefix = sha256.lower()
    if not PREFIX.fullmatch(prefix):
        raise UsageError("A document is named by six or more hexadecimal digits of its sha256.")
    found = connection.execute(Q["documents_like"], {"prefix": prefix}).fetchall()
    if not found:
        raise NotFoundError("No document has a sha256 that begins like this.")
    if len(found) > 1:
        raise UsageError("Several documents have a sha256 that begins like this. Give more of its digits.")
    return found[0]

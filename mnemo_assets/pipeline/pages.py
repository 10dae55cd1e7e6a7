"""What was recognised on pages that are pictures, kept a page at a time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemo_assets.database import Connection, queries
from mnemo_assets.pipeline import claims
from mnemo_assets.text.blend import Recognitions
from mnemo_assets.text.ocr import Recognised

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

    from mnemo_assets.pipeline.attempt import Job

Q = queries("ocr")


@dataclass(frozen=True, slots=True)
class Page:
    """What came of one page.

    Attributes:
        number: from 1.
        engine, version: what read it.
        milliseconds: how long it took, by the clock.
        recognised: what is on it, or None.
        error: class and detail of what failed, or None.
    """

    number: int
    engine: str
    version: str
    milliseconds: int
    recognised: Recognised | None = None
    error: str | None = None


def known(connection: Connection, document_ids: Sequence[int]) -> dict[int, Recognitions]:
    """What is known of documents' pages, for each of these documents."""
    found: defaultdict[int, dict[int, Recognised]] = defaultdict(dict)
    failed: defaultdict[int, set[int]] = defaultdict(set)
    for row in connection.execute(Q["recognitions"], {"document_ids": list(document_ids)}):
        if row["text"] is None:
            failed[row["document_id"]].add(row["page"])
        else:
            found[row["document_id"]][row["page"]] = Recognised(
                row["text"], row["words"], row["confidence"], row["languages"]
            )
    return {one: Recognitions(found[one], frozenset(failed[one])) for one in document_ids}


def keep(connection: Connection, job: Job, page: Page, lease: timedelta) -> None:
    """Keep what came of a page, and let the claim stand for longer, in a transaction.

    Raises:
        claims.LostError: the claim does not stand any more, and nothing was written.
    """
    one = page.recognised
    values = {
        "document_id": job.document_id,
        "page": page.number,
        "engine": page.engine,
        "engine_version": page.version,
        "languages": one.languages if one else "",
        # NUL is nothing that a database takes, or an engine should say
        "text": one.text.replace("\0", "") if one else None,
        "words": one.words if one else 0,
        "confidence": one.confidence if one else None,
        "error": page.error,
        "milliseconds": page.milliseconds,
    }
    with connection.transaction():
        claims.commit_lazily(connection)
        claims.hold(connection, job.document_id, job.claim_token)
        connection.execute(Q["put_page"], values)
        connection.execute(Q["renew"], {"document_id": job.document_id, "lease": lease})

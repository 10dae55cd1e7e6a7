"""From stored replies to extractions once more, without asking a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_assets.database import queries
from mnemo_assets.extractions import from_llm, replies, store
from mnemo_assets.extractions.request import Template

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mnemo_assets.database import Connection

Q = queries("extractors")


def rederive(connection: Connection, extractor_id: int, contents: Mapping[str, str]) -> None:
    """Store what a recipe that asks a model makes of the replies that are stored.

    A text of which a reply is missing gets no outcome: no request is made.

    Args:
        connection: the owner's, in autocommit mode.
        extractor_id: the recipe, at this code's version; its row has the request.
        contents: texts without an outcome of the recipe at this version: sha256 -> text.
    """
    row = connection.execute(Q["request_of"], {"extractor_id": extractor_id}).fetchone()
    assert row is not None
    template = Template.from_json(row["request"])
    for content, known in replies.about(connection, contents).items():
        resolved = from_llm.resolve(template, contents[content], known)
        if not resolved.missing:
            store.store_resolved(connection, extractor_id, content, resolved)

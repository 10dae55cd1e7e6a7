"""From stored replies to extractions once more, without asking a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mnemo_assets.database import Connection


def rederive(connection: Connection, extractor_id: int, contents: Mapping[str, str]) -> None:
    """Store what a recipe that asks a model makes of the replies that are stored.

    A text of which a reply is missing gets no outcome: no request is made.

    Args:
        connection: the owner's, in autocommit mode.
        extractor_id: the recipe, at this code's version; its row has the request.
        contents: texts without an outcome of the recipe at this version: sha256 -> text.
    """
    # to be filled in with the store of replies: from_llm.resolve, and where nothing is missing, what it gives
    del connection, extractor_id, contents

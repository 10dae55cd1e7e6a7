"""What a model said of texts, derived anew from what it answered: no request is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_assets.extractions import from_llm, replies, store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mnemo_assets.database import Connection
    from mnemo_assets.extractions.request import Template


def replay(connection: Connection, extractor_id: int, template: Template, contents: Mapping[str, str]) -> int:
    """Store what the replies to a recipe's requests say of texts.

    Args:
        connection: the owner's.
        extractor_id: the recipe, at the version of this code.
        template: of its requests.
        contents: sha256 -> text.

    Returns:
        How many of the texts have all their replies; the others are left as they are.
    """
    derived = 0
    for content, known in replies.about(connection, contents).items():
        resolved = from_llm.resolve(template, contents[content], known)
        if not resolved.missing:
            store.store_resolved(connection, extractor_id, content, resolved)
            derived += 1
    return derived

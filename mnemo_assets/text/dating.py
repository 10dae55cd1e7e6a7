"""The day a document is dated by: what its content says, else its metadata. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import date

    from mnemo_assets.text.pages import Metadata


def document_date(
    _text: str, metadata: Metadata
) -> tuple[date, Literal["content", "metadata"]] | tuple[None, None]:
    """The day, and where it stands.

    Args:
        _text: the normalised text.
        metadata: what the file says about itself.
    """
    if metadata.sent is not None:
        return metadata.sent, "content"
    if metadata.created is not None:
        return metadata.created, "metadata"
    return None, None

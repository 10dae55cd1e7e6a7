"""Pure: marks on words that were recognised on pictures: they may not be the letters that stand there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

if TYPE_CHECKING:
    from mnemo_assets.serve.answer import Row


def recognised() -> Any:  # noqa: ANN401 - it is pydantic's Field
    """The field that marks words as recognised; absent on all others."""
    return Field(default=None, description="True: recognised on a picture (OCR); letters may be wrong.")


def doubtful() -> Any:  # noqa: ANN401 - it is pydantic's Field
    """The field that marks words as recognised with little confidence."""
    return Field(default=None, description="True: recognised with little confidence; words may be wrong.")


def of(row: Row, first: int, last: int) -> dict[str, bool]:
    """The marks of words that stand on the pages from `first` to `last`.

    Args:
        row: with `ocr_pages` and `ocr_doubtful`, or null where the document has none.
        first: page, from 1.
        last: page.
    """
    marks = {"ocr": row["ocr_pages"], "ocr_doubtful": row["ocr_doubtful"]}
    return {name: True for name, pages in marks.items() if any(first <= page <= last for page in pages or ())}


def words(ocr: bool | None, doubtful: bool | None) -> str:  # noqa: FBT001 - they are what a value holds
    """The marks for a person, to stand behind a page's number."""
    return " (OCR, uncertain)" if doubtful else " (OCR)" if ocr else ""

"""What a reader returns, and how much of it there may be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from mnemo_assets.errors import ErrorClass, ReadingError

if TYPE_CHECKING:
    from datetime import date

#: Code points of text that one document may have: 15 times a very long novel, and four bytes each of them
#: stay well under the gigabyte that Postgres stores in one value.
MAX_TEXT = 50_000_000
#: Bytes of a file that is text by itself: a code point has at most four.
MAX_TEXT_BYTES = 4 * MAX_TEXT
#: Pages of one document: ten times the longest PDF seen, a hostile one.
MAX_PAGES = 1_000_000


@dataclass(slots=True)
class Pages:
    """A document as its reader saw it, not normalised yet.

    Attributes:
        pages: their text, in order; what has no pages is one.
        title: the document's own, or None.
        document_date: the day the document gives itself, or None.
        document_date_source: where that day was found.
        awaiting_ocr: how many pages are pictures that wait for text recognition.
        usable: how many pages have text and do not wait; None means all that have text.
        has_content: whether there is something that is not text: then no text is a failure, not an empty
        document.
    """

    pages: list[str] = field(default_factory=list)
    title: str | None = None
    document_date: date | None = None
    document_date_source: Literal["content", "metadata"] | None = None
    awaiting_ocr: int = 0
    usable: int | None = None
    has_content: bool = False


class Budget:
    """Counts the text of one document as it comes, so that a bomb ends before it fills memory."""

    def __init__(self, characters: int = MAX_TEXT, pages: int = MAX_PAGES) -> None:
        self._characters = characters
        self._pages = pages

    def spend(self, text: str) -> str:
        """Count a piece of text, and return it.

        Raises:
            ReadingError: TOO_LARGE, there is more than MAX_TEXT.
        """
        self._characters -= len(text)
        if self._characters < 0:
            raise ReadingError(ErrorClass.TOO_LARGE, "characters")
        return text

    def spend_page(self) -> None:
        """Count a page.

        Raises:
            ReadingError: TOO_LARGE, there are more than MAX_PAGES.
        """
        self._pages -= 1
        if self._pages < 0:
            raise ReadingError(ErrorClass.TOO_LARGE, "pages")


def split_pages(text: str) -> list[str]:
    """The pages of a text in which form feeds stand between them.

    Raises:
        ReadingError: TOO_LARGE, there are more than MAX_PAGES.
    """
    if text.count("\f") >= MAX_PAGES:
        raise ReadingError(ErrorClass.TOO_LARGE, "pages")
    return text.removesuffix("\f").split("\f")

"""What a reader returns, and how much of it there may be."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date  # noqa: TC003 - the answer of a reader is validated by these annotations at run time
from typing import Final

from mnemo_assets.errors import ErrorClass, ReadingError

#: Code points of text that one document may have: 15 times a very long novel, and four bytes each of them
#: stay well under the gigabyte that Postgres stores in one value.
MAX_TEXT = 50_000_000
#: Bytes of a file that is text by itself: a code point has at most four.
MAX_TEXT_BYTES = 4 * MAX_TEXT
#: Pages of one document: ten times the longest PDF seen, a hostile one.
MAX_PAGES = 1_000_000
#: Parts of one document, such as the attachments of a mail.
MAX_PARTS: Final = 1_000
#: Bytes of a part: it is held in memory beside the document that it is taken from.
MAX_PART: Final = 512 << 20


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a file says about itself. Lines, not normalised yet where a reader returns them.

    Attributes:
        title: of the document; a mail's subject.
        author: who made it.
        sender: whom a mail is from, its header as a line.
        recipients: whom it is to, the same.
        copies: who got a copy, the same.
        message_id: a mail's, without the angle brackets.
        created: the day on which it was made.
        modified: the day on which it was last changed.
        sent: the day on which a mail was sent, in its sender's time zone.
    """

    title: str | None = None
    author: str | None = None
    sender: str | None = None
    recipients: str | None = None
    copies: str | None = None
    message_id: str | None = None
    created: date | None = None
    modified: date | None = None
    sent: date | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A document inside of a document, such as an attachment. Its bytes are taken from there again.

    Attributes:
        path: which it is, for the reader that found it: "1" is the first.
        name: its file name, as it is given there; may be empty, and may hold anything.
        ext: in lower case, without a dot; of the name, else of the type that is declared.
        size: in bytes.
        sha256: of its bytes.
        rule: the rule that keeps it out, for its name or its content, or None.
    """

    path: str
    name: str
    ext: str
    size: int
    sha256: str
    rule: str | None = None


@dataclass(slots=True)
class Pages:
    """A document as its reader saw it, not normalised yet.

    Attributes:
        pages: their text, in order; what has no pages is one.
        metadata: what the file says about itself.
        parts: the documents inside of it.
        waiting: the numbers, from 1 and ascending, of the pages that are pictures and wait for text
            recognition.
        usable: how many pages have text and do not wait; None means all that have text.
        has_content: whether there is something that is not text: then no text is a failure, not an empty
        document.
        is_mail: whether it is one, in which earlier ones may be quoted.
    """

    pages: list[str] = field(default_factory=list)
    metadata: Metadata = field(default_factory=Metadata)
    parts: list[Part] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    usable: int | None = None
    has_content: bool = False
    is_mail: bool = False


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


def worded(parts: list[str]) -> bool:
    """Whether what has been written since the last form feed, a part by itself, has words."""
    return next((part != "\f" for part in reversed(parts) if part == "\f" or part.strip()), False)

"""Pure: the text of a document and what was recognised on its pages that are pictures, as one text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from mnemo_assets.text import dating
from mnemo_assets.text.normalise import join, normalise
from mnemo_assets.text.ocr import DOUBTFUL
from mnemo_assets.text.pages import Budget

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mnemo_assets.text.ocr import Recognised
    from mnemo_assets.text.reading import Text

#: Of this code: what was recognised is joined to a text in another way.
VERSION: Final = 1
#: From this likeness on, a recognised line is the same as one that is known for certain. A wrong letter in
#: five still is; another digit is another line, as it may be another day or sum.
_SAME: Final = 0.8
#: Lines of a page that are compared: more than a page of print has.
_COMPARED: Final = 1_000
_NOT_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Recognitions:
    """What is known of a document's pages that are pictures.

    Attributes:
        pages: number of the page -> what was recognised on it.
        failed: numbers of the pages of which nothing was recognised as that failed.
    """

    pages: Mapping[int, Recognised] = field(default_factory=dict)
    failed: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Blend:
    """A text with what was recognised.

    Attributes:
        text: of the document; `waiting` and `scanned` say what its reader said.
        pages: numbers of the pages on which recognised words stand, or on which there are none.
        doubtful: those of them whose words are as likely wrong as right.
        confidence: the mean of all recognised words for which there is a measure, of 100.
        failed: how many pages could not be recognised.
        waiting: how many wait.
    """

    text: Text
    pages: tuple[int, ...] = ()
    doubtful: tuple[int, ...] = ()
    confidence: float | None = None
    failed: int = 0
    waiting: int = 0


def blend(text: Text, known: Recognitions) -> Blend:
    """Put what was recognised in its place. Pages that do not wait stay as they are.

    Raises:
        ReadingError: TOO_LARGE, together it is more than one document may have.
    """
    found = {page: known.pages[page] for page in text.waiting if page in known.pages}
    left = [page for page in text.waiting if page not in found]
    failed = len(known.failed.intersection(left))
    pages = tuple(found)
    if any(one.text for one in found.values()):
        text = _blended(text, found)
    doubtful = [
        page for page, one in found.items() if one.confidence is not None and one.confidence < DOUBTFUL
    ]
    return Blend(text, pages, tuple(doubtful), _mean(found.values()), failed, len(left) - failed)


def _mean(found: Collection[Recognised]) -> float | None:
    sure = [(one.words, one.confidence) for one in found if one.confidence is not None]
    words = sum(number for number, _ in sure)
    return sum(number * confidence for number, confidence in sure) / words if words else None


def before(text: Text, found: Mapping[int, Recognised], number: int) -> str:
    """The text of the page before a page: what was recognised on it, else what its reader read of it."""
    if number - 1 in found:
        return found[number - 1].text
    return text.text.split("\f")[number - 2] if number > 1 else ""


def _blended(text: Text, found: Mapping[int, Recognised]) -> Text:
    from mnemo_assets.text import language  # noqa: PLC0415 - brings a model, which scans alone need here

    budget = Budget()
    pages = [
        budget.spend(over(page, found[number].text) if number in found else page)
        for number, page in enumerate(text.text.split("\f"), start=1)
    ]
    joined, starts, removed = join(pages)
    day, source = dating.document_date(joined, text.metadata)
    return replace(
        text,
        text=joined,
        page_starts=starts,
        characters_removed=text.characters_removed + removed,
        document_date=day,
        document_date_source=source,
        language=language.of(joined),
        quoted=(),  # of a mail; a mail has no pages that are pictures
    )


def over(certain: str, recognised: str) -> str:
    """What was recognised on a page, with the text that stands over the picture: once, and as it is.

    A recognised line that is the same as a certain one, but for some letters, becomes that one. A certain
    line that was not recognised, as it does not show, stands before the others.
    """
    lines = normalise(recognised)[0].split("\n")
    folded = [_folded(line) for line in lines]
    whole = "".join(folded)
    before = []
    for line in certain.split("\n"):
        wanted = _folded(line)
        if not wanted:
            continue
        place = _place(wanted, folded)
        if place is not None:
            lines[place], folded[place] = line, ""  # each stands for one
        elif wanted not in whole:
            before.append(line)
    return "\n".join([*before, *([""] if before else []), *lines])


def _folded(line: str) -> str:
    return _NOT_LETTERS.sub("", line).casefold()


def _digits(line: str) -> str:
    return "".join(filter(str.isdigit, line))


def _place(wanted: str, folded: list[str]) -> int | None:
    """The line that is most like the wanted one, if one is the same but for some letters."""
    best, place = _SAME, None
    for number, line in enumerate(folded[:_COMPARED]):
        if not line or abs(len(line) - len(wanted)) > (1 - _SAME) * 2 * len(wanted):
            continue
        if _digits(line) != _digits(wanted):
            continue
        likeness = SequenceMatcher(None, wanted, line, autojunk=False).ratio()
        if likeness >= best:
            best, place = likeness, number
            if likeness == 1.0:
                break
    return place

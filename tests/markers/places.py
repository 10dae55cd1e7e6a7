"""The places that documents have, the marker that stands in each, and what readers make of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Fate(Enum):
    """What becomes of a place; the value is its sign in the matrix."""

    READ = "✓"
    BESIDE = "•"
    DOCUMENT = "▸"
    LEFT_OUT = "–"
    LOST = "lost"
    UNPROVEN = "?"


#: What each sign means, for people.
MEANINGS: Final = {
    Fate.READ: "is in the text, once",
    Fate.BESIDE: "is kept beside the text: as title, author, or the name of a document inside of this one",
    Fate.DOCUMENT: "becomes a document of its own",
    Fate.LEFT_OUT: "is left out on purpose",
    Fate.LOST: "is lost, though a person can see it; why is said below",
    Fate.UNPROVEN: "is not shown by a test, as LibreOffice does not write it into the test's document",
}

#: The rows of the matrix: what a person can see, then what is left out wherever it stands.
PLACES: Final = (
    "body",
    "table cell",
    "nested table",
    "list",
    "link",
    "header",
    "footer",
    "footnote",
    "endnote",
    "comment",
    "author of a comment",
    "annotation",
    "text box",
    "content control",
    "form field",
    "tracked insertion",
    "moved text",
    "hidden text",
    "equation",
    "chart label",
    "diagram",
    "alternative text",
    "slide title",
    "hidden slide",
    "text on a master",
    "speaker note",
    "sheet name",
    "hidden sheet",
    "cell comment",
    "input prompt",
    "mail header",
    "quoted mail",
    "nested mail",
    "invitation",
    "title property",
    "author property",
    "attachment name",
    "attached document",
    "tracked deletion",
    "moved away",
    "script",
    "style",
    "source comment",
    "field instruction",
    "formula",
    "macro",
    "placeholder prompt",
)


def marker(place: str) -> str:
    """The word that stands in a place, and nowhere else; letters alone, and like no name.

    Raises:
        KeyError: there is no such place.
    """
    if place not in PLACES:
        raise KeyError(place)
    return f"mark{place.replace(' ', '')}"


@dataclass(frozen=True, slots=True)
class Format:
    """A column of the matrix.

    Attributes:
        make: writes the document.
        fates: of each place that the format has.
        why: of the places that are lost, the reason.
        made_by: the filter of LibreOffice that makes the document out of what `make` writes, and the
            extension of that; None where we write it ourselves.
    """

    make: Callable[[], bytes]
    fates: Mapping[str, Fate]
    why: Mapping[str, str] = field(default_factory=dict)
    made_by: tuple[str, str] | None = None


def fates(
    *,
    read: str,
    beside: str = "",
    documents: str = "",
    left_out: str = "",
    unproven: str = "",
    lost: str = "",
) -> dict[str, Fate]:
    """Fates by place; places stand in a text, with commas between them.

    Raises:
        KeyError: one of them is no place.
    """
    given = {
        Fate.READ: read,
        Fate.BESIDE: beside,
        Fate.DOCUMENT: documents,
        Fate.LEFT_OUT: left_out,
        Fate.LOST: lost,
        Fate.UNPROVEN: unproven,
    }
    found = {place.strip(): fate for fate, places in given.items() for place in places.split(",") if places}
    if unknown := found.keys() - set(PLACES):
        raise KeyError(*unknown)
    return found

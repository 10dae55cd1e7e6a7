"""The matrix as Markdown: a row for each place, a column for each extension."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.markers.formats import FORMATS
from tests.markers.places import MEANINGS, PLACES, Fate

PAGE: Final = Path(__file__).parents[2] / "docs" / "reading.md"
#: The lines of the page between which the matrix stands.
BEGIN: Final = "<!-- The matrix is written by: python -m tests.markers -->"
END: Final = "<!-- The end of the matrix. -->"


def matrix() -> str:
    """The signs and what they mean, the table, and why something is lost."""
    signs = "\n".join(f"- `{fate.value}` {meaning}" for fate, meaning in MEANINGS.items() if _occurs(fate))
    head = f"| | {' | '.join(FORMATS)} |\n|---|{':-:|' * len(FORMATS)}"
    rows = "\n".join(f"| {place} | {' | '.join(_row(place))} |" for place in PLACES)
    why = "\n".join(
        f"- {ext}, {place}: {reason}." for ext, form in FORMATS.items() for place, reason in form.why.items()
    )
    return "\n\n".join(
        part for part in (f"{signs}\n- empty: the format has no such place", f"{head}\n{rows}", why) if part
    )


def written(page: str) -> str:
    """A page with the matrix as it is now.

    Raises:
        ValueError: the page does not have the two lines, once each.
    """
    before, rest = page.split(f"{BEGIN}\n")
    _, after = rest.split(f"{END}\n")
    return f"{before}{BEGIN}\n\n{matrix()}\n\n{END}\n{after}"


def _occurs(fate: Fate) -> bool:
    return any(fate in form.fates.values() for form in FORMATS.values())


def _row(place: str) -> list[str]:
    found = (form.fates.get(place) for form in FORMATS.values())
    return [fate.value if fate else " " for fate in found]

"""Pure: when two spellings are one entity, and which spelling is shown.

Only what cannot join two different things: compatibility forms, case, white space, the shapes of quotes and
dashes, invisible characters. Better a missed merge than a wrong one: a similar name is never the same name.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from mnemo_assets import dates
from mnemo_assets.extractions.spelling import ONE_SHAPE, on_one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

DATE: Final = "Date"
PERSON: Final = "Person"

#: Folding can make what folds again. Two rounds are the most that was seen; the bound is against the unseen.
_ROUNDS: Final = 8


def canonical_key(type_: str, name: str) -> str:
    """The key of a name: two names of one type are one entity exactly when their keys are equal.

    Args:
        type_: "Person", "Org", "Place", "Date" or another; a Date's key is its ISO value, whose form shows
            its precision ("2020-10-05", "2020-10", "2020"), so that "5 Oct 2020" and "2020-10-05" are one.
        name: as it stands in a text.

    Returns:
        The key; empty if the name is nothing but white space. The key of a key is itself.
    """
    name = on_one_line(name) if "\n" in name else name
    folded = _folded(name)
    if type_ == DATE and (day := dates.parse(name) or dates.parse(folded)) is not None:
        return day.value
    return folded


def _folded(name: str) -> str:
    for _ in range(_ROUNDS):
        shaped = unicodedata.normalize("NFKC", name).translate(ONE_SHAPE)
        once = " ".join(unicodedata.normalize("NFKC", shaped.casefold()).split())
        if once == name:
            break
        name = once
    return name


def display_name(forms: Mapping[str, int]) -> str:
    """The form that is shown: the most frequent, then the longest, then the first in code-point order.

    Args:
        forms: how often each form stands in the texts, one form at least; white space is shown as one space,
            and a word that a line's end divides as one word.
    """
    if len(forms) == 1:
        return " ".join(next(iter(forms)).split())
    counted: dict[str, int] = {}
    for form, count in forms.items():
        shown = on_one_line(form)
        counted[shown] = counted.get(shown, 0) + count
    return min(counted, key=lambda form: (-counted[form], -len(form), form))

"""Pure: when two spellings are one entity, and which spelling is shown.

Only what cannot join two different things: compatibility forms, case, white space, the shapes of quotes and
dashes, invisible characters. Better a missed merge than a wrong one: a similar name is never the same name.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from mnemo_assets import dates

if TYPE_CHECKING:
    from collections.abc import Mapping

DATE: Final = "Date"
PERSON: Final = "Person"

#: One apostrophe, one quotation mark, one hyphen; soft hyphen and zero-width marks are nothing.
_ONE_SHAPE: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u0060\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u00ad\u200b\u2060\ufeff", None),
    }
)
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
    folded = _folded(name)
    if type_ == DATE and (day := dates.parse(name) or dates.parse(folded)) is not None:
        return day.value
    return folded


def _folded(name: str) -> str:
    for _ in range(_ROUNDS):
        shaped = unicodedata.normalize("NFKC", name).translate(_ONE_SHAPE)
        once = " ".join(unicodedata.normalize("NFKC", shaped.casefold()).split())
        if once == name:
            break
        name = once
    return name


def display_name(forms: Mapping[str, int]) -> str:
    """The form that is shown: the most frequent, then the longest, then the first in code-point order.

    Args:
        forms: how often each form stands in the texts, one form at least; white space is shown as one space.
    """
    if len(forms) == 1:
        return " ".join(next(iter(forms)).split())
    counted: dict[str, int] = {}
    for form, count in forms.items():
        shown = " ".join(form.split())
        counted[shown] = counted.get(shown, 0) + count
    return min(counted, key=lambda form: (-counted[form], -len(form), form))

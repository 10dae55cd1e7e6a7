"""Pure: which paragraphs are not English, by their commonest words."""

from __future__ import annotations

import re
from typing import Final

# ruff: noqa: SIM905 - a list of words is read, and kept in order, as words

_ENGLISH: Final = frozenset(
    """
the of and to in is was for on that with as by at from it his her he she they this are were be been have has
had not or an which who will would can could their its but we you your our my i do did does if about into
than when there what all out up so no more after before also one two please thank dear
""".split()
)
_OTHER: Final = frozenset(
    """
der die das und ist nicht ein eine von mit für auf den dem des im zu sich auch wir sie ich ihr ihre es als
bei nach wird werden wurde haben sind hat über oder aus zum zur einer einen am sehr geehrte bitte vielen
dank le la les et est une dans pour que qui sur pas avec nous vous je il elle sont du au aux ce cette par ne
chère cher el los las y en un por con para se su del una es lo al como más fue pero estimado estimada il di
che è e per non sono con della del nel gli una ha alla dei het een van voor zijn met niet aan ook bij naar
wij deze geachte o os em não uma com para da do das dos ao foi mais
""".split()
)
_WORD: Final = re.compile(r"[^\W\d_]+")
#: Fewer telling words than this tell nothing, and the paragraph counts as English.
_ENOUGH: Final = 2
#: So many words without a capital are prose, and in English prose a common one is among twenty.
_PROSE: Final = 15
_LEAST: Final = 0.05


def foreign_spans(text: str) -> list[tuple[int, int]]:
    """The spans of paragraphs that are not English: other common words prevail, or there are next to none."""
    spans: list[tuple[int, int]] = []
    start = 0
    for paragraph in text.split("\n\n"):
        written = _WORD.findall(paragraph)
        small = sum(map(str.islower, written))
        found = [word.lower() for word in written]
        other = sum(word in _OTHER for word in found)
        english = sum(word in _ENGLISH for word in found)
        if other >= max(_ENOUGH, english + 1) or (small >= _PROSE and english < _LEAST * small):
            spans.append((start, start + len(paragraph)))
        start += len(paragraph) + 2
    return spans

"""Finds the vocabulary's words in a name, whatever the case, the separators, the accents. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mnemo_assets.archive.words import ENDS, PARTS, STEMS, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

_WITHOUT_DECOMPOSITION: Final = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe"}
)
_LEET: Final = {"o": "[o0]", "i": "[i1]", "e": "[e3]", "a": "[a4]", "s": "[s5]", "t": "[t7]"}  # "passw0rd"
_SYMBOLS: Final = str.maketrans("@$", "as")
#: Letters of other scripts that look like Latin ones: a name that mixes them hides, or was typed in haste.
_LOOK_ALIKES: Final = str.maketrans("асеорхуіјѕԁԛԝкмтнαορνικ", "aceopxyijsdqwkmthaopvik")
_NOT_ALPHANUMERIC: Final = re.compile(r"[\W_]+")
_NOT_LETTERS: Final = re.compile(r"[\W\d_]+")
_CAMEL: Final = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def fold(text: str) -> str:
    """Lower case, without accents and compatibility forms: "Contraseña" -> "contrasena"."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    bare = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    return bare.casefold().translate(_WITHOUT_DECOMPOSITION)


class _Vocabulary:
    """The words as two patterns, each with a group for each rule."""

    def __init__(self, *, ascii_only: bool) -> None:
        def folded(words: Iterable[str]) -> list[str]:
            return [word for word in map(fold, words) if word.isascii() or not ascii_only]

        stems = {rule: [_NOT_ALPHANUMERIC.sub("", w) for w in folded(s.split())] for rule, s in STEMS.items()}
        parts = {rule: _any_of(folded(words.split())) for rule, words in PARTS.items()}
        words = {rule: _any_of(folded(listed)) for rule, listed in WORDS.items()}
        ends = {rule: _any_of(listed) for rule, listed in ENDS.items()}
        self._stems, self._stem_rules = _grouped(
            {rule: _any_of(listed) for rule, listed in stems.items() if listed}
        )
        self._words, self._word_rules = _grouped(
            {f"{rule} ": f" {one} " for rule, one in words.items()}
            | {f"{rule}  ": rf"(?:\A|\|) *{one} | {one} *(?:\||\Z)" for rule, one in ends.items()}
            | {rule: f" {one}|{one} " for rule, one in parts.items()}
        )

    def rule(self, compact: str, spaced: str) -> str | None:
        """The rule of the first word found in a name without separators, or with a space for each."""
        if (found := self._stems.search(compact)) and found.lastindex:
            return self._stem_rules[found.lastindex - 1]
        if (found := self._words.search(spaced)) and found.lastindex:
            return self._word_rules[found.lastindex - 1].rstrip()
        return None


def _grouped(patterns: dict[str, str]) -> tuple[re.Pattern[str], list[str]]:
    return re.compile("|".join(f"({pattern})" for pattern in patterns.values())), list(patterns)


def _any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, grouped by their letters: twice as fast as a list."""
    tails: dict[str, list[str]] = {}
    for word in words:
        tails.setdefault(word[:1], []).append(word[1:])
    ends = tails.pop("", None) is not None
    branches = [_LEET.get(first, re.escape(first)) + _any_of(rest) for first, rest in sorted(tails.items())]
    one = branches[0] if len(branches) == 1 and not ends else "(?:" + "|".join(branches) + ")"
    return f"{one}?" if ends and branches else one if branches else ""


_ASCII: Final = _Vocabulary(ascii_only=True)
_ALL: Final = _Vocabulary(ascii_only=False)


@lru_cache(maxsize=16_384)
def word_rule(text: str) -> str | None:
    """The rule whose word stands in a name, such as "password"; None if none does."""
    folded = fold(text)
    compact = _NOT_ALPHANUMERIC.sub("", folded)
    spaced = _NOT_LETTERS.sub(" ", folded)
    camel = _NOT_LETTERS.sub(" ", fold(_CAMEL.sub(" ", text)))
    vocabulary = _ASCII if folded.isascii() else _ALL
    rule = vocabulary.rule(compact, f" {spaced} " if camel == spaced else f" {spaced} | {camel} ")
    if rule is None and not folded.isascii() and (latin := folded.translate(_LOOK_ALIKES)).isascii():
        return word_rule(latin)
    if rule is None and ("@" in text or "$" in text):
        rule = vocabulary.rule(_NOT_ALPHANUMERIC.sub("", folded.translate(_SYMBOLS)), "")
    return rule

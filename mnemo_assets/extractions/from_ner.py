"""The recipe `ner`: spaCy's small English model for persons, organisations and places, and all the patterns.

The model runs here, in one thread, from an installed package: nothing is fetched. Each text is run alone, for a
batch's other texts change the last digits of its sums. Where a paragraph is not English the model guesses, and
is not asked.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from mnemo_assets.extractions import language, recipes
from mnemo_assets.extractions.candidates import GUESSED, Candidate
from mnemo_assets.extractions.from_patterns import combine, propose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mnemo_assets.extractions.extractor import Extraction

#: The model's labels that are entities here; the rest (money, peoples, works of art) are none.
_TYPES: Final = {"PERSON": "Person", "ORG": "Org", "GPE": "Place", "LOC": "Place"}
#: Names need no part of speech and no syntax: without these the model runs in two thirds of the time.
_UNUSED: Final = ("tagger", "parser", "attribute_ruler", "lemmatizer", "senter")


class Ner:
    """An extractor with spaCy's small model, which it loads when it is made."""

    name = "ner"
    version = recipes.version("ner")

    def __init__(self) -> None:
        package = next(package for package in recipes.MODELS if find_spec(package))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the model is of another patch version than spaCy
            self._pipeline: Any = import_module(package).load(exclude=list(_UNUSED))

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """One extraction a text, in order. A text is a chunk: it holds less than a million code points."""
        return [combine(text, chain(propose(text), self._guess(text))) for text in texts]

    def _guess(self, text: str) -> Iterator[Candidate]:
        foreign = language.foreign_spans(text)
        for span in self._pipeline(text).ents:
            type_ = _TYPES.get(span.label_)
            if type_ is None or any(start <= span.start_char < end for start, end in foreign):
                continue
            yield Candidate(type_, span.start_char, span.end_char, GUESSED)

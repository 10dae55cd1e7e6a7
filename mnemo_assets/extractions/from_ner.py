"""The recipe `ner`: spaCy's small English model for persons, organisations and places, and all the patterns.

The model runs here, in one thread, from an installed package: nothing is fetched. Each text is run alone, for
a batch's other texts change the last digits of its sums. In a paragraph that is not English the model only
guesses, and is not believed.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
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
#: It knows no other script.
_LATIN: Final = re.compile("[A-Za-z]")
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
        guesses = [
            Candidate(_TYPES[span.label_], span.start_char, span.end_char, GUESSED)
            for span in self._pipeline(text).ents
            if span.label_ in _TYPES
            and _LATIN.search(span.text)
            and not any(start <= span.start_char < end for start, end in foreign)
        ]
        surnames = {
            text[guess.start : guess.end].rsplit(maxsplit=1)[-1]
            for guess in guesses
            if guess.type == "Person" and " " in text[guess.start : guess.end]
        }
        for guess in guesses:
            # the model takes the surname of somebody it knew a line before for a company or a town
            yield replace(guess, type="Person") if text[guess.start : guess.end] in surnames else guess

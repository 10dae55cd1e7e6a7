"""Texts are extracted in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import signal
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.errors import RecipeError
from mnemo_assets.extractions import recipes
from mnemo_assets.extractions.extractor import Extraction
from mnemo_assets.extractions.recipes import Recipe
from mnemo_assets.pipeline import workshop

if TYPE_CHECKING:
    from pathlib import Path


def test_children_do_what_this_process_does() -> None:
    """Spread over processes, every text has the extraction it has here."""
    texts = {str(n): f"On {n % 28 + 1} October 2020 Acme Ltd paid {n}." for n in range(60)}
    with workshop.Workshop("patterns") as here, workshop.Workshop("patterns", 2) as there:
        found = dict(there.begin(texts))
        assert found == dict(here.begin(texts))
    assert all(isinstance(result, Extraction) and result.entities for result in found.values())


def test_a_text_that_kills_its_process_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dying child takes nobody along, and the run goes on with another."""
    (tmp_path / "deadly_recipe.py").write_text(
        "import os\n"
        "from mnemo_assets.extractions import recipes\n"
        "from mnemo_assets.extractions.extractor import Extraction\n"
        "class Deadly:\n"
        "    name, version = 'deadly', 1\n"
        "    def extract(self, texts):\n"
        "        if 'die' in texts[0]:\n"
        "            os._exit(9)\n"
        "        return [Extraction((), ())]\n"
        "recipes.EXTRACTORS['patterns'] = recipes.Recipe(__name__, 'Deadly', 1, ())\n"
    )
    (tmp_path / "sitecustomize.py").write_text("import deadly_recipe\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}")
    with workshop.Workshop("patterns", 2) as there:
        for _ in range(2):
            found = dict(there.begin({"a": "fine", "b": "die", "c": "fine", "d": "fine"}))
            assert found == {
                "a": Extraction((), ()),
                "b": workshop.Failure("ProcessDied"),
                "c": Extraction((), ()),
                "d": Extraction((), ()),
            }


def test_children_never_hear_ctrl_c() -> None:
    """A terminal sends it to them, too: it is for their parent, also while they are starting."""
    others = set(multiprocessing.active_children())
    with workshop.Workshop("patterns", 2) as there:
        results = there.begin({str(n): f"On {n} October 2020 it rained." for n in range(1, 5)})
        children = set(multiprocessing.active_children()) - others
        assert len(children) == 2
        for child in children:
            assert child.pid is not None
            os.kill(child.pid, signal.SIGINT)
        found = dict(results)
        assert set(multiprocessing.active_children()) - others == children
    assert all(isinstance(result, Extraction) and result.entities for result in found.values())


def test_a_recipe_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user is told what to install, whether children or this process were to do the work."""
    lacking = Recipe("no_such_module", "Words", 1, (("no_such_package",),))
    monkeypatch.setitem(recipes.EXTRACTORS, "words", lacking)
    for processes in (0, 2):
        with pytest.raises(RecipeError), workshop.Workshop("words", processes) as there:
            list(there.begin({"a": "Ada"}))

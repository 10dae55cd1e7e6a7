from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemo_assets.extractions import recipes

if TYPE_CHECKING:
    from mnemo_assets.extractions.extractor import Extractor


@pytest.fixture(scope="session")
def patterns() -> Extractor:
    return recipes.open_extractor("patterns")


@pytest.fixture(scope="session")
def ner() -> Extractor:
    if not recipes.is_installed("ner"):
        pytest.skip("the recipe ner is not installed: pip install 'mnemo[ner]'")
    return recipes.open_extractor("ner")


@pytest.fixture(params=["patterns", "ner"])
def extractor(request: pytest.FixtureRequest) -> Extractor:
    opened: Extractor = request.getfixturevalue(request.param)
    return opened

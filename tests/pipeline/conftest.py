"""What tests of mining stand on: an empty archive, a model behind a stub endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemo_assets.pipeline import asking
from tests.endpoints import serving
from tests.pipeline.by_model import Endpoint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mnemo_assets.settings import Settings
    from tests.endpoints import Stub


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that failed is sent again at once."""
    monkeypatch.setattr(asking, "PAUSES", (0.0, 0.0, 0.0))


@pytest.fixture
def model() -> Endpoint:
    """What stands behind the endpoint."""
    return Endpoint()


@pytest.fixture
def stub(model: Endpoint) -> Iterator[Stub]:
    """The endpoint, which answers as a llama-server does."""
    with serving(model, kind="llama-server") as stub:
        yield stub


@pytest.fixture
def chosen(settings: Settings, stub: Stub) -> Settings:
    """Settings of the recipe that asks it."""
    return settings.model_copy(update={"extractor": "llm", "llm_model": "seer", "llm_url": stub.url})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An archive, empty."""
    folder = tmp_path / "papers"
    folder.mkdir()
    return folder

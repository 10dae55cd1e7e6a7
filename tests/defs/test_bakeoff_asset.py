"""The asset `bakeoff`: what the page of Dagster shows of bake-offs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dagster as dg
import pytest

from mnemo_assets.defs import evaluation
from mnemo_assets.defs.resources import GpuLease, Ledger
from mnemo_assets.evaluation import bakeoff
from tests.evaluation import letters
from tests.evaluation.letters import GOOD, KIND, STRICT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings
    from tests.endpoints import Stub


@pytest.fixture
def stub(connection: Connection, tmp_path: Path) -> Iterator[Stub]:
    """The letters, and their endpoint."""
    letters.letters(connection, tmp_path)
    with letters.endpoint() as stub:
        yield stub


@pytest.fixture
def chosen(settings: Settings, stub: Stub) -> Settings:
    return letters.at(settings, stub)


@pytest.fixture
def ledger(chosen: Settings) -> Ledger:
    """The resource, with the settings of the endpoint."""

    class Ours(Ledger):
        def settings(self) -> Settings:
            return chosen

    return Ours()


def shown(instance: dg.DagsterInstance, ledger: Ledger, config: dict[str, Any]) -> dict[str, Any]:
    """Materialize it; its metadata by name."""
    result = dg.materialize(
        [evaluation.bakeoff],
        instance=instance,
        resources={"ledger": ledger, "gpu": GpuLease()},
        run_config={"ops": {"bakeoff": {"config": config}}},
        raise_on_error=False,
    )
    if not result.success:
        return {}
    (event,) = result.asset_materializations_for_node("bakeoff")
    return {name: value.value for name, value in event.metadata.items()}


def test_it_shows_the_latest_report(
    connection: Connection, chosen: Settings, ledger: Ledger, ephemeral: dg.DagsterInstance, stub: Stub
) -> None:
    """Without a report it says that there is none; later it shows the latest, and asks no model for it."""
    assert shown(ephemeral, ledger, {})["recipes"] == 0
    baked = bakeoff.run(connection, chosen, [], [STRICT, KIND])
    asked = len(stub.asked)
    found = shown(ephemeral, ledger, {})
    assert found["report"] == baked.markdown
    assert found["recipes"] == len(baked.report.recipes)
    assert len(stub.asked) == asked


def test_it_runs_what_it_is_configured_with(
    ledger: Ledger, ephemeral: dg.DagsterInstance, stub: Stub
) -> None:
    """With models and judges it runs that bake-off; a refused one fails the run, with its class alone."""
    found = shown(ephemeral, ledger, {"models": [GOOD], "judges": [STRICT, KIND], "documents": 2})
    assert found["report"].startswith("# Bake-off\n\n2 of 4 documents")
    assert letters.models(stub)[0] == GOOD
    assert shown(ephemeral, ledger, {"models": [GOOD], "judges": [STRICT, STRICT]}) == {}

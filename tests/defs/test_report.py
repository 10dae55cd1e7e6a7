"""The report: what Dagster shows is what the ledger has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dagster as dg

from mnemo_assets.defs import partitions, report
from mnemo_assets.definitions import defs
from mnemo_assets.pipeline import reports

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mnemo_assets.database import Connection

NAMES = ("files", "text", "chunks", "extractions", "graph")


def stages(connection: Connection) -> dict[str, str]:
    return {row["sha256"]: row["stage"] for row in connection.execute("select sha256, stage from documents")}


def materialized(instance: dg.DagsterInstance) -> dict[str, set[str]]:
    return {
        name: set(instance.get_materialized_partitions(dg.AssetKey(name)))
        for name in NAMES
    }


def test_what_a_stage_means(
    synced: Callable[[], None], connection: Connection, instance: dg.DagsterInstance
) -> None:
    """A graphed document has all five assets, a failed one its files alone, and an observation that says why."""
    report.report(connection, instance)
    stage = stages(connection)
    assert sorted(stage.values()) == ["failed", "graphed", "graphed"]
    graphed = {key for key in stage if stage[key] == "graphed"}
    assert materialized(instance) == {"files": set(stage), **dict.fromkeys(NAMES[1:], graphed)}
    [seen] = instance.fetch_observations(dg.AssetKey("text"), limit=10).records
    observation = seen.asset_observation
    assert observation is not None
    assert stage[observation.partition or ""] == "failed"
    assert {name: value.value for name, value in observation.metadata.items()} == {
        "stage": "failed", "error_class": "Corrupt", "attempts": 1,
    }

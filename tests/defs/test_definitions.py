"""The code location, loaded as workspace.yaml loads it."""

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from mnemo_assets.definitions import defs
from mnemo_assets.evaluation.report import VERSION
from mnemo_assets.pipeline.versions import CODE

DOCUMENT = ("files", "text", "ocr", "chunks", "extractions", "graph")


def test_they_load() -> None:
    """Every job, sensor, check and asset resolves."""
    dg.Definitions.validate_loadable(defs)


def test_the_assets_are_the_houses() -> None:
    """The graph of assets is the design's: the archive, then a document's, each of the one before."""
    graph = defs.resolve_asset_graph()
    above = {node.key.path[-1]: [key.path[-1] for key in node.parent_keys] for node in graph.asset_nodes}
    assert above == {
        "archive": [],
        "files": ["archive"],
        "text": ["files"],
        "ocr": ["text"],
        "chunks": ["text"],
        "extractions": ["chunks"],
        "graph": ["extractions"],
        "bakeoff": [],
    }


@pytest.mark.parametrize("name", ["archive", *DOCUMENT])
def test_an_asset_says_what_it_is(name: str) -> None:
    """Each has a description, a group, an owner, a kind and a code version."""
    spec = defs.resolve_asset_graph().get(dg.AssetKey(name))
    assert spec.description
    assert spec.group_name != "default"
    assert spec.owners
    assert spec.kinds
    assert spec.code_version == getattr(CODE, name, CODE.files)


def test_the_bakeoff_stands_apart() -> None:
    """Its asset is of no document, and its version is its report's."""
    spec = defs.resolve_asset_graph().get(dg.AssetKey("bakeoff"))
    assert spec.partitions_def is None
    assert spec.group_name == "evaluation"
    assert spec.code_version == str(VERSION)
    assert spec.description


@pytest.mark.parametrize("name", DOCUMENT)
def test_a_documents_assets_have_its_partitions(name: str) -> None:
    """All are partitioned by the one definition, and a backfill takes many in a run."""
    node = defs.resolve_asset_graph().get(dg.AssetKey(name))
    assert node.partitions_def == dg.DynamicPartitionsDefinition(name="documents")
    assert node.backfill_policy == dg.BackfillPolicy.multi_run(200)


def test_every_job_runs_in_its_own_process() -> None:
    """The page starts no process a step: that costs eleven seconds."""
    for job in defs.resolve_all_job_defs():
        assert job.executor_def.name == "in_process", job.name


def test_loading_asks_no_database(tmp_path: Path) -> None:
    """The code location loads while Postgres is down, and starts nothing."""
    loaded = subprocess.run(
        [sys.executable, "-c", "import mnemo_assets.definitions"],
        env={**os.environ, "MNEMO_HOME": str(tmp_path / "home")},
        check=False,
        capture_output=True,
    )
    assert loaded.returncode == 0, loaded.stderr
    assert not (tmp_path / "home").exists()


def test_other_rooms_do_not_pay_for_dagster() -> None:
    """No command line imports dagster."""
    script = "import sys, mnemo_assets.cli; sys.exit('dagster' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_everything_is_documented() -> None:
    """docs/assets.md has a row for each asset, check and job, and names each sensor and schedule."""
    words = (Path(__file__).parents[2] / "docs" / "assets.md").read_text(encoding="utf-8")
    graph, repository = defs.resolve_asset_graph(), defs.get_repository_def()
    rows = {node.key.path[-1] for node in graph.asset_nodes} | {key.name for key in graph.asset_check_keys}
    rows |= {job.name for job in defs.resolve_all_job_defs() if not job.name.startswith("__")}
    assert {name for name in rows if f"\n| `{name}` | " not in words} == set()
    asking = {one.name for one in repository.sensor_defs} | {one.name for one in repository.schedule_defs}
    assert {name for name in asking if f"`{name}`" not in words} == set()

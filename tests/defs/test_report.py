"""The report: what Dagster shows is what the ledger has, whoever was killed where."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.storage.partition_status_cache import AssetPartitionStatus

from mnemo_assets.database import Connection
from mnemo_assets.defs import events, partitions, report, stages
from mnemo_assets.pipeline import mine, reports, versions
from mnemo_assets.settings import Settings

NAMES = ("files", "text", "chunks", "extractions", "graph")


def stage_of(connection: Connection) -> dict[str, str]:
    return {row["sha256"]: row["stage"] for row in connection.execute("select sha256, stage from documents")}


def materialized(instance: dg.DagsterInstance) -> dict[str, set[str]]:
    return {name: set(instance.get_materialized_partitions(dg.AssetKey(name))) for name in NAMES}


def keys(instance: dg.DagsterInstance) -> set[str]:
    return set(partitions.documents.get_partition_keys(dynamic_partitions_store=instance))


@pytest.mark.usefixtures("synced")
def test_what_a_stage_means(connection: Connection, instance: dg.DagsterInstance) -> None:
    """A graphed document has all five assets; a failed one its files, and an observation that says why."""
    report.report(connection, instance)
    stage = stage_of(connection)
    assert sorted(stage.values()) == ["failed", "graphed", "graphed"]
    graphed = {key for key in stage if stage[key] == "graphed"}
    assert materialized(instance) == {"files": set(stage), **dict.fromkeys(NAMES[1:], graphed)}
    [seen] = instance.fetch_observations(dg.AssetKey("text"), limit=10).records
    observation = seen.asset_observation
    assert observation is not None
    assert stage[observation.partition or ""] == "failed"
    assert {name: value.value for name, value in observation.metadata.items()} == {
        "stage": "failed",
        "error_class": "Corrupt",
        "attempts": 1,
    }


@pytest.mark.parametrize(
    ("stage", "error_class", "told"),
    [
        ("new", None, ({"files"}, None)),
        ("new", "ConverterMissing", ({"files"}, "text")),
        ("extracted", None, ({"files", "text", "chunks"}, None)),
        ("graphed", None, (set(NAMES), None)),
        ("graphed", "Partial", (set(NAMES), "extractions")),
        ("failed", "Corrupt", ({"files"}, "text")),
        ("failed", "ExtractionFailed", ({"files", "text", "chunks"}, "extractions")),
        ("skipped", "Secret", ({"files"}, "text")),
        ("graphed", "OcrFailed", (set(NAMES), "ocr")),
        ("failed", "OcrFailed", ({"files"}, "ocr")),
        ("ocr_pending", "Scanned", ({"files"}, "ocr")),
    ],
)
def test_each_stage(
    stage: str,
    error_class: str | None,
    told: tuple[set[str], str | None],
    connection: Connection,
    instance: dg.DagsterInstance,
) -> None:
    """What a document has by its stage, and which asset says why it has no more."""
    connection.execute(
        "insert into documents (sha256, stage, error_class, extracted_at, graphed_at, reader, reader_version)"
        " values (repeat('a', 64), %s, %s, now(), now(), 'plain', 1)",
        (stage, error_class),
    )
    report.report(connection, instance)
    seen = [name for name in stages.ASSETS if instance.fetch_observations(dg.AssetKey(name), limit=1).records]
    assert ({name for name, there in materialized(instance).items() if there}, *seen) == tuple(
        filter(None, told)
    )


@pytest.mark.usefixtures("synced")
def test_a_second_report_tells_nothing(connection: Connection, instance: dg.DagsterInstance) -> None:
    """What was told is not told again, and there is nothing due."""
    assert reports.is_due(connection)
    first = report.report(connection, instance)
    assert (first.documents, first.added, first.removed) == (3, 3, 0)
    assert (
        first.events == 3 + 4 * 2 + 1 + 1
    )  # files, the others of what is graphed, an observation, the archive
    assert not reports.is_due(connection)
    assert report.report(connection, instance) == report.ReportCounts()


@pytest.mark.usefixtures("synced")
def test_only_what_is_new_is_told(connection: Connection, instance: dg.DagsterInstance) -> None:
    """A document that came further is told of what it came to, not of what was told before."""
    connection.execute("update documents set stage = 'extracted' where stage = 'graphed'")
    report.report(connection, instance)
    connection.execute("update documents set stage = 'graphed', graphed_at = now() where stage = 'extracted'")
    assert report.report(connection, instance).events == 2 * 2


@pytest.mark.usefixtures("synced")
def test_a_change_while_it_is_told_is_told_later(
    connection: Connection, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What changes between the look and the note is still to be told, whenever it was begun."""
    written = events.log

    def log(*given: object) -> int:
        connection.execute(
            "update documents set graphed_at = graphed_at + interval '1 microsecond' where stage = 'graphed'"
        )
        return written(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(events, "log", log)
        report.report(connection, instance)
    assert reports.is_due(connection)
    assert report.report(connection, instance).documents == 2
    assert not reports.is_due(connection)


def test_a_document_that_is_gone_loses_its_key(
    synced: Callable[[], None], connection: Connection, instance: dg.DagsterInstance, folder: Path
) -> None:
    """A deleted file's partition goes with it, and no other."""
    report.report(connection, instance)
    before = keys(instance)
    (folder / "first.txt").unlink()
    synced()
    counts = report.report(connection, instance)
    assert (counts.removed, counts.added, counts.events) == (1, 0, 0)
    assert keys(instance) == set(stage_of(connection)) < before


@pytest.mark.usefixtures("synced")
def test_a_lost_storage_is_told_all(connection: Connection, instance: dg.DagsterInstance) -> None:
    """A new Dagster database beside an old ledger comes to show everything."""
    report.report(connection, instance)
    shown = materialized(instance)
    for name in NAMES:
        instance.wipe_assets([dg.AssetKey(name)])
    partitions.unregister(instance, keys(instance))
    assert not any(materialized(instance).values())
    report.report(connection, instance)
    assert materialized(instance) == shown


@pytest.mark.usefixtures("synced")
@pytest.mark.parametrize("at", range(6))
def test_a_killed_report_is_mended_by_the_next(
    at: int, connection: Connection, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ended after any of its writes it leaves the view behind the ledger, and the next one brings it up."""
    written, calls = events.log, 0

    def log(*given: object) -> int:
        nonlocal calls
        calls += 1
        if calls > at:
            raise KeyboardInterrupt
        return written(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(events, "log", log)
        with pytest.raises(KeyboardInterrupt):
            report.report(connection, instance)
    assert reports.is_due(connection)
    report.report(connection, instance)
    stage = stage_of(connection)
    graphed = {key for key in stage if stage[key] == "graphed"}
    assert materialized(instance) == {"files": set(stage), **dict.fromkeys(NAMES[1:], graphed)}
    assert not reports.is_due(connection)


@pytest.mark.usefixtures("synced")
def test_one_reports_at_a_time(
    connection: Connection, settings: Settings, instance: dg.DagsterInstance
) -> None:
    """Who does not wait leaves it to the one that is at it."""
    from mnemo_assets import database  # noqa: PLC0415 - beside the fixture's

    with database.connect(settings) as other, reports.alone(other):
        assert report.report(connection, instance, wait=False) == report.ReportCounts()
    assert report.report(connection, instance, wait=False).documents == 3


@pytest.mark.usefixtures("synced")
def test_another_graph_is_told(
    connection: Connection, settings: Settings, instance: dg.DagsterInstance
) -> None:
    """After the switch to another generation the extractions and the graph of each document are told anew."""
    report.report(connection, instance)
    connection.execute("update generations set derivation = 0")
    mine.mine(connection, settings)
    assert reports.is_due(connection)
    assert report.report(connection, instance).events == 2 * 2


@pytest.mark.usefixtures("synced")
def test_told_by_other_code(connection: Connection, instance: dg.DagsterInstance) -> None:
    """What was told by another version is told anew, as far as that version was another one."""
    report.report(connection, instance)
    older = "update documents set reported_version = replace(reported_version, 'chunks-', 'chunks-0')"
    connection.execute(older)
    assert reports.is_due(connection)
    told = reports.unreported(connection, "x", 0, 9)
    assert {one.stage for one in told} == {"failed", "graphed"}
    counts = report.report(connection, instance)
    assert counts.events == 2  # the chunks of two


def test_due_of_a_document_never_told(connection: Connection) -> None:
    """All that it has."""
    connection.execute("insert into documents (sha256) values (repeat('a', 64))")
    version = versions.line(connection)
    [one] = reports.unreported(connection, version, 0, 9)
    assert stages.due(one, version) == frozenset(stages.ASSETS)


def test_the_child_says_nothing_but_a_class(tmp_path: Path) -> None:
    """What ends the report is told by its class's name, and by the exit code."""
    child = subprocess.run(
        [sys.executable, "-m", "mnemo_assets.defs.report"],
        env={**os.environ, "MNEMO_HOME": str(tmp_path / "home"), "MNEMO_EXTRACTOR": "?"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert (child.returncode, child.stdout, child.stderr) == (1, "", "SettingsError\n")


@pytest.mark.usefixtures("synced")
def test_what_a_document_has_no_more_is_taken_back(
    connection: Connection, instance: dg.DagsterInstance
) -> None:
    """A document that was in the graph and cannot be read any more keeps its files; no other loses any."""
    report.report(connection, instance)
    shown = {name: status(instance, name) for name in NAMES}
    fallen = connection.execute(
        "update documents set stage = 'failed', error_class = 'Corrupt', failed_at = now()"
        " where document_id = (select min(document_id) from contributions) returning sha256"
    ).fetchone()
    assert fallen is not None
    report.report(connection, instance)
    shown["files"] = status(instance, "files")
    assert shown["files"][fallen["sha256"]] is AssetPartitionStatus.MATERIALIZED
    for name in NAMES[1:]:
        assert status(instance, name) == {**shown[name], fallen["sha256"]: None}


@pytest.mark.usefixtures("synced")
def test_what_waits_to_be_done_again_is_still_shown(
    connection: Connection, instance: dg.DagsterInstance
) -> None:
    """A document that was sent back is in the graph until it was read again."""
    report.report(connection, instance)
    shown = materialized(instance)
    connection.execute("update documents set stage = 'new', new_at = now() where stage = 'graphed'")
    report.report(connection, instance)
    assert materialized(instance) == shown


def status(instance: dg.DagsterInstance, name: str) -> dict[str, AssetPartitionStatus | None]:
    """As the page shows it."""
    found = instance.get_status_by_partition(dg.AssetKey(name), sorted(keys(instance)), partitions.documents)
    assert found is not None
    return dict(found)

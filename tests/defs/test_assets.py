"""The assets as a ladder: the function, then a run with resources, of one document and of many."""

from collections.abc import Callable, Sequence
from pathlib import Path

import dagster as dg
import psycopg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest

from mnemo_assets.archive import ledger as archives
from mnemo_assets.database import Connection
from mnemo_assets.defs import assets, checks, jobs, redo, redoing, stages
from mnemo_assets.defs.report import report
from mnemo_assets.defs.resources import GpuLease, Ledger
from mnemo_assets.errors import MnemoError
from mnemo_assets.pipeline import claims, mine, read, versions
from mnemo_assets.settings import Settings
from mnemo_assets.text.reading import READERS

NAMES = ("files", "text", "chunks", "extractions", "graph")
FIVE = [assets.reading, assets.mining]


def stage_of(connection: Connection) -> dict[str, str]:
    rows = connection.execute("select sha256, stage from documents order by document_id")
    return {row["sha256"]: row["stage"] for row in rows}


def materialized(instance: dg.DagsterInstance) -> dict[str, set[str]]:
    return {name: set(instance.get_materialized_partitions(dg.AssetKey(name))) for name in NAMES}


def run(
    instance: dg.DagsterInstance,
    ledger: Ledger,
    keys: Sequence[str] = (),
    *,
    selection: Sequence[str] | None = None,
    some: Sequence[dg.AssetsDefinition] = FIVE,
    tags: dict[str, str] | None = None,
    raise_on_error: bool = True,
) -> dg.ExecuteInProcessResult:
    """A run of assets, over keys from the first to the last."""
    ranged = {}
    if keys:
        ranged = {
            "dagster/asset_partition_range_start": keys[0],
            "dagster/asset_partition_range_end": keys[-1],
        }
    return dg.materialize(
        [*some],
        instance=instance,
        resources={"ledger": ledger, "gpu": GpuLease()},
        selection=selection,
        tags={**ranged, **(tags or {})},
        raise_on_error=raise_on_error,
    )


def test_the_archive_as_a_function(
    folder: Path, connection: Connection, ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """Called without a run it looks at the archive, and tells counts."""
    archives.add_archive(connection, folder, None)
    result = assets.archive(dg.build_asset_context(instance=instance), ledger=ledger)
    assert isinstance(result, dg.MaterializeResult)
    assert result.metadata is not None
    counts = {name: n for name, n in result.metadata.items() if isinstance(n, int) and n}
    assert counts == {"seen": 3, "hashed": 3, "added": 3, "documents": 3}
    assert set(stage_of(connection).values()) == {"new"}
    chart = result.metadata["chart"]
    assert isinstance(chart, dg.MarkdownMetadataValue)
    assert "new                  3" in (chart.md_str or "")


def test_an_outage_is_told_and_keeps_back_no_other(
    folder: Path, connection: Connection, ledger: Ledger, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    """The archive that is there is looked at; that the other is not is an observation and a warning."""
    (gone := tmp_path / "disk").mkdir()
    (gone / "a.txt").write_text("On a disk that is taken away.")
    archives.add_archive(connection, gone, None)
    assert run(instance, ledger, some=[assets.archive]).success
    (gone / "a.txt").unlink()
    gone.rmdir()
    archives.add_archive(connection, folder, None)
    result = run(instance, ledger, some=[assets.archive, checks.archives_reachable])
    assert result.success
    assert len(stage_of(connection)) == 4
    [told] = result.asset_materializations_for_node("archive")
    assert told.metadata["outages"].value == 1
    assert told.metadata["removed"].value == 0
    [seen] = instance.fetch_observations(dg.AssetKey("archive"), limit=9).records
    assert seen.asset_observation is not None
    assert {name: value.value for name, value in seen.asset_observation.metadata.items()} == {
        "outages": 1,
        "ArchiveUnreachableError": 1,
    }
    [check] = result.get_asset_check_evaluations()
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)


@pytest.mark.usefixtures("scanned")
def test_one_run_takes_documents_from_file_to_graph(
    connection: Connection, ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """All five assets in one run: what can be read is in the graph, and one that cannot fails no other."""
    report(connection, instance)
    keys = list(stage_of(connection))
    assert run(instance, ledger, keys).success
    stage = stage_of(connection)
    assert sorted(stage.values()) == ["failed", "graphed", "graphed"]
    graphed = {key for key in keys if stage[key] == "graphed"}
    assert materialized(instance) == {"files": set(keys), **dict.fromkeys(NAMES[1:], graphed)}


@pytest.mark.usefixtures("scanned")
def test_a_run_of_one_document_leaves_the_others(
    connection: Connection, ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """What was not asked for waits as before."""
    report(connection, instance)
    one = next(iter(stage_of(connection)))
    result = dg.materialize(
        FIVE, instance=instance, resources={"ledger": ledger, "gpu": GpuLease()}, partition_key=one
    )
    assert result.success
    assert {key: stage for key, stage in stage_of(connection).items() if stage != "new"}.keys() == {one}


@pytest.mark.usefixtures("synced")
def test_nothing_is_done_twice(connection: Connection, ledger: Ledger, instance: dg.DagsterInstance) -> None:
    """Without force a run over what is well reads and mines nothing, and shows it all the same."""
    report(connection, instance)
    before = connection.execute("select sha256, extracted_at, graphed_at from documents").fetchall()
    keys = list(stage_of(connection))
    result = run(instance, ledger, keys)
    assert result.success
    assert connection.execute("select sha256, extracted_at, graphed_at from documents").fetchall() == before
    logged = [event for event in result.all_node_events if event.is_step_materialization]
    assert not logged  # they are written in batches, beside the run's own
    told = instance.fetch_materializations(dg.AssetKey("graph"), limit=9).records
    assert sum(record.run_id == result.run_id for record in told) == 2


@pytest.mark.usefixtures("synced")
def test_a_failed_document_is_tried_again(
    connection: Connection, ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """Selecting what failed is asking for it once more."""
    report(connection, instance)
    fail = "update documents set stage = 'failed', error_class = 'TimedOut' where stage = 'graphed'"
    connection.execute(fail)
    keys = list(stage_of(connection))
    assert run(instance, ledger, keys, selection=["text", "chunks"]).success
    assert sorted(stage_of(connection).values()) == ["extracted", "extracted", "failed"]


@pytest.mark.usefixtures("synced")
def test_force_reads_and_extracts_again(
    connection: Connection, ledger: Ledger, settings: Settings, instance: dg.DagsterInstance
) -> None:
    """A cached text, and extractions that are there, are made anew; the graph is the same after it."""
    report(connection, instance)
    for path in settings.text_cache.rglob("*.json"):
        path.write_bytes(path.read_bytes().replace(b"Ada Byron", b"Eve Curie"))
    connection.execute("update chunk_extractions set entities = '[]', relations = '[]'")
    before = connection.execute("select * from contributions order by document_id").fetchall()
    keys = list(stage_of(connection))
    assert run(instance, ledger, keys, tags={redoing.FORCE_TAG: "true"}).success
    after = connection.execute("select * from contributions order by document_id").fetchall()
    assert [row["digest"] for row in after] == [row["digest"] for row in before]
    assert [row["stored_at"] for row in after] != [row["stored_at"] for row in before]
    assert not any(b"Eve Curie" in path.read_bytes() for path in settings.text_cache.rglob("*.json"))


@pytest.mark.usefixtures("synced")
def test_force_passes_no_gate(
    connection: Connection,
    ledger: Ledger,
    instance: dg.DagsterInstance,
    folder: Path,
    scanned: Callable[[], None],
) -> None:
    """A click on all partitions takes in no text that holds a key."""
    (folder / "key.txt").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n" * 3)
    (folder / "blank.txt").write_text("  \n ")
    scanned()
    report(connection, instance)
    keys = list(stage_of(connection))
    assert run(instance, ledger, keys, tags={redoing.FORCE_TAG: "true"}).success
    assert "skipped" in stage_of(connection).values()
    rows = connection.execute("select stage from documents where error_class = 'Secret'").fetchall()
    assert all(row["stage"] == "skipped" for row in rows)


@pytest.mark.usefixtures("synced")
def test_rechunking_alone(
    connection: Connection, ledger: Ledger, instance: dg.DagsterInstance, folder: Path
) -> None:
    """Chunks are cut from the cached text; no file is opened, and what is cut otherwise waits to be mined."""
    report(connection, instance)
    for path in folder.iterdir():
        path.unlink()
    one = connection.execute(
        "update chunks set content_sha256 = repeat('0', 64)"
        " where document_id = (select min(document_id) from chunks) returning document_id"
    ).fetchone()
    assert one is not None
    keys = list(stage_of(connection))
    assert run(instance, ledger, keys, selection=["chunks"]).success
    waiting = connection.execute("select document_id from documents where stage = 'extracted'").fetchall()
    assert waiting == [{"document_id": one["document_id"]}]
    assert connection.execute("select from chunks where content_sha256 = repeat('0', 64)").fetchone() is None


@pytest.mark.usefixtures("synced")
def test_merging_alone(
    connection: Connection, ledger: Ledger, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The graph is made from what was extracted before: no recipe is opened."""
    report(connection, instance)
    before = connection.execute("select digest from contributions order by document_id").fetchall()
    connection.execute("delete from relations")
    connection.execute("delete from mention_spans")
    monkeypatch.setattr("mnemo_assets.extractions.recipes.open_extractor", lambda _: pytest.fail("a recipe"))
    keys = list(stage_of(connection))
    result = run(instance, ledger, keys, selection=["graph"], some=[*FIVE, checks.no_orphans])
    assert result.success
    assert connection.execute("select digest from contributions order by document_id").fetchall() == before
    spans = connection.execute("select count(*) as n from mention_spans").fetchone()
    assert spans is not None
    assert spans["n"] > 0
    assert [check.passed for check in result.get_asset_check_evaluations()] == [True]


@pytest.mark.usefixtures("scanned")
def test_a_run_waits_for_documents_that_somebody_else_works_on(
    connection: Connection, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim that ends in the meantime leaves the document to the run; none is passed over."""
    keys = list(stage_of(connection))
    looks = 0

    def busy(_: Connection, only: set[str]) -> set[str]:
        nonlocal looks
        looks += 1
        return {keys[0]} & only if looks < 3 else set()

    monkeypatch.setattr(claims, "busy", busy)
    monkeypatch.setattr(redoing, "WAIT", 0.0)
    redoing.reading(connection, settings, keys, {"text"}, force=False)
    assert looks == 3
    assert "new" not in stage_of(connection).values()


@pytest.mark.usefixtures("scanned")
@pytest.mark.parametrize(
    "error", [MnemoError("Heliotrope"), psycopg.OperationalError("Heliotrope"), KeyError("Heliotrope")]
)
def test_a_bug_or_a_dead_end_fails_the_run_with_its_class(
    error: Exception,
    connection: Connection,
    ledger: Ledger,
    instance: dg.DagsterInstance,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The run ends in failure, and says nothing but what kind of thing it was."""
    report(connection, instance)

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(read, "read", fail)
    result = run(instance, ledger, list(stage_of(connection)), selection=["text"], raise_on_error=False)
    assert not result.success
    [failed] = [event for event in result.all_node_events if event.is_step_failure]
    failure = failed.step_failure_data.user_failure_data
    assert failure is not None
    assert failure.description == type(error).__name__
    assert "Heliotrope" not in str(failed.step_failure_data)


@pytest.mark.usefixtures("synced")
def test_what_older_code_made_is_stale(
    connection: Connection, settings: Settings, instance: dg.DagsterInstance
) -> None:
    """After a report nothing is stale; what a reader's older version read is, until it was read again."""
    report(connection, instance)
    graphed = [key for key, stage in stage_of(connection).items() if stage == "graphed"]
    assert stale(instance, graphed) == {}
    connection.execute("update documents set reader_version = 0, reported_version = null")
    report(connection, instance)
    assert stale(instance, graphed) == {"text": set(graphed)}
    read.read(connection, settings)
    mine.mine(connection, settings)
    report(connection, instance)
    assert stale(instance, graphed) == {}


@pytest.mark.usefixtures("synced")
def test_a_look_makes_no_document_stale(
    connection: Connection, ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """The archive's asset is materialized each minute; what hangs from it stays as it is."""
    report(connection, instance)
    assert run(instance, ledger, some=[assets.archive]).success
    graphed = [key for key, stage in stage_of(connection).items() if stage == "graphed"]
    assert stale(instance, graphed) == {}


def stale(instance: dg.DagsterInstance, keys: Sequence[str]) -> dict[str, set[str]]:
    """The partitions that the page shows as stale, by asset."""
    graph = dg.Definitions(
        assets=[assets.archive, *FIVE], resources={"ledger": Ledger(), "gpu": GpuLease()}
    ).resolve_asset_graph()
    resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
    found: dict[str, set[str]] = {}
    for name in NAMES:
        for key in keys:
            if resolver.get_status(dg.AssetKey(name), key) is not StaleStatus.FRESH:
                found.setdefault(name, set()).add(key)
    return found


@pytest.mark.usefixtures("scanned")
def test_a_drain_takes_all_that_waits(
    connection: Connection, ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """The two jobs take documents from file to graph, and each has its events, of the run that did it."""
    for job in (jobs.read_job, jobs.mine_job):
        assert job.execute_in_process(
            instance=instance, resources={"ledger": ledger, "gpu": GpuLease()}
        ).success
    stage = stage_of(connection)
    assert sorted(stage.values()) == ["failed", "graphed", "graphed"]
    graphed = {key for key in stage if stage[key] == "graphed"}
    assert materialized(instance) == {"files": set(stage), **dict.fromkeys(NAMES[1:], graphed)}
    [graph, *_] = instance.fetch_materializations(dg.AssetKey("graph"), limit=9).records
    assert instance.get_run_by_id(graph.run_id) is not None


@pytest.mark.usefixtures("scanned")
def test_a_drain_whose_time_is_over_claims_nothing(
    connection: Connection, ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """What waits goes on waiting, for the next run."""
    result = jobs.read_job.execute_in_process(
        instance=instance,
        resources={"ledger": ledger, "gpu": GpuLease()},
        run_config={"ops": {"read_documents": {"config": {"minutes": 0.0}}}},
    )
    assert result.success
    assert set(stage_of(connection).values()) == {"new"}


@pytest.mark.usefixtures("synced")
def test_nothing_private_is_told(connection: Connection, instance: dg.DagsterInstance) -> None:
    """Metadata and tags are counts, classes, versions and digests."""
    report(connection, instance)
    for name in NAMES:
        for record in instance.fetch_materializations(dg.AssetKey(name), limit=9).records:
            told = record.asset_materialization
            assert told is not None
            for value in told.metadata.values():
                assert isinstance(value.value, int) or value.value in {
                    *versions.CODE.extractions.split(),
                    f"plain-{READERS['txt'].version}",
                    "graphed",
                    "failed",
                }
            assert set(told.tags or {}) <= {
                stages.CODE_VERSION,
                stages.DATA_VERSION,
                *(
                    f"dagster/input_{what}/{dep}"
                    for what in ("data_version", "event_pointer")
                    for dep in ("archive", *NAMES)
                ),
            }


@pytest.mark.usefixtures("synced")
def test_scattered_documents_are_redone_in_one_run(
    connection: Connection, ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """One that is named, and what is in a stage; the others are left alone."""
    report(connection, instance)
    before = connection.execute("select sha256, graphed_at from documents order by document_id").fetchall()
    graphed = [row["sha256"] for row in before if row["graphed_at"] is not None]
    config = {"documents": graphed[:1], "stages": ["failed"], "force": True}
    result = redo.redo_job.execute_in_process(
        instance=instance,
        resources={"ledger": ledger, "gpu": GpuLease()},
        run_config={"ops": {"redo_documents": {"config": config}}},
    )
    assert result.success
    after = connection.execute("select sha256, graphed_at from documents order by document_id").fetchall()
    changed = [new["sha256"] for old, new in zip(before, after, strict=True) if old != new]
    assert changed == graphed[:1]
    told = instance.fetch_materializations(dg.AssetKey("graph"), limit=9).records
    assert [record.partition_key for record in told if record.run_id == result.run_id] == graphed[:1]


@pytest.mark.parametrize("config", [{}, {"stages": ["failed"], "assets": ["everything"]}])
def test_nothing_is_redone_by_mistake(
    config: dict[str, list[str]], ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """Without a choice, or with an asset that is none, the run fails and says so."""
    result = redo.redo_job.execute_in_process(
        instance=instance,
        resources={"ledger": ledger, "gpu": GpuLease()},
        run_config={"ops": {"redo_documents": {"config": config}}},
        raise_on_error=False,
    )
    [failed] = [event for event in result.all_node_events if event.is_step_failure]
    assert failed.step_failure_data.user_failure_data is not None
    assert failed.step_failure_data.user_failure_data.description == "UsageError"

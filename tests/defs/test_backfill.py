"""Backfills over partitions that are no neighbours: how many runs Dagster makes of them, and what they do."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.automation_tick_evaluation_context import (
    build_run_requests_with_backfill_policies,
)
from dagster._core.definitions.events import AssetKeyPartitionKey
from dagster._core.definitions.partitions.context import partition_loading_context

from mnemo_assets.archive import ledger as archives
from mnemo_assets.database import Connection
from mnemo_assets.defs import assets, events, redoing
from mnemo_assets.defs.report import report
from mnemo_assets.defs.resources import GpuLease, Ledger
from mnemo_assets.pipeline import mine, read, scan, verify
from mnemo_assets.settings import Settings

NAMES = ("files", "text", "chunks", "extractions", "graph")
FIVE = [assets.reading, assets.mining]
GRAPH = dg.AssetKey("graph")


def requests(
    instance: dg.DagsterInstance, keys: Collection[str], names: Sequence[str] = NAMES
) -> list[dg.RunRequest]:
    """The runs that Dagster makes of a backfill."""
    graph = dg.Definitions(
        assets=FIVE, resources={"ledger": Ledger(), "gpu": GpuLease()}
    ).resolve_asset_graph()
    wanted = [AssetKeyPartitionKey(dg.AssetKey(name), key) for name in names for key in keys]
    with partition_loading_context(dynamic_partitions_store=instance):
        return list(build_run_requests_with_backfill_policies(wanted, graph, instance))


def backfill(
    instance: dg.DagsterInstance,
    ledger: Ledger,
    keys: Collection[str],
    names: Sequence[str] = NAMES,
    tags: dict[str, str] | None = None,
) -> int:
    """Run a backfill's runs, one after the other; how many there were."""
    asked = requests(instance, keys, names)
    for request in asked:
        result = dg.materialize(
            FIVE,
            instance=instance,
            resources={"ledger": ledger, "gpu": GpuLease()},
            selection=list(request.asset_selection or ()),
            partition_key=request.partition_key,
            tags={**request.tags, **(tags or {})},
        )
        assert result.success
    return len(asked)


def documents(connection: Connection, columns: str = "sha256") -> dict[str, tuple[object, ...]]:
    """sha256 -> some columns of documents and of what they gave to the graph, the oldest document first."""
    query = (
        f"select sha256 as key, {columns} from documents left join contributions using (document_id)"  # noqa: S608 - ours
        " order by document_id"
    )
    return {row.pop("key"): tuple(row.values()) for row in connection.execute(query.encode())}


def changed(before: dict[str, tuple[object, ...]], after: dict[str, tuple[object, ...]]) -> set[str]:
    return {key for key in after if after[key] != before[key]}


def told_since(instance: dg.DagsterInstance, name: str, newest: int) -> set[str]:
    """The partitions of which a materialization was told since."""
    some = dg.AssetRecordsFilter(dg.AssetKey(name), after_storage_id=newest)
    records = instance.fetch_materializations(some, limit=1_000).records
    return {str(record.partition_key) for record in records}


@pytest.fixture
def letters(tmp_path: Path, connection: Connection, settings: Settings) -> Callable[[int], list[str]]:
    """Makes so many letters, and brings them to the graph; their keys in order."""

    def make(n: int) -> list[str]:
        folder = tmp_path / "letters"
        folder.mkdir()
        for number in range(n):
            (folder / f"{number:03}.txt").write_text(f"Ada Byron wrote letter {number} to Carl Gauss.\n")
        scan.scan(connection, settings, archives.add_archive(connection, folder, None))
        read.read(connection, settings)
        mine.mine(connection, settings)
        return list(documents(connection))

    return make


def test_a_hundred_scattered_keys(
    letters: Callable[[int], list[str]],
    connection: Connection,
    ledger: Ledger,
    ephemeral: dg.DagsterInstance,
) -> None:
    """They take a hundred runs, as Dagster has it, and come out right; their neighbours are left alone."""
    instance = ephemeral
    keys = letters(200)
    report(connection, instance)
    chosen = set(keys[::2])
    before, newest = documents(connection, "digest, stored_at"), events.newest(instance)
    connection.execute("delete from mention_spans")
    assert backfill(instance, ledger, chosen, ["graph"]) == 100
    spans = connection.execute("select distinct sha256 from mention_spans join documents using (document_id)")
    assert {row["sha256"] for row in spans} == chosen
    after = documents(connection, "digest, stored_at")
    assert changed(before, after) == chosen
    assert [digest for digest, _ in after.values()] == [digest for digest, _ in before.values()]
    assert told_since(instance, "graph", newest) == chosen
    assert not any(n for name, n in verify.quotes(connection, chosen).items() if "not" in name)


def test_neighbours_share_runs(
    letters: Callable[[int], list[str]], connection: Connection, instance: dg.DagsterInstance
) -> None:
    """What follows each other in the list of partitions takes a run for 200, of all five assets at once."""
    keys = letters(3)
    report(connection, instance)
    more = [f"{number:064x}" for number in range(400)]
    instance.add_dynamic_partitions("documents", more)
    assert len(requests(instance, keys)) == 1
    [first, second, third] = requests(instance, [*keys, *more])
    assert {len(request.asset_selection or ()) for request in (first, second, third)} == {5}
    assert len(requests(instance, [keys[0], keys[2], *more[200:]])) == 3


def test_scattered_chunks_alone(
    letters: Callable[[int], list[str]],
    connection: Connection,
    ledger: Ledger,
    instance: dg.DagsterInstance,
    tmp_path: Path,
) -> None:
    """Those that were chosen are cut again, from the cache; those cut as before stay in the graph."""
    keys = letters(6)
    report(connection, instance)
    for path in (tmp_path / "letters").iterdir():
        path.unlink()
    connection.execute("update documents set chunks_version = 0")
    newest = events.newest(instance)
    assert backfill(instance, ledger, keys[::2], ["chunks"]) == 3
    assert [version for (version,) in documents(connection, "chunks_version").values()] == [1, 0] * 3
    assert {stage for (stage,) in documents(connection, "stage").values()} == {"graphed"}
    assert told_since(instance, "chunks", newest) == set(keys[::2])


def test_failed_and_missing_ones_alone(
    letters: Callable[[int], list[str]], connection: Connection, ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """What has failed is missing on the page; it is tried again, and what is well is not."""
    keys = letters(6)
    for key, error_class in ((keys[1], "TimedOut"), (keys[4], "ExtractionFailed")):
        connection.execute(
            "update documents set stage = 'failed', error_class = %s, failed_at = now() where sha256 = %s",
            (error_class, key),
        )
    report(connection, instance)
    before = documents(connection, "stage, graphed_at, stored_at")
    missing = set(keys) - instance.get_materialized_partitions(GRAPH)
    assert missing == {keys[1], keys[4]}
    assert backfill(instance, ledger, missing) == 2
    after = documents(connection, "stage, graphed_at, stored_at")
    assert changed(before, after) == missing
    assert {stage for stage, *_ in after.values()} == {"graphed"}
    assert instance.get_materialized_partitions(GRAPH) == set(keys)


def test_scattered_with_force(
    letters: Callable[[int], list[str]],
    connection: Connection,
    ledger: Ledger,
    settings: Settings,
    instance: dg.DagsterInstance,
) -> None:
    """What is well is made anew from its file, of the chosen ones alone; the graph is the same after it."""
    keys = letters(6)
    report(connection, instance)
    for path in settings.text_cache.rglob("*.json"):
        path.write_bytes(path.read_bytes().replace(b"Ada Byron", b"Eve Curie"))
    before = documents(connection, "digest, graphed_at")
    assert backfill(instance, ledger, keys[1::2], tags={redoing.FORCE_TAG: "true"}) == 3
    after = documents(connection, "digest, graphed_at")
    assert changed(before, after) == set(keys[1::2])
    assert [digest for digest, _ in after.values()] == [digest for digest, _ in before.values()]
    wrong = [path for path in settings.text_cache.rglob("*.json") if b"Eve Curie" in path.read_bytes()]
    assert len(wrong) == 3

"""The adapter: what it writes in batches is what Dagster's public call writes, or it is not used."""

import json
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest
import sqlalchemy
from dagster._core.storage.partition_status_cache import AssetPartitionStatus

from mnemo_assets.defs import events, partitions

TEXT = dg.AssetKey("text")
KEYS = ["a" * 64, "b" * 64, "c" * 64]
#: What differs between two events that say the same.
PASSING = {"timestamp", "id", "event_id", "event_timestamp", "create_timestamp", "pid", "run_id", "run_tags"}


@pytest.fixture(autouse=True)
def _keys(instance: dg.DagsterInstance) -> None:
    partitions.register(instance, KEYS)


def some() -> Iterator[events.Event]:
    for number, key in enumerate(KEYS[:2]):
        tags = {"dagster/data_version": f"v{number}", "dagster/code_version": "1"}
        tags |= {"dagster/input_data_version/files": "f", "dagster/input_event_pointer/files": "7"}
        yield dg.AssetMaterialization(
            "text", partition=key, metadata={"pages": number, "reader": "pdf-1"}, tags=tags
        )
    yield dg.AssetObservation(
        "text", partition=KEYS[2], metadata={"stage": "failed", "error_class": "Corrupt"}
    )


def rows(instance: dg.DagsterInstance, after: int) -> dict[str, list[Any]]:
    """The tables an event is in, without what passes."""
    storage: Any = instance.event_log_storage
    with storage.index_connection() as connection:

        def table(name: str, condition: str, *order: str) -> list[Any]:
            query = f"select * from {name} where {condition} order by {', '.join(order)}"  # noqa: S608 - ours
            return [_plain(dict(row)) for row in connection.execute(sqlalchemy.text(query)).mappings()]

        return {
            "event_logs": table(
                "event_logs", f"id > {after} and asset_key is not null", "partition", "dagster_event_type"
            ),
            "asset_event_tags": table("asset_event_tags", f"event_id > {after}", "key", "value"),
            "asset_keys": table("asset_keys", "true", "asset_key"),
        }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _plain(kept)
            for name, kept in value.items()
            if name not in PASSING and not name.startswith("last_")
        }
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, str) and value.startswith(("{", "[")):
        return _plain(json.loads(value))
    return value


def publicly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "PINNED", "another version")


@pytest.mark.parametrize("within", ["no run", "an op", "an asset"])
def test_the_batch_writes_the_public_calls_rows(
    within: str, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of the log, of tags and of assets are the same but for ids and times."""
    assert dg.__version__ == events.PINNED
    log_within(within, instance)
    first, batched = events.newest(instance), rows(instance, 0)
    publicly(monkeypatch)
    log_within(within, instance)
    assert len(batched["event_logs"]) >= 3
    assert batched["asset_event_tags"] != []
    assert rows(instance, first) == batched


def log_within(within: str, instance: dg.DagsterInstance) -> None:
    if within == "no run":
        assert events.log(instance, some()) == 3
        return

    if within == "an op":

        @dg.op(name="tell", out=dg.Out(dg.Nothing))
        def tell(context: dg.OpExecutionContext) -> None:
            events.log(instance, some(), context)

        @dg.job(executor_def=dg.in_process_executor)
        def job() -> None:
            tell()

        assert job.execute_in_process(instance=instance).success
        return

    @dg.multi_asset(
        specs=[dg.AssetSpec("text", skippable=True)], partitions_def=partitions.documents, name="reading"
    )
    def reading(context: dg.AssetExecutionContext) -> Iterator[Any]:
        events.log(instance, some(), context)
        yield from ()

    assert dg.materialize([reading], instance=instance, partition_key=KEYS[0]).success


def test_the_batch_is_seen_as_the_public_calls_events_are(instance: dg.DagsterInstance) -> None:
    """A partition's status, its latest event and its data version are those of what was told."""
    events.log(instance, some())
    status = instance.get_status_by_partition(TEXT, KEYS, partitions.documents)
    assert status == {
        KEYS[0]: AssetPartitionStatus.MATERIALIZED,
        KEYS[1]: AssetPartitionStatus.MATERIALIZED,
        KEYS[2]: None,
    }
    assert set(instance.get_materialized_partitions(TEXT)) == set(KEYS[:2])
    latest = instance.get_latest_data_version_record(TEXT, partition_key=KEYS[1])
    assert latest is not None
    assert latest.asset_materialization is not None
    assert latest.asset_materialization.metadata["pages"].value == 1


def test_what_cannot_be_written_in_batches_is_written_publicly(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A private call that fails costs nothing but time."""

    def refuse(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(type(instance.event_log_storage), "store_event_batch", refuse)
    assert events.log(instance, some()) == 3
    assert set(instance.get_materialized_partitions(TEXT)) == set(KEYS[:2])


def test_another_version_is_not_trusted(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a dagster that was not looked into, the private call is not made."""
    publicly(monkeypatch)
    monkeypatch.setattr(events, "_write", lambda *_: pytest.fail("a private call"))
    assert events.log(instance, some()) == 3
    assert not list(events.ended(["text"]))
    assert not events.withdraw(instance, [("text", KEYS[0])])
    assert set(instance.get_materialized_partitions(TEXT)) == set(KEYS[:2])


def test_many_events_are_written_in_several_batches(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No statement holds more events than it may have parameters for, and none is lost between two."""
    monkeypatch.setattr(events, "BATCH", 2)
    told = [dg.AssetMaterialization(name, partition=key) for key in KEYS for name in ("text", "chunks")]
    assert events.log(instance, told) == 6
    for name in ("text", "chunks"):
        assert set(instance.get_materialized_partitions(dg.AssetKey(name))) == set(KEYS)

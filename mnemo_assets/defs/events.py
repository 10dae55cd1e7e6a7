"""The one door to Dagster's event log for what happened to documents: in batches, where that can be done.

The public call writes an event in about ten milliseconds, so that a document's five cost fifty. The storage
takes a batch of one asset and one kind in one statement, and Dagster itself uses that for the outputs of a
step; there is no public call for it. What is private stands in this file, was read in the version PINNED, and
is used with that version alone: with another one, or if it fails, the public call is used.
A contract test holds the rows that both write against each other.
"""

import logging
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, Final, TypeAlias

import dagster as dg

#: The version of dagster whose private side this file knows.
PINNED: Final = "1.13.27"
#: Events in one statement: it has seven parameters an event, of at most 65,535.
BATCH: Final = 500

Event: TypeAlias = dg.AssetMaterialization | dg.AssetObservation
Context: TypeAlias = dg.OpExecutionContext | dg.AssetExecutionContext


def log(instance: dg.DagsterInstance, events: Iterable[Event], context: Context | None = None) -> int:
    """Write events to the log, in their order within an asset.

    Args:
        instance: whose log.
        events: materializations and observations of partitions.
        context: the step that they belong to; without one they belong to no run.

    Returns:
        How many were written.
    """
    written = 0
    for batch in _batches(events):
        if dg.__version__ != PINNED or not _write(instance, batch, context):
            _write_publicly(instance, batch, context)
        written += len(batch)
    return written


def newest(instance: dg.DagsterInstance) -> int:
    """The number of the log's last event: what is logged from now on comes after it. 0 in an empty log."""
    return instance.event_log_storage.get_maximum_record_id() or 0


def ended(names: Iterable[str]) -> Iterator[dg.Output[None]]:
    """Outputs of a step that told itself what happened to each partition.

    Without them the steps after it would be skipped; as they are by default, every partition of the run would
    count as materialized, the failed ones too. The mark that says "it was told already" is private; where it
    is not known any more the steps after it are skipped, and sensors do what they would have done.

    Args:
        names: of the assets, each after what it is made of.
    """
    try:
        from dagster._core.definitions import source_asset as private  # noqa: PLC0415 - as below

        mark = private.SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION
    except (ImportError, AttributeError):
        return
    if dg.__version__ == PINNED:
        for name in names:
            yield dg.Output(None, output_name=name, metadata={mark: True})


def withdraw(instance: dg.DagsterInstance, gone: Iterable[tuple[str, str]]) -> bool:
    """Take back that partitions were materialized: what a document had, and has no more.

    Dagster's open-source storage has no call for that, neither public nor private: the rows are deleted.

    Args:
        instance: whose log.
        gone: (asset, partition key).

    Returns:
        Whether that was done; if not, the page shows them as they were, beside an observation that says why.
    """
    keys: dict[str, list[str]] = {}
    for name, key in gone:
        keys.setdefault(name, []).append(key)
    storage: Any = instance.event_log_storage
    try:
        if dg.__version__ != PINNED:
            return not keys
        for name, some in keys.items():
            asset = dg.AssetKey(name)
            _delete(storage, asset, some)
            storage.wipe_asset_cached_status(asset)
    except Exception as error:  # noqa: BLE001 - what is private may break in any way
        logging.getLogger("mnemo").warning("nothing is taken back: %s", type(error).__name__)
        return False
    return True


def _delete(storage: Any, asset: dg.AssetKey, keys: Sequence[str]) -> None:  # noqa: ANN401 - a private side
    from dagster._core.storage.event_log import schema  # noqa: PLC0415 - another version may have it elsewhere

    log, tags = schema.SqlEventLogStorageTable, schema.AssetEventTagsTable
    told = (
        (log.c.asset_key == asset.to_string())
        & (log.c.dagster_event_type == "ASSET_MATERIALIZATION")
        & log.c.partition.in_(keys)
    )
    with storage.index_transaction() as connection:
        connection.execute(
            tags.delete().where(tags.c.event_id.in_(log.select().with_only_columns(log.c.id).where(told)))
        )
        connection.execute(log.delete().where(told))


def _batches(events: Iterable[Event]) -> Iterator[list[Event]]:
    """The events by asset and kind, at most BATCH together."""

    def place(event: Event) -> tuple[str, str]:
        return event.asset_key.to_string(), type(event).__name__

    for _, some in groupby(sorted(events, key=place), place):
        while batch := list(islice(some, BATCH)):
            yield batch


def _write_publicly(instance: dg.DagsterInstance, batch: Sequence[Event], context: Context | None) -> None:
    for event in batch:
        if context is None:
            instance.report_runless_asset_event(event)
        else:
            context.log_event(event)


def _write(instance: dg.DagsterInstance, batch: Sequence[Event], context: Context | None) -> bool:
    """Write a batch in one statement; False if that cannot be done.

    What then was written all the same is written again: an event that stands twice says nothing else.
    """
    try:
        entries = [_entry(event, context) for event in batch]
        instance.event_log_storage.store_event_batch(entries)
    except Exception as error:  # noqa: BLE001 - what is private may break in any way
        logging.getLogger("mnemo").warning("events are written one by one: %s", type(error).__name__)
        return False
    return True


def _entry(event: Event, context: Context | None) -> Any:  # noqa: ANN401 - a private class
    """The row of the log that the public call would write."""
    from dagster._core import events as private  # noqa: PLC0415 - another version may have it elsewhere
    from dagster._core.events.log import EventLogEntry  # noqa: PLC0415
    from dagster._core.instance.utils import RUNLESS_JOB_NAME, RUNLESS_RUN_ID  # noqa: PLC0415

    kinds = private.DagsterEventType
    message: str | None = None
    kept: Any
    if isinstance(event, dg.AssetMaterialization):
        kind, kept = kinds.ASSET_MATERIALIZATION, private.StepMaterializationData(event)
        message = event.description or f"Materialized value {event.label}."
    else:
        kind, kept = kinds.ASSET_OBSERVATION, private.AssetObservationData(event)
    told: dict[str, Any] = {"event_type_value": kind.value, "event_specific_data": kept}
    run_id, said, level = RUNLESS_RUN_ID, "", logging.INFO
    if context is None:
        told |= {"job_name": RUNLESS_JOB_NAME}
    else:
        step: Any = context.get_step_execution_context()
        run_id, level = step.run_id, logging.DEBUG
        said = message or f"{kind} for step {step.step.key}"
        told |= {
            "job_name": step.job_name,
            "step_handle": step.step.handle,
            "node_handle": step.step.node_handle,
            "step_kind_value": step.step.kind.value,
            "logging_tags": step.event_tags,
            "message": message,
            "pid": os.getpid(),
        }
    happened = private.DagsterEvent(**told)
    entry: Any = EventLogEntry
    return entry(
        error_info=None,
        level=level,
        user_message=said,
        run_id=run_id,
        timestamp=time.time(),
        step_key=happened.step_key,
        job_name=happened.job_name,
        dagster_event=happened,
    )

"""The report: tells Dagster what the ledger has and Dagster lacks. The ledger is right; the view follows it."""

import sys
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import dagster as dg

from mnemo_assets import database, settings
from mnemo_assets.database import Connection
from mnemo_assets.defs import events, looking, partitions, stages
from mnemo_assets.defs.events import Context
from mnemo_assets.pipeline import reports, versions
from mnemo_assets.pipeline.reports import Standing

#: What every document's files are made of: without it they would show as stale.
ARCHIVE: Final = dg.AssetKey("archive")
#: Documents told in one go: what a killed report tells twice, at most.
BATCH = 200


@dataclass(slots=True)
class ReportCounts:
    """What a report told.

    Attributes:
        documents: of which something was told.
        events: materializations and observations.
        added, removed: partition keys.
    """

    documents: int = 0
    events: int = 0
    added: int = 0
    removed: int = 0


def report(
    connection: Connection,
    instance: dg.DagsterInstance,
    context: Context | None = None,
    *,
    thorough: bool = True,
    wait: bool = True,
) -> ReportCounts:
    """Register the keys that are missing, remove those of documents that are gone, and tell what was not told.

    Killed at any moment it leaves a view that the next report mends. Of several at once one reports.

    Args:
        connection: the owner's, in autocommit mode, outside a transaction.
        instance: Dagster's.
        context: the step that tells it; without one the events belong to no run.
        thorough: hold all keys against all documents; without, only documents that were never told get keys.
        wait: for another report that is under way; without, nothing is done then.
    """
    counts = ReportCounts()
    with reports.alone(connection, wait=wait) as is_ours:
        if is_ours:
            known = _reconcile(connection, instance, counts) if thorough else None
            if thorough and instance.get_latest_materialization_event(ARCHIVE) is None:
                told = looking.materialization(looking.standing(connection))
                counts.events += events.log(instance, [told], context)
            _tell_all(connection, instance, context, counts, known)
    return counts


def report_again(
    connection: Connection,
    instance: dg.DagsterInstance,
    context: Context | None,
    only: Collection[str],
    assets: Collection[str],
) -> ReportCounts:
    """Tell what these documents have of these assets, told before or not: a run that was asked for them ends so.

    Args:
        connection: the owner's, in autocommit mode, outside a transaction.
        instance: Dagster's.
        context: the step.
        only: sha256s.
        assets: names.
    """
    counts = ReportCounts()
    with reports.alone(connection):
        version = versions.line(connection)
        told = reports.standing(connection, only)
        _tell(connection, instance, context, told, counts, version, frozenset(assets))
    return counts


def _reconcile(connection: Connection, instance: dg.DagsterInstance, counts: ReportCounts) -> set[str]:
    """Make the keys those of the documents; a document without a key is told anew. Returns the keys."""
    known = set(partitions.documents.get_partition_keys(dynamic_partitions_store=instance))
    wanted = reports.keys(connection)
    gone = known.difference(wanted)
    counts.removed += partitions.unregister(instance, sorted(gone))
    missing = [key for key in wanted if key not in known]
    if missing:
        counts.added += partitions.register(instance, missing, known=()).added
        reports.forget(connection, missing)
    return (known - gone) | set(missing)


def _tell_all(
    connection: Connection,
    instance: dg.DagsterInstance,
    context: Context | None,
    counts: ReportCounts,
    known: set[str] | None,
) -> None:
    version, after = versions.line(connection), 0
    while told := reports.unreported(connection, version, after, BATCH):
        after = told[-1].document_id
        new = [one.sha256 for one in told if one.reported_version is None]
        counts.added += partitions.register(instance, new, known=known or ()).added
        _tell(connection, instance, context, told, counts, version)


def _tell(
    connection: Connection,
    instance: dg.DagsterInstance,
    context: Context | None,
    told: list[Standing],
    counts: ReportCounts,
    version: str,
    again: frozenset[str] = frozenset(),
) -> None:
    """Tell what is due of documents, and the assets of `again`; then note it."""
    due = [(one, stages.due(one, version) | again) for one in told]
    for name in stages.ASSETS:  # each after what it is made of
        newest = events.newest(instance)
        made = (stages.materialization(name, one, newest) for one, names in due if name in names)
        counts.events += events.log(instance, filter(None, made), context)
    seen = (stages.observation(one) for one in told)
    counts.events += events.log(instance, filter(None, seen), context)
    counts.documents += len(told)
    reports.mark(connection, told, version)


def main() -> int:
    """Report once, with the instance of DAGSTER_HOME; says nothing but the class of what went wrong."""
    try:
        chosen = settings.load()
        with closing(database.connect(chosen)) as connection, dg.DagsterInstance.get() as instance:
            if "--again" in sys.argv[1:]:
                reports.forget(connection)
            report(connection, instance)
    except Exception as error:  # noqa: BLE001 - its text may hold anything
        sys.stderr.write(f"{type(error).__name__}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

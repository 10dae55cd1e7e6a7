"""The report: tells Dagster what the ledger has and it lacks. The ledger is right; the view follows."""

import sys
from collections.abc import Collection, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final

import dagster as dg

from mnemo_assets import database, settings
from mnemo_assets.database import Connection
from mnemo_assets.defs import events, looking, partitions, stages
from mnemo_assets.defs.events import Context, Event
from mnemo_assets.pipeline import reports, versions
from mnemo_assets.pipeline.reports import Standing

#: What every document's files are made of: without it they would show as stale.
ARCHIVE: Final = dg.AssetKey("archive")
#: Documents told in one go: what a killed report tells twice, at most.
BATCH: Final = 200


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
    """Register the keys that are missing, remove those of documents that are gone, tell what was not told.

    Killed at any moment it leaves a view that the next report mends. Of several at once one reports.

    Args:
        connection: the owner's, in autocommit mode, outside a transaction.
        instance: Dagster's.
        context: the step that tells it; without one the events belong to no run.
        thorough: hold all keys against all documents; without, only documents that were never told get keys.
        wait: for another report that is under way; without, nothing is done then.
    """
    with reports.alone(connection, wait=wait) as is_ours:
        telling = _Telling(connection, instance, context)
        if is_ours:
            if thorough:
                telling.reconcile()
                telling.archive()
            telling.all()
    return telling.counts


def report_again(
    connection: Connection,
    instance: dg.DagsterInstance,
    context: Context | None,
    only: Collection[str],
    assets: Collection[str],
) -> ReportCounts:
    """Tell what these documents have of these assets, told before or not.

    A run that was asked for them ends so: what it was asked for and does not tell is taken to have failed.

    Args:
        connection: the owner's, in autocommit mode, outside a transaction.
        instance: Dagster's.
        context: the step.
        only: sha256s.
        assets: names.
    """
    with reports.alone(connection):
        telling = _Telling(connection, instance, context)
        telling.documents(reports.standing(connection, only), versions.line(connection), frozenset(assets))
    return telling.counts


@dataclass(slots=True)
class _Telling:
    """One report under way; only one is, at a time."""

    connection: Connection
    instance: dg.DagsterInstance
    context: Context | None
    counts: ReportCounts = field(default_factory=ReportCounts)

    def reconcile(self) -> None:
        """Make the keys those of the documents; one that had lost its key is told anew."""
        known = set(partitions.documents.get_partition_keys(dynamic_partitions_store=self.instance))
        wanted = reports.keys(self.connection)
        gone = known.difference(wanted)
        self.counts.removed += partitions.unregister(self.instance, sorted(gone))
        missing = [key for key in wanted if key not in known]
        if missing:
            # in this order: killed in between, they have no key yet, and the next report finds them again
            reports.forget(self.connection, missing)
            self.counts.added += partitions.register(self.instance, missing, known=()).added

    def archive(self) -> None:
        """Tell of the archives as a whole, where no run has."""
        if self.instance.get_latest_materialization_event(ARCHIVE) is None:
            self._log([looking.materialization(looking.standing(self.connection))])

    def all(self) -> None:
        """Tell of every document of which something was not told."""
        version, after = versions.line(self.connection), 0
        while told := reports.unreported(self.connection, version, after, BATCH):
            after = told[-1].document_id
            self.documents(told, version)

    def documents(self, told: list[Standing], version: str, again: frozenset[str] = frozenset()) -> None:
        """Tell of documents what was not told of them, and these assets; then note it."""
        new = [one.sha256 for one in told if one.reported_version is None]
        self.counts.added += partitions.register(self.instance, new).added if new else 0
        due = [(one, stages.due(one, version) | again) for one in told]
        lost = [(name, one.sha256) for one in told for name in stages.lost(one)]
        events.withdraw(self.instance, lost)
        for name in stages.ASSETS:  # each after what it is made of
            newest = events.newest(self.instance)
            made = (stages.materialization(name, one, newest) for one, names in due if name in names)
            self._log(event for event in made if event is not None)
        seen = (stages.observation(one) for one in told if one.is_moved or again)
        self._log(event for event in seen if event is not None)
        self.counts.documents += len(told)
        reports.mark(self.connection, told, version)

    def _log(self, some: Iterable[Event]) -> None:
        self.counts.events += events.log(self.instance, some, self.context)


def main() -> int:
    """Report once, to the instance of DAGSTER_HOME; says nothing but the class of what went wrong.

    With `--again` everything is told anew: after somebody wiped it there.
    """
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

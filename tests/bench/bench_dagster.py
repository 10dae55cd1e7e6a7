"""What Dagster costs beside the work, how soon a file is in the graph: `python tests/bench/bench_dagster.py`.

Small letters are drained without Dagster, by its jobs, and by its jobs where nothing private of it is used.
Then `mnemo up` runs over a folder into which files are put. Everything is in temporary folders, and removed.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import random
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any
from unittest import mock

import dagster as dg

from mnemo_assets import database
from mnemo_assets.archive import ledger
from mnemo_assets.definitions import defs
from mnemo_assets.defs import drain, events
from mnemo_assets.defs.report import report
from mnemo_assets.pipeline import mine, read, scan
from tests.bench import ledgers
from tests.upped import Up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mnemo_assets.settings import Settings

DOCUMENTS = 2_000
#: Fewer where each costs much.
PUBLICLY = 300
FILES = 11
#: What is promised: milliseconds of orchestration a document, seconds from a file's creation to its graph.
MOST_MS, MOST_SECONDS = 10.0, 15.0
#: Seconds in which a file must have come to the graph.
PATIENCE = 180.0

_names = itertools.count(1)


def main() -> int:
    """Print the figures; 1 if one of them is not what is promised."""
    with ledgers.home() as settings:
        milliseconds = cost(settings)
    with ledgers.home() as settings:
        seconds = latency(settings)
    return int(milliseconds > MOST_MS or seconds > MOST_SECONDS)


def cost(settings: Settings) -> float:
    """Drain letters each way; milliseconds of orchestration a document."""
    os.environ |= ledgers.environment(settings)
    with database.connect(settings) as connection, dg.DagsterInstance.get() as instance:
        scanned(connection, settings, DOCUMENTS)
        bare = timed(lambda: (read.read(connection, settings), mine.mine(connection, settings)))
        print(
            f"{DOCUMENTS:,} letters without Dagster: {1000 * bare / DOCUMENTS:.1f} ms a document", flush=True
        )
        report(connection, instance)
        print(
            "orchestration: a run's time that is neither reading nor mining, as these take it without Dagster"
        )
        ours = drained(connection, settings, instance, DOCUMENTS, "events in batches")
        with mock.patch.object(events, "PINNED", "another version"):
            drained(connection, settings, instance, PUBLICLY, "the public call, an event at a time")
    return ours


def drained(
    connection: database.Connection, settings: Settings, instance: dg.DagsterInstance, n: int, how: str
) -> float:
    """Drain letters by the jobs; milliseconds of orchestration a document."""
    scanned(connection, settings, n)
    with (
        timing(read, "read") as reading,
        timing(mine, "mine") as mining,
        timing(drain.Telling, "__call__") as telling,
    ):
        whole = timed(lambda: run(instance, "read")) + timed(lambda: run(instance, "mine"))
    work = sum(reading) + sum(mining) - sum(telling)
    row = connection.execute(
        "select count(*) as n from documents"
        " where stage <> 'graphed' or reported_stage is distinct from stage"
    ).fetchone()
    assert row == {"n": 0}, row
    milliseconds = 1000 * (whole - work) / n
    print(f"  {how}, {n:,} letters: {milliseconds:.1f} ms a document, of {1000 * whole / n:.1f}", flush=True)
    return milliseconds


def run(instance: dg.DagsterInstance, job: str) -> None:
    """A job's run, in this process."""
    with contextlib.redirect_stderr(io.StringIO()):  # a line an event, as in the log of a code server
        assert defs.resolve_job_def(job).execute_in_process(instance=instance).success


@contextlib.contextmanager
def timing(where: Any, name: str) -> Iterator[list[float]]:
    """The seconds of each call of a function, while it is replaced by itself and a clock."""
    taken: list[float] = []
    function = getattr(where, name)

    def timed_call(*words: Any, **options: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*words, **options)
        finally:
            taken.append(time.perf_counter() - start)

    with mock.patch.object(where, name, timed_call):
        yield taken


def timed(work: Callable[[], object]) -> float:
    """Seconds of a piece of work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def scanned(connection: database.Connection, settings: Settings, n: int) -> None:
    """An archive of so many new letters, scanned and waiting to be read."""
    root = settings.home.parent / f"letters {next(_names)}"
    root.mkdir()
    for _ in range(n):
        number = next(_names)
        (root / f"{number}.txt").write_text(letter(number))
    assert scan.scan(connection, settings, ledger.add_archive(connection, root)).documents == n


def letter(number: int) -> str:
    """A small letter, like no other."""
    return (
        f"Dear Ada Byron,\n\non 5 October 2020 Carl Gauss of Nordwind Ltd wrote letter {number} to Clara.\n"
        "He works for Westwind GmbH in Berlin, and the harbour was quiet all autumn.\n\nKind regards\n"
    )


def latency(settings: Settings) -> float:
    """Put files into an archive under `mnemo up`; the median of the seconds until each is in the graph."""
    archive = settings.home.parent / "papers"
    archive.mkdir()
    (archive / "first.txt").write_text(letter(0))
    up = Up(settings.home, archive)
    chance = random.Random(11)
    taken = []
    try:
        up.start()
        with database.connect(settings) as connection:
            wait(connection, 1)
            for number in range(1, FILES + 1):
                time.sleep(chance.uniform(5, 12))  # at any moment of the sensors' rounds
                start = time.perf_counter()
                (archive / f"new {number}.txt").write_text(letter(number))
                wait(connection, number + 1)
                taken.append(time.perf_counter() - start)
    finally:
        if up.process is not None and up.process.poll() is None:
            up.end()
    median = statistics.median(taken)
    print(f"from a file's creation to its graph, {FILES} files: from {min(taken):.1f} to {max(taken):.1f} s")
    print(f"  median {median:.1f} s (at most {MOST_SECONDS:g})")
    return median


def wait(connection: database.Connection, documents: int) -> None:
    """Wait until so many documents are in the graph."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        row = connection.execute("select count(*) as n from documents where stage = 'graphed'").fetchone()
        if row is not None and row["n"] >= documents:
            return
        time.sleep(0.05)
    raise RuntimeError("A file does not come to the graph.")


if __name__ == "__main__":
    sys.exit(main())

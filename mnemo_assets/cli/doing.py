"""What commands share that move documents on: the work, what it did, and how that is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from mnemo_assets.cli.ask import plain, show_status
from mnemo_assets.cli.outcome import complain
from mnemo_assets.cli.output import amount, emit, say
from mnemo_assets.errors import ArchiveUnreachableError, MnemoError, RecognitionError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mnemo_assets.database import Connection
    from mnemo_assets.pipeline.mine import MineCounts
    from mnemo_assets.pipeline.progress import OnProgress
    from mnemo_assets.pipeline.read import ReadCounts
    from mnemo_assets.serve.status import Status
    from mnemo_assets.settings import Settings

UNREACHABLE = ArchiveUnreachableError.exit_code
#: A document failed for the first time in this run.
FAILED = 5
#: What a command calls itself where others ask who has the GPU lease.
PROGRAM = "mine"


@dataclass(slots=True)
class Done:
    """What one run did."""

    seen: int = 0
    hashed: int = 0
    ledger: int = 0  # files that are new, changed, gone or back
    read: int = 0
    recognised: int = 0  # pages
    mined: int = 0
    removed: int = 0
    failed: int = 0
    failed_first: int = 0  # of them
    unsettled: int = 0  # files that changed under our hands in the last round
    unreachable: list[str] = field(default_factory=list)  # names of archives
    lacking: str | None = None  # why scans wait
    waiting: MnemoError | None = None  # why texts wait for their model

    def count_read(self, reading: ReadCounts) -> None:
        """Add what became of documents that were read."""
        self.read += reading.extracted + reading.unchanged
        self.read += reading.skipped + reading.ocr_pending + reading.failed
        self.failed += reading.failed
        self.failed_first += reading.failed_first
        self.unsettled += reading.unreachable

    def count_mined(self, mining: MineCounts) -> None:
        """Add what became of documents that were mined."""
        self.mined += mining.graphed
        self.failed += mining.failed
        self.failed_first += mining.failed_first

    @property
    def nothing(self) -> bool:
        """Whether everything was as it should be before the run began."""
        worked = self.hashed or self.ledger or self.read or self.recognised or self.mined or self.removed
        return not (worked or self.unsettled)

    @property
    def exit_code(self) -> int:
        """The code of the command: an outage says more than a failed document."""
        if self.unreachable:
            return UNREACHABLE
        if self.waiting is not None:
            return self.waiting.exit_code
        return FAILED if self.failed_first else 0


def say_lost() -> None:
    """Say that there is no connection, and what is done about it."""
    click.echo("The connection to the database broke off. Connecting again.", err=True)


def work(
    connection: Connection,
    chosen: Settings,
    on_progress: OnProgress,
    done: Done,
    *,
    until_done: bool = False,
    passwords: Sequence[str] = (),
    unmeasured: bool = False,
) -> None:
    """Read and mine what waits; with `until_done` until a round finds nothing that could go on.

    Where the model cannot be asked, what waits for it waits on, and `done.waiting` says why.
    """
    from mnemo_assets.pipeline import mine, read

    while True:
        reading, mining, recognised = read.ReadCounts(), mine.MineCounts(), 0
        try:
            read.read(connection, chosen, on_progress, counts=reading)
            recognised = recognise(connection, chosen, on_progress, done, passwords=passwords)
            mine_texts(connection, chosen, on_progress, done, mining, unmeasured=unmeasured)
        finally:  # what was done counts, whatever becomes of the rest
            outcomes = reading.extracted + reading.skipped + reading.ocr_pending + reading.failed
            done.count_read(reading)
            done.removed += reading.removed
            done.count_mined(mining)
        if not until_done or done.waiting is not None or not (outcomes or recognised or mining.graphed):
            return


def mine_texts(
    connection: Connection,
    chosen: Settings,
    on_progress: OnProgress,
    done: Done,
    counts: MineCounts,
    *,
    only: Sequence[str] | None = None,
    unmeasured: bool = False,
) -> None:
    """Mine the texts that wait. Where their model cannot be asked they wait on; `done.waiting` says why."""
    from mnemo_assets.pipeline import gates, mine

    done.waiting = None
    try:
        mine.mine(
            connection, chosen, on_progress, only=only, counts=counts, program=PROGRAM, unmeasured=unmeasured
        )
    except gates.WAITS as error:
        done.waiting = error


def recognise(
    connection: Connection,
    chosen: Settings,
    on_progress: OnProgress,
    done: Done,
    only: Sequence[str] | None = None,
    *,
    again: bool = False,
    passwords: Sequence[str] = (),
) -> int:
    """Recognise the pages that wait, if there is what it takes; how many pages came to an end."""
    from mnemo_assets.pipeline import recognise

    counts = recognise.OcrCounts()
    done.lacking = None
    try:
        recognise.recognise(
            connection, chosen, on_progress, only=only, again=again, counts=counts, passwords=passwords
        )
    except RecognitionError as error:  # the pages wait, and everything else goes on
        done.lacking = str(error)
    finally:
        done.recognised += counts.pages
        done.failed += counts.failed
        done.failed_first += counts.failed_first
        done.unsettled += counts.unreachable
    return counts.pages + counts.pages_failed


def report(connection: Connection, chosen: Settings) -> None:
    """Bring the page of `mnemo up` up to date, if it is used; where that fails, the next one does it."""
    from mnemo_assets.up import tell

    if tell.is_behind(connection, chosen):
        tell.tell(chosen)


def _nothing(done: Done, now: Status) -> str:
    """What is said where nothing was done: that all is well, or that texts wait all the same."""
    seen = f"{amount(done.seen, 'file')} looked at, as they were"
    if not now.documents["extracted"]:
        return f"Nothing to do: {seen}, no document waits that could go on."
    waiting = amount(now.documents["extracted"], "text")
    return (
        f"Nothing was done: {seen}. {waiting} to be mined: for a model, or by another program that is at it."
    )


def tell(
    chosen: Settings,
    done: Done,
    headline: str | None = None,
    more: Mapping[str, int] | None = None,
    *,
    as_json: bool,
) -> int:
    """Print what was done, under a headline of the command's own, and how things stand now; the exit code.

    As JSON with `more` counts of the command's own.
    """
    from mnemo_assets.serve import session
    from mnemo_assets.serve import status as room

    with session.reading(chosen) as connection:
        now = room.status(connection)
    did = {
        "hashed": done.hashed,
        "read": done.read,
        "recognised": done.recognised,
        "mined": done.mined,
        "removed": done.removed,
    }
    counted = {**did, **(more or {})}
    if not as_json:
        if headline is not None:
            say(headline)
        if done.nothing and headline is None:
            say(_nothing(done, now))
        elif not done.nothing:
            said = {what: f"{n:,} {what}" for what, n in did.items()}
            said["recognised"] = f"{amount(done.recognised, 'page')} recognised" if done.recognised else ""
            say(f"Done: {', '.join(filter(None, said.values()))}.")
        show_status(now)
    if done.unreachable:
        names = ", ".join(done.unreachable)
        advice = f"The folder of {names} is gone, empty or another. Nothing was concluded; the rest went on."
        return complain(
            ArchiveUnreachableError.__name__, advice, UNREACHABLE, as_json=as_json, **plain(now), did=counted
        )
    if done.waiting is not None:
        name, advice = type(done.waiting).__name__, f"Texts wait for their model. {done.waiting}"
        return complain(name, advice, done.exit_code, as_json=as_json, **plain(now), did=counted)
    if as_json:
        emit({**plain(now), "did": counted})
    if done.lacking is not None:
        click.echo(f"Scans wait. {done.lacking}", err=True)
    if done.failed:
        click.echo("Some documents failed: `mnemo failures` says which, and why.", err=True)
    return done.exit_code

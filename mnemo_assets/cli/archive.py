"""Commands that move documents on: sync, retry, ocr, unlock."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mnemo_assets.cli.ask import plain, show_status
from mnemo_assets.cli.outcome import complain
from mnemo_assets.cli.output import bars, emit, json_option, say
from mnemo_assets.errors import ArchiveUnreachableError, ErrorClass, RecognitionError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mnemo_assets.archive.ledger import Archive
    from mnemo_assets.database import Connection
    from mnemo_assets.pipeline.progress import OnProgress
    from mnemo_assets.pipeline.read import ReadCounts
    from mnemo_assets.settings import Settings

UNREACHABLE = ArchiveUnreachableError.exit_code
#: A document failed for the first time in this run.
FAILED = 5
#: With --until-done: rounds of files that change while they are read, before it is left to the next sync.
ROUNDS = 5


#: What is counted that is no document or file.
_WORDS = {"recognised": "pages recognised"}
#: What can be sent back: a document that is new or extracted waits already.
STAGES = ["failed", "skipped", "ocr_pending", "graphed"]


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

    def count(self, reading: ReadCounts) -> None:
        """Add what became of documents that were read."""
        self.read += reading.extracted + reading.unchanged
        self.read += reading.skipped + reading.ocr_pending + reading.failed
        self.failed += reading.failed
        self.failed_first += reading.failed_first
        self.unsettled += reading.unreachable

    @property
    def nothing(self) -> bool:
        """Whether everything was as it should be before the run began."""
        worked = self.hashed or self.ledger or self.read or self.recognised or self.mined or self.removed
        return not (worked or self.unsettled)

    @property
    def exit_code(self) -> int:
        """The code of the command: an outage says more than a failed document."""
        return UNREACHABLE if self.unreachable else FAILED if self.failed_first else 0


@click.command()
@click.argument("given", required=False, metavar="[DIR]")
@click.option("--name", help="What to call the archive. Default: the name of the folder.")
@click.option("--until-done", is_flag=True, help="Go round again until nothing waits that could go on.")
@json_option
def sync(*, given: str | None, name: str | None, until_done: bool, as_json: bool) -> int:
    """Bring the graph up to date with an archive.

    The archive in DIR, or all that are known. Looks for what is new, changed or gone, reads it, and mines its
    text. Files that did not change are not opened. It may be stopped at any moment: the next sync goes on.

    Exit code 4: an archive was unreachable; whatever could go on without it went on. Exit code 5: a document
    failed for the first time; `mnemo failures` says which, and why.

    \b
    mnemo sync ~/Documents
    mnemo sync /media/disk/papers --name old-disk
    mnemo sync                      all archives that are known
    """
    from mnemo_assets import settings
    from mnemo_assets.pipeline import link, mine

    if name is not None and given is None:
        raise UsageError("--name goes with a folder: mnemo sync DIR --name NAME.")
    if given == "":  # Path would make the current folder of it
        raise UsageError("The folder is an empty text. Is the variable that holds it set?")
    folder = None if given is None else Path(given)
    chosen = settings.load()
    done = Done()

    def go(connection: Connection) -> None:
        archives = _archives(connection, folder, name)
        mine.active_generation(connection, chosen)  # a recipe that does not fit is refused before any work
        for _ in range(ROUNDS if until_done else 1):
            _scan(connection, chosen, archives, on_progress, done)
            _work(connection, chosen, on_progress, done, until_done=until_done)
            if not done.unsettled:
                break
        _report(connection, chosen)

    with bars() as on_progress:
        link.reconnecting(chosen, go, _say_lost)
    if done.read:
        _tell_walls(chosen)
    return _tell(chosen, done, as_json=as_json)


def _say_lost() -> None:
    click.echo("The connection to the database broke off. Connecting again.", err=True)


def _tell_walls(chosen: Settings) -> None:
    """Say once in a home's life which walls around the readers this machine does not have."""
    from mnemo_assets.text.sandbox import Sandbox

    told = chosen.home / "walls-told"
    if told.exists():
        return
    with Sandbox(chosen) as sandbox:
        lacking = [f"{wall.name} ({wall.why_not})" for wall in sandbox.walls() if not wall.in_force]
    if lacking:
        click.echo(f"Readers work without these walls on this machine: {', '.join(lacking)}.", err=True)
    chosen.home.mkdir(mode=0o700, parents=True, exist_ok=True)  # nothing may have been kept there yet
    told.touch()


def _archives(connection: Connection, folder: Path | None, name: str | None) -> Sequence[Archive]:
    from mnemo_assets.archive import ledger

    if folder is not None:
        return [ledger.add_archive(connection, folder.absolute(), name)]
    archives = ledger.archives(connection)
    if not archives:
        raise UsageError("No archive is known yet. Name a folder: mnemo sync DIR.")
    return archives


def _scan(
    connection: Connection, chosen: Settings, archives: Sequence[Archive], on_progress: OnProgress, done: Done
) -> None:
    """Look at every archive that can be reached, and let go of what has left them."""
    from mnemo_assets.pipeline import scan
    from mnemo_assets.serve import status

    done.seen = done.unsettled = 0
    done.unreachable = []
    for archive in archives:
        try:
            found = scan.scan(connection, chosen, archive, on_progress)
        except ArchiveUnreachableError:
            done.unreachable.append(archive.name)
            continue
        done.seen += found.seen
        done.hashed += found.hashed
        done.ledger += found.added + found.changed + found.revived + found.missing
    done.removed += scan.sweep(connection, chosen)
    done.unsettled += status.status(connection).files["changing"]


def _work(
    connection: Connection, chosen: Settings, on_progress: OnProgress, done: Done, *, until_done: bool
) -> None:
    """Read and mine what waits; with `until_done` until a round finds nothing that could go on."""
    from mnemo_assets.pipeline import mine, read

    while True:
        reading, mining, recognised = read.ReadCounts(), mine.MineCounts(), 0
        try:
            read.read(connection, chosen, on_progress, counts=reading)
            recognised = _recognise(connection, chosen, on_progress, done)
            mine.mine(connection, chosen, on_progress, counts=mining)
        finally:  # what was done counts, whatever becomes of the rest
            outcomes = reading.extracted + reading.skipped + reading.ocr_pending + reading.failed
            done.count(reading)
            done.removed += reading.removed
            done.mined += mining.graphed
            done.failed += mining.failed
            done.failed_first += mining.failed_first
        if not until_done or not (outcomes or recognised or mining.graphed):
            return


def _recognise(
    connection: Connection,
    chosen: Settings,
    on_progress: OnProgress,
    done: Done,
    only: Sequence[str] | None = None,
    *,
    again: bool = False,
) -> int:
    """Recognise the pages that wait, if there is what it takes; how many pages came to an end."""
    from mnemo_assets.pipeline import recognise

    counts = recognise.OcrCounts()
    done.lacking = None
    try:
        recognise.recognise(connection, chosen, on_progress, only=only, again=again, counts=counts)
    except RecognitionError as error:  # the pages wait, and everything else goes on
        done.lacking = str(error)
    finally:
        done.recognised += counts.pages
        done.failed += counts.failed
        done.failed_first += counts.failed_first
        done.unsettled += counts.unreachable
    return counts.pages + counts.pages_failed


def _report(connection: Connection, chosen: Settings) -> None:
    """Bring the page of `mnemo up` up to date, if it is used; where that fails, the next one does it."""
    from mnemo_assets.up import tell

    if tell.is_behind(connection, chosen):
        tell.tell(chosen)


def _tell(
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
            say(f"Nothing to do: {done.seen:,} files are as they were, no document waits that could go on.")
        elif not done.nothing:
            told = did if done.recognised else {what: n for what, n in did.items() if what != "recognised"}
            say("Done: " + ", ".join(f"{n:,} {_WORDS.get(what, what)}" for what, n in told.items()) + ".")
        show_status(now)
    if done.unreachable:
        names = ", ".join(done.unreachable)
        advice = f"The folder of {names} is gone, empty or another. Nothing was concluded; the rest went on."
        return complain(
            ArchiveUnreachableError.__name__, advice, UNREACHABLE, as_json=as_json, **plain(now), did=counted
        )
    if as_json:
        emit({**plain(now), "did": counted})
    if done.lacking is not None:
        click.echo(f"Scans wait. {done.lacking}", err=True)
    if done.failed:
        click.echo("Some documents failed: `mnemo failures` says which, and why.", err=True)
    return done.exit_code


@click.command()
@click.argument("sha", required=False, metavar="[SHA]")
@click.option("--stage", type=click.Choice(STAGES), help="Documents in this stage.")
@click.option(
    "--class",
    "error_class",
    type=click.Choice([str(one) for one in ErrorClass]),
    metavar="CLASS",
    help="Documents with this error class, such as TimedOut.",
)
@click.option("--force", is_flag=True, help="Take them in although a gate says no.")
@json_option
def retry(*, sha: str | None, stage: str | None, error_class: str | None, force: bool, as_json: bool) -> int:
    """Try once more what failed.

    All documents that failed, or those of a stage, of an error class, or one by its sha256.
    The beginning of a sha256 is enough. --force goes with a choice, and takes in what a gate keeps out: a
    table, a text that holds a key.

    \b
    mnemo retry
    mnemo retry --class TimedOut
    mnemo retry --force 3fa1b2
    """
    from mnemo_assets import database, settings
    from mnemo_assets.pipeline import link, mine
    from mnemo_assets.pipeline import retry as room

    if force and not (sha or stage or error_class):
        raise UsageError("--force goes with a choice: a sha256, --stage or --class.")
    chosen = settings.load()
    done = Done()
    with closing(database.connect(chosen)) as connection:
        mine.active_generation(connection, chosen)
        sent = room.retry(
            connection,
            sha256=sha,
            stage=stage,
            error_class=None if error_class is None else ErrorClass(error_class),
            force=force,
        )

    def go(connection: Connection) -> None:
        _work(connection, chosen, on_progress, done, until_done=False)
        _report(connection, chosen)

    with bars() as on_progress:
        link.reconnecting(chosen, go, _say_lost)
    headline = f"{sent:,} documents sent back." if sent else "No document matches: nothing was sent back."
    return _tell(chosen, done, headline, as_json=as_json)


@click.command()
@click.argument("sha", required=False, metavar="[SHA]")
@click.option(
    "--redo", is_flag=True, help="Also what failed; with SHA, all pages of that document that are pictures."
)
@json_option
def ocr(*, sha: str | None, redo: bool, as_json: bool) -> int:
    """Recognise the text of scanned pages.

    Pages that are pictures are read by the program tesseract, a page at a time; sync does it, too. It may be
    stopped at any moment, and goes on with the pages that are not read yet. What was read is mined.

    SHA is the beginning of a document's sha256: only this document. The languages are those of
    MNEMO_OCR_LANGUAGES. With --redo a page that was read is read again, as another language or a newer
    program may do better; the earlier text is kept.

    \b
    mnemo ocr
    mnemo ocr --redo
    mnemo ocr 3fa1b2 --redo
    """
    from mnemo_assets import database, settings
    from mnemo_assets.pipeline import link, mine, recognise
    from mnemo_assets.pipeline import retry as room

    chosen = settings.load()
    done = Done()
    with closing(database.connect(chosen)) as connection:
        mine.active_generation(connection, chosen)
        only = None if sha is None else [room.named(connection, sha)[1]]
        if redo:
            recognise.send_back(connection, only)

    def go(connection: Connection) -> None:
        _recognise(connection, chosen, on_progress, done, only, again=redo and only is not None)
        mine.mine(connection, chosen, on_progress, only=only, counts=mining)
        _report(connection, chosen)

    mining = mine.MineCounts()
    with bars() as on_progress:
        link.reconnecting(chosen, go, _say_lost)
    done.mined, done.failed, done.failed_first = (
        mining.graphed,
        done.failed + mining.failed,
        done.failed_first + mining.failed_first,
    )
    if done.lacking is not None and not done.recognised:
        return complain(RecognitionError.__name__, done.lacking, RecognitionError.exit_code, as_json=as_json)
    return _tell(chosen, done, None if done.recognised else "No page waits.", as_json=as_json)


@click.command()
@click.option(
    "--passwords",
    "given",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="A file of passwords, one a line, that only you can read.",
)
@click.argument("shas", required=False, nargs=-1, metavar="[SHA]...")
@json_option
def unlock(*, given: Path, shas: tuple[str, ...], as_json: bool) -> int:
    """Read documents that open only with a password.

    All of them, or those whose sha256s begin like these. The passwords of FILE are tried in turn; none is
    kept, logged or shown. Of a document that opens its text is kept, as of any other.

    It opens pdf, docx, xlsx, xlsm and pptx.

    \b
    mnemo unlock --passwords ~/passwords.txt
    mnemo unlock --passwords ~/passwords.txt 3fa1b2
    """
    from mnemo_assets import database, settings
    from mnemo_assets.pipeline import link, mine, read, retry
    from mnemo_assets.pipeline import unlock as room

    passwords = room.passwords_in(given)
    chosen = settings.load()
    done, reading, tried = Done(), read.ReadCounts(), room.UnlockCounts()
    with closing(database.connect(chosen)) as connection:
        mine.active_generation(connection, chosen)
        only = [retry.named(connection, sha)[1] for sha in shas] or None

    def go(connection: Connection) -> None:
        found = room.unlock(connection, chosen, passwords, on_progress, only=only, counts=reading)
        tried.add(found)
        _work(connection, chosen, on_progress, done, until_done=False)
        _report(connection, chosen)

    with bars() as on_progress:
        link.reconnecting(chosen, go, _say_lost)
    done.count(reading)
    headline = f"{tried.opened:,} documents opened, {tried.locked:,} stay locked."
    more = {"opened": tried.opened, "locked": tried.locked}
    return _tell(chosen, done, headline, more, as_json=as_json)

"""Commands that move documents on: sync, retry, activate."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mnemo_assets.cli import doing
from mnemo_assets.cli.output import amount, bars, json_option
from mnemo_assets.errors import ArchiveUnreachableError, ErrorClass, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemo_assets.archive.ledger import Archive
    from mnemo_assets.database import Connection
    from mnemo_assets.pipeline.progress import OnProgress
    from mnemo_assets.settings import Settings

#: With --until-done: rounds of files that change while they are read, before it is left to the next sync.
ROUNDS = 5
#: What can be sent back: a document that is new or extracted waits already.
STAGES = ["failed", "skipped", "ocr_pending", "graphed"]


@click.command()
@click.argument("given", required=False, metavar="[DIR]")
@click.option("--name", help="What to call the archive. Default: the name of the folder.")
@click.option("--until-done", is_flag=True, help="Go round again until nothing waits that could go on.")
@click.option("--unmeasured", is_flag=True, help="Mine with a model that no bake-off has measured.")
@json_option
def sync(*, given: str | None, name: str | None, until_done: bool, unmeasured: bool, as_json: bool) -> int:
    """Bring the graph up to date with an archive.

    The archive in DIR, or all that are known. Looks for what is new, changed or gone, reads it, and mines its
    text. Files that did not change are not opened. It may be stopped at any moment: the next sync goes on.

    Exit code 3: the model's endpoint is down, or another program has its GPU lease; texts wait, and the next
    sync goes on. Exit code 4: an archive was unreachable; whatever could go on without it went on. Exit
    code 5: a document failed for the first time; `mnemo failures` says which, and why.

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
    done = doing.Done()

    def go(connection: Connection) -> None:
        archives = _archives(connection, folder, name)
        mine.refuse_misfit(connection, chosen)  # a recipe that does not fit is refused before any work
        for _ in range(ROUNDS if until_done else 1):
            _scan(connection, chosen, archives, on_progress, done)
            doing.work(connection, chosen, on_progress, done, until_done=until_done, unmeasured=unmeasured)
            if not done.unsettled:
                break
        doing.report(connection, chosen)

    with bars() as on_progress:
        link.reconnecting(chosen, go, doing.say_lost)
    if done.read:
        _tell_walls(chosen)
    return doing.tell(chosen, done, as_json=as_json)


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
    connection: Connection,
    chosen: Settings,
    archives: Sequence[Archive],
    on_progress: OnProgress,
    done: doing.Done,
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
    done = doing.Done()
    with closing(database.connect(chosen)) as connection:
        mine.refuse_misfit(connection, chosen)
        sent = room.retry(
            connection,
            sha256=sha,
            stage=stage,
            error_class=None if error_class is None else ErrorClass(error_class),
            force=force,
        )

    def go(connection: Connection) -> None:
        doing.work(connection, chosen, on_progress, done)
        doing.report(connection, chosen)

    with bars() as on_progress:
        link.reconnecting(chosen, go, doing.say_lost)
    headline = (
        f"{amount(sent, 'document')} sent back." if sent else "No document matches: nothing was sent back."
    )
    return doing.tell(chosen, done, headline, as_json=as_json)


@click.command()
@click.argument("recipe")
@json_option
def activate(*, recipe: str, as_json: bool) -> int:
    """Build the graph anew with another recipe.

    RECIPE is ner or patterns. The new graph is served once it is whole. The graph that is there is
    served until then. Texts are not read again.

    \b
    mnemo activate patterns
    """
    from mnemo_assets import settings
    from mnemo_assets.pipeline import link, mine

    chosen = settings.load()
    done = doing.Done()

    def go(connection: Connection) -> None:
        mine.activate(connection, chosen, recipe, on_progress)
        doing.report(connection, chosen)

    with bars() as on_progress:
        link.reconnecting(chosen, go, doing.say_lost)
    return doing.tell(chosen, done, f"The graph is the one that {recipe} makes.", as_json=as_json)

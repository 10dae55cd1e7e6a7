"""Commands for documents that wait for something of their own: for text recognition, or a password."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mnemo_assets.cli import doing
from mnemo_assets.cli.outcome import complain
from mnemo_assets.cli.output import amount, bars, json_option
from mnemo_assets.errors import RecognitionError

if TYPE_CHECKING:
    from mnemo_assets.database import Connection


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
    done = doing.Done()
    with closing(database.connect(chosen)) as connection:
        mine.refuse_misfit(connection, chosen)
        only = None if sha is None else [room.named(connection, sha)[1]]
        if redo:
            recognise.send_back(connection, only)
    ended, mining = 0, mine.MineCounts()

    def go(connection: Connection) -> None:
        nonlocal ended
        anew = redo and only is not None
        ended += doing.recognise(connection, chosen, on_progress, done, only, again=anew)
        doing.mine_texts(connection, chosen, on_progress, done, mining, only=only)
        doing.report(connection, chosen)

    with bars() as on_progress:
        link.reconnecting(chosen, go, doing.say_lost)
    done.count_mined(mining)
    if done.lacking is not None and not done.recognised:
        return complain(RecognitionError.__name__, done.lacking, RecognitionError.exit_code, as_json=as_json)
    if done.unsettled:
        unsettled = amount(done.unsettled, "document")
        click.echo(f"Not opened, or changed since the scan: {unsettled}. `mnemo sync` looks again.", err=True)
    nothing = "Nothing was recognised." if ended or done.unsettled else "No page waits."
    return doing.tell(chosen, done, None if done.recognised else nothing, as_json=as_json)


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
    done, reading, tried = doing.Done(), read.ReadCounts(), room.UnlockCounts()
    with closing(database.connect(chosen)) as connection:
        mine.refuse_misfit(connection, chosen)
        only = [retry.named(connection, sha)[1] for sha in shas] or None

    def go(connection: Connection) -> None:
        found = room.unlock(connection, chosen, passwords, on_progress, only=only, counts=reading)
        tried.add(found)
        doing.work(connection, chosen, on_progress, done, passwords=passwords)
        doing.report(connection, chosen)

    with bars() as on_progress:
        link.reconnecting(chosen, go, doing.say_lost)
    done.count_read(reading)
    headline = f"{amount(tried.opened, 'document')} opened, {tried.locked:,} stay locked."
    more = {"opened": tried.opened, "locked": tried.locked}
    return doing.tell(chosen, done, headline, more, as_json=as_json)

"""What a run does that was asked for by name: some documents, some of their assets.

Without force, what waits is done, what failed is tried again, and what is well is shown as it is. The chunks
alone are cut again from the cached text, the graph alone is merged again from what was extracted. With force
the text is read again from the files, its scanned pages are recognised again, and all is extracted again. No
gate is passed: that is `mnemo retry --force`.
"""

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final

import dagster as dg

from mnemo_assets.database import Connection
from mnemo_assets.errors import RecognitionError
from mnemo_assets.pipeline import claims, mine, read, recognise
from mnemo_assets.settings import Settings

#: The tag of a run that says the same as the configuration `force: true`, for a backfill of any selection.
FORCE_TAG: Final = "mnemo/force"
#: Seconds between looks at documents that somebody else works on.
WAIT: Final = 0.5


class Redo(dg.Config):
    """Whether what is well is made anew: read from the files, extracted by the recipe."""

    force: bool = False


def is_forced(context: dg.AssetExecutionContext, config: Redo) -> bool:
    """Whether a run was asked for with force."""
    return config.force or context.run.tags.get(FORCE_TAG, "").lower() == "true"


def reading(
    connection: Connection, settings: Settings, keys: Collection[str], assets: Collection[str], *, force: bool
) -> None:
    """Make the text and the chunks of documents, and recognise what is scanned.

    `files` alone needs nothing but the ledger.

    Args:
        connection: the owner's, in autocommit mode.
        settings: as for `read.read`.
        keys: sha256s.
        assets: those selected.
        force: read what is well, too.

    Raises:
        MnemoError: as `read.read` does.
    """
    if "text" in assets:
        _each(
            connection,
            keys,
            lambda some: read.read(connection, settings, only=some, again="all" if force else "failed"),
        )
    elif "chunks" in assets:
        _each(connection, keys, lambda some: read.rechunk(connection, settings, some))
    if "ocr" in assets:
        with suppress(RecognitionError):  # the pages wait, as documents do whose converter is missing
            _each(connection, keys, lambda some: _recognise(connection, settings, some, force=force))


def _recognise(connection: Connection, settings: Settings, some: Collection[str], *, force: bool) -> None:
    recognise.send_back(connection, some)
    recognise.recognise(connection, settings, only=some, again=force)


def mining(
    connection: Connection,
    settings: Settings,
    keys: Collection[str],
    assets: Collection[str],
    *,
    force: bool,
    take: Callable[..., object] = mine.mine,
) -> None:
    """Make the extractions and the graph of documents; arguments and errors as for `reading`.

    `take` is `mine.mine`, or what takes such arguments.
    """
    if "extractions" in assets:
        _each(
            connection,
            keys,
            lambda some: take(connection, settings, only=some, again="all" if force else "failed"),
        )
    elif "graph" in assets:
        _each(connection, keys, lambda some: mine.remerge(connection, settings, some))


def _each(connection: Connection, keys: Collection[str], work: Callable[[Collection[str]], object]) -> None:
    """Work on documents, on each once; on those that somebody else works on when they are free again."""
    left = set(keys)
    while left:
        if free := left - claims.busy(connection, left):
            work(sorted(free))
            left -= free
        if left:
            time.sleep(WAIT)

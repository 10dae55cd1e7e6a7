"""Work that waits, taken until nothing waits or the time is over, and told to Dagster as it goes on."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from mnemo_assets.defs.border import border
from mnemo_assets.defs.report import report

if TYPE_CHECKING:
    from collections.abc import Callable

    import dagster as dg
    from _typeshed import DataclassInstance

    from mnemo_assets.database import Connection
    from mnemo_assets.defs.events import Context
    from mnemo_assets.defs.resources import Ledger
    from mnemo_assets.settings import Settings

#: Seconds between two reports of a run: its documents show that soon.
EVERY: Final = 5.0


def until(minutes: float) -> Callable[[], bool]:
    """Whether so many minutes have passed since now."""
    end = time.monotonic() + 60 * minutes
    return lambda: time.monotonic() >= end


class Telling:
    """Progress of a step that is told to Dagster, as a callback of the pipeline: between two documents."""

    def __init__(self, connection: Connection, context: Context) -> None:
        self._connection = connection
        self._context = context
        self._last = time.monotonic()

    def __call__(self, _step: str, _done: int, _total: int | None) -> None:
        """Report, if the last report was some time ago."""
        if time.monotonic() - self._last >= EVERY:
            report(self._connection, self._context.instance, self._context, thorough=False, wait=False)
            self._last = time.monotonic()


def program(context: Context) -> str:
    """What a run calls itself where others ask who has the GPU lease."""
    return f"Dagster run {context.run.run_id[:8]}"


def drain(
    context: dg.OpExecutionContext, minutes: float, ledger: Ledger, take: Callable[..., DataclassInstance]
) -> None:
    """Take what waits, tell Dagster, and give the run its counts.

    Args:
        context: of the run.
        minutes: after which nothing more is begun.
        ledger: the way to it.
        take: `read.read`, or what takes such arguments.
    """
    stop = until(minutes)

    def work(connection: Connection, settings: Settings) -> DataclassInstance:
        counts = take(connection, settings, Telling(connection, context), stop=stop)
        report(connection, context.instance, context)
        return counts

    with border():
        context.add_output_metadata(asdict(ledger.work(work)))

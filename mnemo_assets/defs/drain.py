"""Work that waits, taken until nothing waits or the time is over, and told to Dagster as it goes on."""

import time
from collections.abc import Callable
from typing import Final

from mnemo_assets.database import Connection
from mnemo_assets.defs.events import Context
from mnemo_assets.defs.report import report

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

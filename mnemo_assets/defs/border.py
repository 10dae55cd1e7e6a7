"""Where exceptions leave our code for Dagster's event log, which keeps their text: the class is all they tell."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg


@contextmanager
def border() -> Iterator[None]:
    """Raise whatever is raised within as its class's name alone, and have it tried no more by Dagster.

    Raises:
        dagster.Failure: with nothing but the name; the run fails.
    """
    failed: str | None = None
    try:
        yield
    except (dg.Failure, dg.DagsterExecutionInterruptedError):
        raise
    except Exception as error:  # noqa: BLE001 - its text, cause and context may hold anything
        failed = type(error).__name__
    if failed is not None:
        raise dg.Failure(failed, allow_retries=False)

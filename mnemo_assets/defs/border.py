"""Where exceptions leave our code for Dagster's log, which keeps their text: the class is all they tell."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg


@contextmanager
def border() -> Iterator[None]:
    """Raise whatever is raised within as its class's name alone, and have it tried no more by Dagster.

    Raises:
        dagster.Failure: with nothing but the name; the run fails.
    """
    try:
        yield
    except (dg.Failure, dg.DagsterExecutionInterruptedError):
        raise
    except Exception as error:  # noqa: BLE001 - its text, cause and context may hold anything
        raise dg.Failure(type(error).__name__, allow_retries=False) from None

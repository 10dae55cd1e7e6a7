"""The border: of an exception Dagster keeps the class alone."""

import json
from typing import Any

import dagster as dg
import pytest
import sqlalchemy

from mnemo_assets.defs.border import border
from mnemo_assets.errors import ErrorClass, ReadingError

CANARY = "Heliotrope Cassowary"


def fail() -> None:
    try:
        int(CANARY)
    except ValueError as error:
        raise KeyError(CANARY) from error


def test_an_exception_leaves_as_its_class_name() -> None:
    """No text, no cause, and a context that is not shown."""
    with pytest.raises(dg.Failure) as raised, border():
        fail()
    assert raised.value.description == "KeyError"
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    assert raised.value.allow_retries is False


def test_a_failure_passes_as_it_is() -> None:
    """What was made for the border is not made anew."""
    with pytest.raises(dg.Failure, match="Already"), border():
        raise dg.Failure("Already")


def test_nothing_of_an_exceptions_text_is_in_the_log(instance: dg.DagsterInstance) -> None:
    """A run that fails keeps the class in its log, and not a word of what was said."""

    @dg.op
    def read() -> None:
        with border():
            raise ReadingError(ErrorClass.CORRUPT, CANARY) from OSError(CANARY)

    @dg.job(executor_def=dg.in_process_executor)
    def job() -> None:
        read()

    assert not job.execute_in_process(instance=instance, raise_on_error=False).success
    storage: Any = instance.event_log_storage
    with storage.index_connection() as connection:
        logged = json.dumps(
            [list(map(str, row)) for row in connection.execute(sqlalchemy.text("select * from event_logs"))]
        )
    assert "ReadingError" in logged
    assert CANARY not in logged

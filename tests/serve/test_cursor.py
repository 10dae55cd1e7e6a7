from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from mnemo_assets.errors import CursorError
from mnemo_assets.serve import cursor
from mnemo_assets.serve.cursor import Number

SHAPE: TypeAdapter[tuple[dt.date | None, Number]] = TypeAdapter(tuple[dt.date | None, Number])


@given(st.none() | st.dates(), st.integers(0, 2**63 - 1))
def test_cursor_comes_back_as_it_went(date: dt.date | None, number: int) -> None:
    """A cursor stands for exactly the place it was written for, and is plain ASCII."""
    written = cursor.write(SHAPE, (date, number), "question", {"a": 1})
    assert cursor.read(SHAPE, written, "question", {"a": 1}) == (date, number)
    assert written.replace("-", "").replace("_", "").isalnum()


@given(st.text(max_size=600))
def test_any_other_text_is_refused(text: str) -> None:
    """Whatever a caller makes up is CursorError, without the text in it."""
    with pytest.raises(CursorError) as refused:
        cursor.read(SHAPE, text, "question", {})
    assert refused.value.__cause__ is None
    assert str(refused.value).startswith("The cursor is not one")


@pytest.mark.parametrize(
    "place", ["[null]", "[null,-1]", '[null,"1"]', "[null,1e3]", "[null,1,2]", "{}", "["]
)
def test_a_forged_place_is_refused(place: str) -> None:
    """The right binding does not help: the place must have the shape, and numbers that Postgres takes."""
    real = cursor.write(SHAPE, (None, 1), "question", {})
    forged = cursor.write(TypeAdapter(str), place, "question", {})
    body = forged[:12] + __import__("base64").urlsafe_b64encode(place.encode()).decode().rstrip("=")
    assert body[:12] == real[:12]
    with pytest.raises(CursorError):
        cursor.read(SHAPE, body, "question", {})


def test_cursor_is_bound_to_question_and_arguments() -> None:
    """Another question, or other arguments, do not take it."""
    written = cursor.write(SHAPE, (None, 1), "question", {"a": 1})
    for question, arguments in (("other", {"a": 1}), ("question", {"a": 2}), ("question", {})):
        with pytest.raises(CursorError):
            cursor.read(SHAPE, written, question, arguments)

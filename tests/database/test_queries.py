"""Named queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemo_assets import database
from mnemo_assets.database import statements

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a room of the test's own, called `room`."""
    monkeypatch.setattr(statements, "SQL", tmp_path)
    database.queries.cache_clear()
    (tmp_path / "queries").mkdir()
    return tmp_path / "queries" / "room.sql"


def test_a_query_is_its_text_without_comments(room: Path) -> None:
    """What stands after a name, up to the next, is the query; comments, which may hold a %, are not."""
    room.write_text(
        "-- Of a room.\n\n-- name: one\n-- Returns 100% of it.\nselect %(x)s\n    -- here\n    as x;\n\n"
        "-- name: two_2\n-- Nothing.\nselect 2;\n"
    )
    assert dict(database.queries("room")) == {"one": b"select %(x)s\n    as x;", "two_2": b"select 2;"}


def test_a_name_stands_once(room: Path) -> None:
    """Two queries of one name are refused."""
    room.write_text("-- name: one\nselect 1;\n-- name: one\nselect 2;\n")
    with pytest.raises(ValueError, match=r"one stands twice in room\.sql"):
        database.queries("room")


def test_queries_cannot_be_changed() -> None:
    """What is shared by all is read-only."""
    with pytest.raises(TypeError):
        database.queries("database")["lock_cluster"] = b""  # type: ignore[index]


def test_every_query_of_the_project_says_what_it_does() -> None:
    """Each named query is not empty, and a comment follows its name."""
    for path in sorted((database.SQL / "queries").glob("*.sql")):
        lines = path.read_text().splitlines()
        for name, query in database.queries(path.stem).items():
            assert query, f"{path.name}: {name}"
            assert lines[lines.index(f"-- name: {name}") + 1].startswith("-- "), f"{path.name}: {name}"

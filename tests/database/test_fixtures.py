"""What the fixtures promise to the other tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mnemo_assets import settings

if TYPE_CHECKING:
    from mnemo_assets import database


@pytest.mark.parametrize("_turn", [1, 2])
def test_each_test_begins_with_an_empty_database(connection: database.Connection, _turn: int) -> None:
    """Rows and counters of one test are gone in the next."""
    row = connection.execute(
        "insert into documents (sha256) values (repeat('a', 64)) returning document_id"
    ).fetchone()
    assert row == {"document_id": 1}


@pytest.mark.parametrize("_turn", [1, 2])
def test_each_test_begins_with_the_schema_of_the_migrations(
    connection: database.Connection, _turn: int
) -> None:
    """What one test makes or alters is not there in the next."""
    left = connection.execute(
        """select to_regclass('left_over') as made, to_regproc('serve.left_over') as defined, exists (
            select from information_schema.columns
            where table_name = 'documents' and column_name = 'left_over'
        ) as altered"""
    ).fetchone()
    assert left == {"made": None, "defined": None, "altered": False}
    connection.execute("create table left_over (x int)")
    connection.execute("alter table documents add column left_over int")
    connection.execute("create function serve.left_over() returns int language sql return 1")


def test_nothing_of_the_users_is_in_reach() -> None:
    """The home, the settings and the working folder are a temporary folder's, in child processes too."""
    assert settings.load().home.is_relative_to("/tmp")  # noqa: S108 - where the scratch folder is
    assert Path.home().is_relative_to("/tmp")  # noqa: S108 - the same
    assert list(Path.cwd().iterdir()) == []
    assert [name for name in os.environ if name.startswith("MNEMO_")] == []

"""The database that Dagster keeps its events in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
import sqlalchemy

from mnemo_assets import database, postgres
from mnemo_assets.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path


def ask(url: str, query: str) -> list[tuple[object, ...]]:
    engine = sqlalchemy.create_engine(url)
    try:
        with engine.begin() as connection:
            return [tuple(row) for row in connection.execute(sqlalchemy.text(query))]
    finally:
        engine.dispose()


def test_the_url_opens_a_database_of_its_own(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is made at the first call and found at the next; its role is the owner."""
    monkeypatch.setenv("PGHOST", "192.0.2.1")
    monkeypatch.setenv("PGOPTIONS", "-c search_path=pg_temp")
    monkeypatch.setenv("PGPASSWORD", "x")
    assert not database.dagster_exists(settings)
    url = database.dagster_url(settings)
    assert url.startswith("postgresql+psycopg2://")
    assert database.dagster_exists(settings)
    query = "select current_user::text, current_database()::text, current_setting('search_path')"
    assert ask(url, query) == [("mnemo_owner", database.DAGSTER, "public")]
    assert database.dagster_url(settings) == url


def test_the_reader_has_no_way_in(settings: Settings, shared_socket: Path) -> None:
    """The reader's role cannot connect to it, whoever else left the door open before."""
    database.dagster_url(settings)
    for opened in (False, True):
        if opened:
            with database.connect(settings) as owner:
                owner.execute(f"grant connect on database {database.DAGSTER} to public".encode())
            database.dagster_url(settings)
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            psycopg.connect(host=str(shared_socket), user="mnemo_reader", dbname=database.DAGSTER)


@pytest.mark.parametrize("name", ["d" * 120, "a:b %41 & c?d=e#f +@g/ü", "host:5433"])
def test_any_path_goes_into_the_url(home: Path, name: str) -> None:
    """Whatever the folder is called, the URL leads to it."""
    strange = Settings(home=home / name)
    try:
        assert ask(database.dagster_url(strange), "select 1") == [(1,)]
    finally:
        postgres.stop(strange.home)

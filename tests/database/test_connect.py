"""Roles and connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mnemo_assets import database


def test_owner_writes_and_reader_reads(connection: database.Connection, reader: database.Connection) -> None:
    """What the owner commits, the reader sees through the views."""
    connection.execute("insert into documents (sha256) values (repeat('a', 64))")
    assert reader.execute("select sha256, stage from documents").fetchall() == [
        {"sha256": "a" * 64, "stage": "new"}
    ]

"""The end of `mnemo sync`: where Dagster is used, it is told by a child process."""

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from mnemo_assets import database, postgres, settings
from mnemo_assets.cli import mnemo
from mnemo_assets.pipeline import reports

ROW = "select dagster_event_type, count(*) from event_logs group by 1 order by 1"


def sync(*words: str) -> int:
    command = "from mnemo_assets.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", command, "sync", *words], check=False, capture_output=True
    ).returncode


def test_sync_tells_dagster(home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a sync every document has its partition and its events; where no storage is, none is made."""
    assert mnemo is not None
    monkeypatch.setenv("MNEMO_EXTRACTOR", "patterns")
    assert sync(str(folder)) == 5  # one file cannot be read
    chosen = settings.load()
    assert not database.dagster_exists(chosen)
    database.dagster_url(chosen)  # as `mnemo up` does
    (folder / "third.txt").write_text("Ada Byron met Carl Gauss.\n")
    assert sync() == 0
    with psycopg.connect(host=str(postgres.ensure(home)), user="mnemo_owner", dbname="dagster") as dagster:
        assert dagster.execute(ROW).fetchall() == [
            ("ASSET_MATERIALIZATION", 1 + 4 + 4 * 3),
            ("ASSET_OBSERVATION", 1),
        ]
        partitions = dagster.execute("select count(*) from dynamic_partitions").fetchone()
        assert partitions == (4,)
    with database.connect(chosen) as connection:
        assert not reports.is_due(connection)
    assert sync() == 0
    with psycopg.connect(host=str(postgres.ensure(home)), user="mnemo_owner", dbname="dagster") as dagster:
        assert dagster.execute(ROW).fetchall() == [
            ("ASSET_MATERIALIZATION", 1 + 4 + 4 * 3),
            ("ASSET_OBSERVATION", 1),
        ]

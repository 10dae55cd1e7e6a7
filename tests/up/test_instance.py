from __future__ import annotations

import os
from typing import TYPE_CHECKING

import dagster as dg
import pytest
import sqlalchemy
import yaml  # type: ignore[import-untyped] # Dagster brings it
from dagster._core.storage.noop_compute_log_manager import NoOpComputeLogManager

from mnemo_assets import settings as configuration
from mnemo_assets.up import instance

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.settings import Settings


@pytest.fixture
def home(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """DAGSTER_HOME as `mnemo up` makes it, and the process told of it."""
    for name, value in instance.variables(settings).items():
        monkeypatch.setenv(name, value)
    return instance.lay_out(settings)


def test_the_instance_is_as_the_file_says(home: Path) -> None:
    """Storage in Postgres, nothing kept of what ops print, no telemetry, one op a pool, dead runs noticed."""
    with dg.DagsterInstance.get() as found:
        assert found.root_directory == str(home)
        assert isinstance(found.compute_log_manager, NoOpComputeLogManager)
        assert not found.telemetry_enabled
        assert not found.nux_enabled
        assert found.run_monitoring_enabled
        assert found.run_monitoring_max_resume_run_attempts == 0
        assert found.get_settings("run_monitoring")["free_slots_after_run_end_seconds"] == 20
        assert (found.run_retries_enabled, found.run_retries_max_retries) == (True, 0)
        assert found.get_settings("concurrency")["pools"] == {"default_limit": 1, "granularity": "op"}
        storages = (found.run_storage, found.event_log_storage, found.schedule_storage)
        assert {type(one).__module__.partition(".")[0] for one in storages} == {"dagster_postgres"}


def test_the_url_names_its_driver(settings: Settings) -> None:
    """SQLAlchemy 2.1 takes a bare postgresql:// for psycopg 3, and Dagster brings psycopg2: dagster#33958."""
    url = sqlalchemy.make_url(instance.variables(settings)["DAGSTER_PG_URL"])
    assert url.drivername == "postgresql+psycopg2"
    assert sqlalchemy.create_engine(url).dialect.driver == "psycopg2"
    assert sqlalchemy.__version__.startswith("2.0.")
    assert url.password is None


def test_children_are_told_the_settings_and_little_else(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a user's environment they get what they need; a password command may need more, but no proxy."""
    outside = {
        "PATH": "/bin",
        "HOME": "/home/ann",
        "LC_ALL": "de_DE.UTF-8",
        "HTTPS_PROXY": "http://proxy",
        "all_proxy": "http://proxy",
        "PGPASSWORD": "x",
        "DAGSTER_CLOUD_TOKEN": "x",
        "PYTHONPATH": "/elsewhere",
        "LD_PRELOAD": "/elsewhere.so",
        "SOPS_AGE_KEY_FILE": "/keys",
        "MNEMO_WORKERS": "7",
    }
    monkeypatch.setattr(configuration, "given", lambda: {"MNEMO_WORKERS": "3"})
    told = instance.environment(settings, outside)
    ours = {
        "DAGSTER_DISABLE_TELEMETRY",
        "DAGSTER_HOME",
        "DAGSTER_PG_URL",
        "DAGSTER_TELEMETRY_URL",
        "MNEMO_HOME",
        "MNEMO_WORKERS",
        "NO_PROXY",
        "PYTHONPATH",
        "no_proxy",
    }
    assert set(told) == ours | {"PATH", "HOME", "LC_ALL"}
    assert (told["MNEMO_WORKERS"], told["PYTHONPATH"]) == ("3", str(instance.PACKAGE.parent))
    monkeypatch.setattr(configuration, "given", lambda: {"MNEMO_PASSWORD_COMMAND": "sops -d x"})
    told = instance.environment(settings, outside)
    assert set(told) == ours - {"MNEMO_WORKERS"} | {
        "PATH",
        "HOME",
        "LC_ALL",
        "SOPS_AGE_KEY_FILE",
        "MNEMO_PASSWORD_COMMAND",
    }


def test_sockets_have_short_paths(tmp_path: Path) -> None:
    """In a deep home the code server's socket stands elsewhere, as private; what a killed one left goes."""
    (tmp_path / "run-left").mkdir()
    shallow = instance.socket_folder(tmp_path)
    assert list(tmp_path.glob("run-*")) == [shallow] or shallow.parent != tmp_path
    deep = tmp_path / ("d" * 90)
    deep.mkdir()
    folder = instance.socket_folder(deep)
    try:
        assert len(os.fsencode(folder / "code")) <= instance.LONGEST
        assert folder.stat().st_mode & 0o777 == 0o700
    finally:
        folder.rmdir()


def test_the_workspace_leads_to_any_socket(tmp_path: Path) -> None:
    """Whatever the folder is called."""
    socket = tmp_path / "it's: #a {folder}" / "code"
    found = yaml.safe_load(instance.write_workspace(tmp_path, socket).read_text())
    assert found == {"load_from": [{"grpc_server": {"socket": str(socket), "location_name": "mnemo"}}]}

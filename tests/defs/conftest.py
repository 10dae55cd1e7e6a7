"""Dagster on the tests' own Postgres: an instance of each test's own, its schema made once."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import dagster as dg
import psycopg
import pytest

from mnemo_assets.archive import ledger as archives
from mnemo_assets.definitions import defs
from mnemo_assets.defs.resources import GpuLease, Ledger
from mnemo_assets.pipeline import mine, read, scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

_numbers = itertools.count(1)
_TEMPLATE = "dagster_template"


def _instance(folder: Path, socket: Path, database: str) -> dg.DagsterInstance:
    url = f"postgresql+psycopg2:///{database}?host={socket}&user=mnemo_owner"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dagster.yaml").write_text(
        f"""
storage: {{postgres: {{postgres_url: "{url}"}}}}
telemetry: {{enabled: false}}
compute_logs: {{module: dagster._core.storage.noop_compute_log_manager, class: NoOpComputeLogManager}}
"""
    )
    return dg.DagsterInstance.from_config(str(folder))


@pytest.fixture(scope="session")
def dagster_template(shared_socket: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with Dagster's schema."""
    with _admin(shared_socket) as admin:
        admin.execute(f"create database {_TEMPLATE} owner mnemo_owner".encode())
    with _instance(tmp_path_factory.mktemp("dagster"), shared_socket, _TEMPLATE):
        pass
    return _TEMPLATE


@pytest.fixture
def instance(dagster_template: str, shared_socket: Path, tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """Dagster's instance, empty."""
    name = f"dagster_{next(_numbers)}"
    with _admin(shared_socket) as admin:
        admin.execute(f"create database {name} template {dagster_template} owner mnemo_owner".encode())
        with _instance(tmp_path / "dagster", shared_socket, name) as instance:
            yield instance
        admin.execute(f"drop database {name} with (force)".encode())


def _admin(socket: Path) -> psycopg.Connection:
    return psycopg.connect(host=str(socket), user="mnemo_admin", dbname="postgres", autocommit=True)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """With the recipe that needs no model."""
    return settings.model_copy(update={"extractor": "patterns"})


@pytest.fixture
def ledger(settings: Settings) -> Ledger:
    """The resource, with the test's settings."""

    class Ours(Ledger):
        def settings(self) -> Settings:
            return settings

    return Ours()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An archive of two letters, and one that cannot be read."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "first.txt").write_text("Dear Ada Byron, Nordwind Ltd wrote to Carl Gauss in May.\n")
    (folder / "second.txt").write_text("Ada Byron works for Nordwind Ltd. Carl Gauss answered Ada Byron.\n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing of a PDF")
    return folder


@pytest.fixture
def ephemeral() -> Iterator[dg.DagsterInstance]:
    """An instance in memory, for many runs: each of Dagster's on Postgres opens seventy connections."""
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def scanned(connection: Connection, settings: Settings, folder: Path) -> Callable[[], None]:
    """Scans the folder, and sweeps."""

    def look() -> None:
        scan.scan(connection, settings, archives.add_archive(connection, folder, None))
        scan.sweep(connection, settings)

    look()
    return look


@pytest.fixture
def synced(scanned: Callable[[], None], connection: Connection, settings: Settings) -> Callable[[], None]:
    """Scans, reads and mines the folder."""

    def sync() -> None:
        scanned()
        read.read(connection, settings)
        mine.mine(connection, settings)

    sync()
    return sync


@pytest.fixture
def tick(instance: dg.DagsterInstance, ledger: Ledger) -> Callable[[str], list[str]]:
    """Evaluates a sensor with the cursor it left; returns the jobs of which it asks for a run."""
    cursors: dict[str, str | None] = {}

    def evaluate(name: str) -> list[str]:
        sensor = defs.resolve_sensor_def(name)
        with dg.build_sensor_context(
            instance=instance,
            cursor=cursors.get(name),
            resources={"ledger": ledger, "gpu": GpuLease()},
            definitions=defs,
        ) as context:
            data = sensor.evaluate_tick(context)
        cursors[name] = data.cursor
        targets = [target.job_name for target in sensor.targets]
        return [request.job_name or targets[0] for request in data.run_requests or []]

    return evaluate

"""Text recognition in Dagster: an asset, a job of its own, and a sensor that knows what it takes."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING

import dagster as dg
import pytest
from dagster import DagsterRunStatus

from mnemo_assets.definitions import defs
from mnemo_assets.defs import assets, jobs, redoing, sensors
from mnemo_assets.defs.report import report
from mnemo_assets.defs.resources import GpuLease
from mnemo_assets.errors import RecognitionError, SettingsError
from mnemo_assets.text import engines, walled
from tests.endpoints import Answer, serving
from tests.scans import PYTHON, fake_tesseract, scanned

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.defs.resources import Ledger
    from mnemo_assets.settings import Settings
    from mnemo_assets.text.ocr import Recogniser

ASSETS = [assets.reading, assets.mining]


@pytest.fixture
def folder(folder: Path) -> Path:
    """The letters, and a scan."""
    (folder / "scan.pdf").write_bytes(scanned("Ada Byron works for Nordwind Ltd."))
    return folder


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
    """Puts a program in tesseract's place, or none."""
    path = os.environ["PATH"]
    monkeypatch.setattr(walled, "SYSTEM", (*walled.SYSTEM, PYTHON))

    def put(body: str | None) -> None:
        folder = tmp_path / "bin"
        if body is None:
            monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
        else:
            monkeypatch.setenv("PATH", f"{fake_tesseract(folder, body).parent}{os.pathsep}{path}")

    put("say('Ada', 'Byron', 'works', 'for', 'Nordwind', 'Ltd.')")
    return put


def stage(connection: Connection) -> tuple[str, str | None]:
    row = connection.execute(
        "select stage, error_class from documents where ocr_pending_at is not null"
    ).fetchone()
    assert row is not None
    return row["stage"], row["error_class"]


def key(connection: Connection) -> str:
    row = connection.execute("select sha256 from documents where ocr_pending_at is not null").fetchone()
    assert row is not None
    return str(row["sha256"])


def told(instance: dg.DagsterInstance, name: str) -> set[str]:
    return set(instance.get_materialized_partitions(dg.AssetKey(name)))


def tick(instance: dg.DagsterInstance, ledger: Ledger, cursor: str | None = None) -> tuple[list[str], str]:
    """The jobs of which `documents_waiting` asks for a run, and the cursor it leaves."""
    sensor = defs.resolve_sensor_def("documents_waiting")
    with dg.build_sensor_context(
        instance=instance, cursor=cursor, resources={"ledger": ledger, "gpu": GpuLease()}, definitions=defs
    ) as context:
        data = sensor.evaluate_tick(context)
    return [request.job_name or "" for request in data.run_requests or []], data.cursor or ""


@pytest.mark.usefixtures("synced", "tesseract")
def test_one_run_recognises_what_waits(
    connection: Connection, ledger: Ledger, instance: dg.DagsterInstance
) -> None:
    """The job takes every page that waits, and tells what it did by counts."""
    report(connection, instance)
    assert stage(connection) == ("ocr_pending", "Scanned")
    [seen] = instance.fetch_observations(dg.AssetKey("ocr"), limit=9).records
    assert seen.asset_observation is not None
    assert seen.asset_observation.partition == key(connection)
    assert jobs.ocr_job.execute_in_process(
        instance=instance, resources={"ledger": ledger, "gpu": GpuLease()}
    ).success
    assert stage(connection) == ("extracted", None)
    assert told(instance, "ocr") == {key(connection)}
    [made] = instance.fetch_materializations(dg.AssetKey("ocr"), limit=9).records
    assert made.asset_materialization is not None
    assert {name: value.value for name, value in made.asset_materialization.metadata.items()} == {
        "pages_recognised": 1,
        "pages_failed": 0,
        "confidence": 90.0,
    }
    assert tick(instance, ledger)[0] == ["mine"]


@pytest.mark.usefixtures("synced")
def test_a_run_is_asked_for_where_it_can_work(
    connection: Connection,
    ledger: Ledger,
    instance: dg.DagsterInstance,
    tesseract: Callable[[str | None], None],
) -> None:
    """Without the program nothing is asked for; once it is there, one run for all that waits."""
    tesseract(None)
    asked, cursor = tick(instance, ledger)
    assert asked == []
    assert tick(instance, ledger, cursor)[0] == []
    tesseract("say('Ada')")
    asked, cursor = tick(instance, ledger, cursor)
    assert asked == ["ocr"]
    assert tick(instance, ledger, cursor)[0] == []  # it is asked for again after a while
    instance.create_run_for_job(defs.resolve_job_def("ocr"), status=DagsterRunStatus.STARTED)
    assert tick(instance, ledger)[0] == []
    assert stage(connection) == ("ocr_pending", "Scanned")


@pytest.mark.usefixtures("synced")
@pytest.mark.parametrize("error", [RecognitionError("a language is missing"), SettingsError("elsewhere")])
def test_an_engine_that_does_not_work_is_tried_ever_less(
    ledger: Ledger,
    instance: dg.DagsterInstance,
    tesseract: Callable[[str | None], None],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    """While it is there and fails, after 10 s, 20 s, ...; where it is not there, nothing is tried at all."""
    tried: list[float] = []
    asked: list[str] = []
    now, cursor = 0.0, ""

    def engine(_settings: Settings) -> Recogniser:
        tried.append(now)
        raise error

    monkeypatch.setattr(engines, "engine", engine)
    monkeypatch.setattr(sensors, "time", SimpleNamespace(time=lambda: now))
    for second in range(0, 350, 5):
        now = float(second)
        found, cursor = tick(instance, ledger, cursor)
        asked += found
    assert tried == [0, 10, 30, 70, 150, 310]
    assert asked == []
    tesseract(None)
    now = 10_000.0
    assert tick(instance, ledger, cursor)[1] == cursor
    assert len(tried) == 6
    tesseract("say('Ada')")
    monkeypatch.setattr(engines, "engine", lambda _settings: SimpleNamespace(close=lambda: None))
    assert tick(instance, ledger, cursor)[0] == ["ocr"]


@pytest.mark.usefixtures("synced")
def test_a_run_is_asked_for_where_the_model_answers(
    ledger: Ledger, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a model set it is its endpoint that counts; one on another machine asks for nothing."""
    with serving(lambda _asked: Answer(500)) as stub:
        chosen = {"ocr_engine": "vision", "ocr_model": "seer", "llm_url": stub.url}
        by_model = ledger.settings().model_copy(update=chosen)
        monkeypatch.setattr(type(ledger), "settings", lambda _self: by_model)
        assert tick(instance, ledger)[0] == ["ocr"]
        assert stub.completions == []
    assert tick(instance, ledger)[0] == []
    elsewhere = by_model.model_copy(update={"llm_url": "http://192.0.2.1/v1"})
    monkeypatch.setattr(type(ledger), "settings", lambda _self: elsewhere)
    assert tick(instance, ledger)[0] == []


@pytest.mark.usefixtures("synced")
def test_pages_that_failed_ask_for_nothing(
    ledger: Ledger,
    instance: dg.DagsterInstance,
    connection: Connection,
    tesseract: Callable[[str | None], None],
) -> None:
    """They fail neither the run nor another document, and nothing spins."""
    tesseract("sys.exit(1)")
    assert jobs.ocr_job.execute_in_process(
        instance=instance, resources={"ledger": ledger, "gpu": GpuLease()}
    ).success
    assert stage(connection) == ("failed", "OcrFailed")
    assert tick(instance, ledger)[0] == []


def backfill(instance: dg.DagsterInstance, ledger: Ledger, one: str, **more: str) -> bool:
    ranged = {"dagster/asset_partition_range_start": one, "dagster/asset_partition_range_end": one}
    run = dg.materialize(
        ASSETS,
        instance=instance,
        resources={"ledger": ledger, "gpu": GpuLease()},
        selection=["ocr"],
        tags={**ranged, **more},
    )
    return run.success


@pytest.mark.usefixtures("synced")
def test_a_backfill_of_the_asset(
    connection: Connection,
    ledger: Ledger,
    instance: dg.DagsterInstance,
    tesseract: Callable[[str | None], None],
) -> None:
    """It recognises what waits and tries what failed again; with force, all; without the program it waits."""
    report(connection, instance)
    one = key(connection)
    tesseract(None)
    assert backfill(instance, ledger, one)
    assert stage(connection) == ("ocr_pending", "Scanned")
    tesseract("sys.exit(1)")
    assert backfill(instance, ledger, one)
    assert stage(connection) == ("failed", "OcrFailed")
    tesseract("say('Ada', 'Byron')")
    assert backfill(instance, ledger, one)
    assert stage(connection) == ("extracted", None)
    tesseract("say('Carl', 'Gauss')")
    assert backfill(instance, ledger, one)
    texts = "select text from chunks join documents using (document_id) where sha256 = %s"
    assert connection.execute(texts, (one,)).fetchall() == [{"text": "Ada Byron"}]
    assert backfill(instance, ledger, one, **{redoing.FORCE_TAG: "true"})
    assert connection.execute(texts, (one,)).fetchall() == [{"text": "Carl Gauss"}]
    assert told(instance, "ocr") == {one}

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import dagster as dg
import pytest
from dagster import DagsterRunStatus

from mnemo_assets import database, gpu
from mnemo_assets.definitions import defs
from mnemo_assets.defs import prepare, runs, sensors
from mnemo_assets.defs.resources import GpuLease
from mnemo_assets.defs.sensors import Asked, ask
from mnemo_assets.text import converter

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.database import Connection
    from mnemo_assets.defs.resources import Ledger
    from mnemo_assets.settings import Settings


def put_run(instance: dg.DagsterInstance, job: str, status: DagsterRunStatus) -> dg.DagsterRun:
    return instance.create_run_for_job(defs.resolve_job_def(job), status=status)


def test_an_empty_ledger_asks_for_nothing(tick: Callable[[str], list[str]]) -> None:
    """Without an archive there is nothing to do."""
    assert [tick(name) for name in ("scan_due", "documents_waiting", "report_due")] == [[], [], []]


def test_sensors_start_by_themselves() -> None:
    """Nobody has to switch them on."""
    assert {sensor.name: sensor.default_status.value for sensor in defs.sensors or ()} == dict.fromkeys(
        ("scan_due", "documents_waiting", "report_due", "runs_lost", "leases_expired"), "RUNNING"
    )


@pytest.mark.usefixtures("scanned")
def test_waiting_documents_are_asked_for_once(
    tick: Callable[[str], list[str]], instance: dg.DagsterInstance
) -> None:
    """New documents ask for a reading run, and for no other while that one waits or works."""
    assert tick("documents_waiting") == ["read"]
    for status in (DagsterRunStatus.NOT_STARTED, DagsterRunStatus.STARTED):
        run = put_run(instance, "read", status)
        assert tick("documents_waiting") == []
        instance.delete_run(run.run_id)


@pytest.mark.usefixtures("scanned")
def test_a_sync_reads_and_mines(tick: Callable[[str], list[str]], instance: dg.DagsterInstance) -> None:
    """While one is under way, the sensors ask for nothing that it does."""
    put_run(instance, "sync", DagsterRunStatus.STARTED)
    assert [tick(name) for name in ("scan_due", "documents_waiting", "report_due")] == [[], [], []]


@pytest.mark.usefixtures("synced")
def test_settled_documents_ask_for_nothing(tick: Callable[[str], list[str]], connection: Connection) -> None:
    """Mined and failed documents wait for nothing; one whose text is ready waits to be mined."""
    assert tick("documents_waiting") == []
    connection.execute("update documents set stage = 'extracted' where stage = 'graphed'")
    assert tick("documents_waiting") == ["mine"]


@pytest.mark.usefixtures("scanned")
def test_claims_of_the_dead_count_as_waiting(
    tick: Callable[[str], list[str]], connection: Connection
) -> None:
    """Documents that a living worker has are not asked for; those of a killed one are."""
    connection.execute("update documents set claimed_by = 7, claim_token = gen_random_uuid()")
    connection.execute("update documents set claimed_until = now() + interval '30 minutes'")
    connection.execute(database.queries("claims")["try_claimant"], {"claimant": 7})
    assert tick("documents_waiting") == []
    connection.execute(database.queries("claims")["end_claimant"], {"claimant": 7})
    assert tick("documents_waiting") == ["read"]


@pytest.mark.usefixtures("scanned")
def test_what_waits_for_a_converter_is_not_asked_for_until_it_is_there(
    tick: Callable[[str], list[str]], connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run would find it missing, again and again."""
    connection.execute("update documents set error_class = 'ConverterMissing', error = 'doc'")
    monkeypatch.setattr(converter, "kinds", lambda: frozenset({"ppt"}))
    assert tick("documents_waiting") == []
    monkeypatch.setattr(converter, "kinds", lambda: frozenset({"doc"}))
    assert tick("documents_waiting") == ["read"]


@pytest.mark.usefixtures("synced")
def test_texts_of_older_readers_are_read_again(
    tick: Callable[[str], list[str]], connection: Connection
) -> None:
    """After a change of the code, once."""
    connection.execute("update documents set reader_version = 0 where reader is not null")
    assert tick("documents_waiting") == ["read"]
    assert tick("documents_waiting") == []
    assert tick("documents_waiting") == []


def test_work_that_does_not_go_away_is_asked_for_ever_less() -> None:
    """The same waiting set is asked for after 10 s, 20 s, ... 15 minutes; another one at once."""
    asked, times, now = Asked(), [], 0.0
    for second in range(3500):
        if (again := ask(asked, (3, 1, 3), float(second))) is not None:
            times.append(second - now)
            asked, now = again, float(second)
    assert times == [0, 10, 20, 40, 80, 160, 320, 640, 900, 900]
    assert ask(asked, (2, 1, 2), now) is not None


@pytest.mark.usefixtures("scanned")
def test_failing_runs_are_asked_for_ever_less(
    tick: Callable[[str], list[str]], instance: dg.DagsterInstance
) -> None:
    """A job whose last run failed just now is not asked for."""
    instance.report_run_failed(put_run(instance, "read", DagsterRunStatus.STARTED))
    assert tick("documents_waiting") == []


@pytest.mark.usefixtures("synced")
def test_a_report_is_due_until_it_is_made(
    tick: Callable[[str], list[str]], instance: dg.DagsterInstance, ledger: Ledger
) -> None:
    """What the ledger has and Dagster was not told asks for a report, which ends that."""
    assert tick("report_due") == ["report"]
    job = defs.resolve_job_def("report")
    assert job.execute_in_process(instance=instance, resources={"ledger": ledger, "gpu": GpuLease()}).success
    assert tick("report_due") == []


@pytest.mark.usefixtures("scanned")
def test_a_scan_is_asked_for_when_it_is_due(tick: Callable[[str], list[str]], connection: Connection) -> None:
    """Not right after a scan, but when something changed since."""
    assert tick("scan_due") == []
    connection.execute("update archives set scan_started_at = now() - interval '9 s', changed_at = now()")
    connection.execute("update archives set scan_ended_at = scan_started_at")
    assert tick("scan_due") == ["sync"]


def test_a_sync_takes_what_waits(
    scanned: Callable[[], None], instance: dg.DagsterInstance, ledger: Ledger, connection: Connection
) -> None:
    """One run scans, reads, mines and tells; the failure of one document is none of the run's."""
    scanned()
    job = defs.resolve_job_def("sync")
    assert job.execute_in_process(instance=instance, resources={"ledger": ledger, "gpu": GpuLease()}).success
    stages = connection.execute("select stage, count(*) as n from documents group by 1 order by 1").fetchall()
    assert stages == [{"stage": "failed", "n": 1}, {"stage": "graphed", "n": 2}]
    told = instance.get_materialized_partitions(dg.AssetKey("graph"))
    assert len(told) == 2
    assert instance.get_latest_materialization_event(dg.AssetKey("archive")) is not None


def test_runs_whose_process_is_gone_are_ended(instance: dg.DagsterInstance) -> None:
    """Those of a dead process, or of none, fail; a living process's and one that waits stay as they are."""
    with subprocess.Popen([sys.executable, "-c", "pass"]) as gone:
        pass
    alive = subprocess.Popen(
        [sys.executable, "-c", "input() # spawn_main"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    try:
        ids = {}
        for name, status, pid in (
            ("gone", DagsterRunStatus.STARTED, gone.pid),
            ("alive", DagsterRunStatus.STARTED, alive.pid),
            ("none", DagsterRunStatus.STARTING, None),
            ("waiting", DagsterRunStatus.NOT_STARTED, None),
            ("ours", DagsterRunStatus.STARTED, os.getpid()),
        ):
            run = put_run(instance, "read", status)
            ids[name] = run.run_id
            if pid is not None:
                instance.report_engine_event(f"Started process for run (pid: {pid}).", run)
        assert prepare.prepare(instance) == 3
        told = {name: instance.get_run_by_id(run_id) for name, run_id in ids.items()}
        found = {name: run.status.value for name, run in told.items() if run is not None}
    finally:
        alive.communicate(b"\n")
    assert found == {
        "gone": "FAILURE",
        "alive": "STARTED",
        "none": "FAILURE",
        "waiting": "NOT_STARTED",
        "ours": "FAILURE",
    }


def test_a_run_that_lost_its_process_stands_in_nobodys_way(
    tick: Callable[[str], list[str]], instance: dg.DagsterInstance
) -> None:
    """Beside a code server, only those that had a process are ended; those that are starting get theirs."""
    with subprocess.Popen([sys.executable, "-c", "pass"]) as gone:
        pass
    lost = put_run(instance, "sync", DagsterRunStatus.STARTED)
    instance.report_engine_event(f"Started process for run (pid: {gone.pid}).", lost)
    starting = put_run(instance, "read", DagsterRunStatus.STARTING)
    own = put_run(instance, "mine", DagsterRunStatus.STARTED)
    instance.report_engine_event(f"Started process for run (pid: {os.getpid()}).", own)
    assert runs.is_under_way(instance, "sync")
    assert tick("runs_lost") == []
    found = [instance.get_run_by_id(run.run_id) for run in (lost, starting, own)]
    assert [run.status.value for run in found if run is not None] == ["FAILURE", "STARTING", "STARTED"]


def test_a_lease_without_an_owner_is_freed(
    tick: Callable[[str], list[str]], connection: Connection, settings: Settings
) -> None:
    """An expired GPU lease is nobody's; one that stands is left to its owner. No run is asked for."""
    with gpu.leased(settings, "small", "mnemo mine, castle, process 7") as lease:
        connection.execute(
            """insert into gpu_leases (preset, owner_tag, lock_number, expires_at)
            values ('large', 'mnemo mine, tower, process 8', 1, now())"""
        )
        assert tick("leases_expired") == []
        rows = connection.execute("select preset, owner_tag is null as is_free from gpu_leases").fetchall()
        assert {row["preset"]: row["is_free"] for row in rows} == {"small": False, "large": True}
        lease.check()


def test_pauses_grow() -> None:
    """From nothing after a success to a quarter of an hour."""
    assert [runs.pause(times) for times in (0, 1, 2, 3, 8, 50)] == [0, 10, 20, 40, 900, 900]


def test_a_foreign_cursor_is_no_trouble() -> None:
    """A cursor that another version left is begun anew."""
    assert sensors._memory('{"version": 3}') == sensors._memory(None)

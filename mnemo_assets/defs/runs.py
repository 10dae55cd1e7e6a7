"""What became of runs: whether one is under way, how often the last ones failed, which lost their process."""

import os
import re
import time
from pathlib import Path
from typing import Final

import dagster as dg
from dagster import DagsterEventType, DagsterRunStatus

UNDER_WAY: Final = [
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
]
HAS_WORKER: Final = [DagsterRunStatus.STARTING, DagsterRunStatus.STARTED, DagsterRunStatus.CANCELING]
#: After runs that failed, or changed nothing: seconds, doubled with each, to the second.
FIRST_PAUSE: Final = 10.0
LONGEST_PAUSE: Final = 900.0
#: Runs looked back on.
LAST: Final = 8

# what dagster._grpc.impl says in a new run; the version is pinned, and a test holds us to it
_STARTED: Final = re.compile(r"^Started process for run \(pid: (\d+)\)\.$")


def is_under_way(instance: dg.DagsterInstance, job: str) -> bool:
    """Whether a run of a job waits for its turn or works."""
    return bool(instance.get_run_ids(dg.RunsFilter(job_name=job, statuses=UNDER_WAY), limit=1))


def pause(times: int) -> float:
    """Seconds to wait after so many tries in a row that came to nothing."""
    return 0.0 if times == 0 else min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (times - 1))


def is_pausing(instance: dg.DagsterInstance, job: str) -> bool:
    """Whether a job's last runs failed, and the next one is to wait: a run a tick would mend nothing."""
    records = instance.get_run_records(dg.RunsFilter(job_name=job), limit=LAST)
    failures = 0
    for record in records:
        if record.dagster_run.status is not DagsterRunStatus.FAILURE:
            break
        failures += 1
    return failures > 0 and time.time() < (records[0].end_time or 0.0) + pause(failures)


def end_lost(instance: dg.DagsterInstance) -> int:
    """Report the runs as failed whose process is gone: their code server did not live to do so.

    To be called while no code server runs: a run that is starting then has lost its own.

    Returns:
        How many.
    """
    return sum(
        _end(instance, run)
        for run in instance.get_runs(dg.RunsFilter(statuses=HAS_WORKER))
        if (pid := _pid(instance, run.run_id)) is None or not _works(pid)
    )


def end_dead(instance: dg.DagsterInstance) -> int:
    """Report the runs as failed that had a process and have it no more: nobody else did.

    A code server does so within a second, unless it lost its link to the storage just then.

    Returns:
        How many.
    """
    return sum(
        _end(instance, run)
        for run in instance.get_runs(dg.RunsFilter(statuses=HAS_WORKER))
        if (pid := _pid(instance, run.run_id)) is not None and pid != os.getpid() and not _works(pid)
    )


def _end(instance: dg.DagsterInstance, run: dg.DagsterRun) -> bool:
    """Report a run as failed whose process is gone, unless it had ended by then; returns whether so."""
    now = instance.get_run_by_id(run.run_id)
    if now is None or now.status not in HAS_WORKER:
        return False
    instance.report_run_failed(now, "The run's process is gone.")
    return True


def _pid(instance: dg.DagsterInstance, run_id: str) -> int | None:
    """The id of a run's process, as it said itself; None if it never came to that."""
    for entry in instance.all_logs(run_id, of_type=DagsterEventType.ENGINE_EVENT):
        event = entry.dagster_event
        if event is not None and (found := _STARTED.match(event.message or "")):
            return int(found[1])
    return None


def _works(pid: int) -> bool:
    """Whether a process with an id is one of ours: ids are used again."""
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
        command = Path(f"/proc/{pid}/cmdline").read_bytes() if Path("/proc/self").exists() else b"spawn_main"
    except OSError:
        return False
    return b"spawn_main" in command or b"dagster" in command

"""Sensors look, and ask for runs; they do not work. A tick is a few look-ups, whatever the archive's size.

No tick asks for a run of a job that waits for its turn or works. Two that come to be all the same harm
nothing: work is claimed in the ledger. A wake-up cannot be lost: what is to be done stands in the ledger
until it is done. Claims of killed workers need no sensor: a document so claimed counts as waiting, and
whoever comes next takes it.
"""

import time
from typing import Any, Final

import dagster as dg
from pydantic import BaseModel, ConfigDict, ValidationError

from mnemo_assets import database, gpu
from mnemo_assets.archive.rules import RULES_VERSION
from mnemo_assets.database import Connection
from mnemo_assets.defs import jobs, sync
from mnemo_assets.defs.border import border
from mnemo_assets.defs.resources import Ledger
from mnemo_assets.defs.runs import end_dead, is_pausing, is_under_way, pause
from mnemo_assets.errors import RecognitionError, SettingsError
from mnemo_assets.pipeline import gates, reports, versions
from mnemo_assets.pipeline.generations import find
from mnemo_assets.pipeline.versions import READER_VERSIONS
from mnemo_assets.settings import Settings
from mnemo_assets.text import converter, engines

Q = database.queries("watch")

#: Seconds. The daemon goes round its sensors every five.
OFTEN: Final = 3
#: Seconds between looks for what was not told: whoever changes the ledger tells it, unless it is killed.
SELDOM: Final = 30


class Asked(BaseModel):
    """What was waiting when a run was last asked for: if the same waits after it, it did not help.

    Of pages to be recognised: when the engine was last tried, and a run asked for if it works.
    """

    model_config = ConfigDict(frozen=True)

    waiting: tuple[int, ...] = ()
    times: int = 0
    at: float = 0.0


class Memory(BaseModel):
    """A sensor's cursor."""

    model_config = ConfigDict(frozen=True)

    version: str = ""
    """Of the code for which everything that older code made was looked over."""
    read: Asked = Asked()
    ocr: Asked = Asked()
    mine: Asked = Asked()


def ask(asked: Asked, waiting: tuple[int, ...], now: float) -> Asked | None:
    """Whether to ask for a run for what waits: what was asked then, or None. Pure.

    Work that a run did not take away is asked for again after ten seconds, then twenty, up to 15 minutes.

    Args:
        asked: the last time.
        waiting: tells one set of waiting work from another.
        now: seconds since the epoch.
    """
    if waiting != asked.waiting:
        return Asked(waiting=waiting, times=1, at=now)
    if now < asked.at + pause(asked.times):
        return None
    return Asked(waiting=waiting, times=min(asked.times + 1, 10), at=now)


@dg.sensor(
    name="scan_due",
    job=sync.sync_job,
    minimum_interval_seconds=OFTEN,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Asks for a sync when an archive changed, or was not looked at for a while.",
)
def scan_due(
    context: dg.SensorEvaluationContext, ledger: dg.ResourceParam[Ledger]
) -> dg.SensorResult | dg.SkipReason:
    """A scan is due."""
    with border(), ledger.connect() as connection:
        row = connection.execute(Q["scan_due"]).fetchone()
    if row is None or not row["due"]:
        return dg.SkipReason("No archive is due.")
    if is_under_way(context.instance, "sync") or is_under_way(context.instance, "scan"):
        return dg.SkipReason("A scan is under way.")
    if is_pausing(context.instance, "sync"):
        return dg.SkipReason("The last sync failed.")
    return dg.SensorResult(run_requests=[dg.RunRequest()])


@dg.sensor(
    name="documents_waiting",
    jobs=[jobs.read_job, jobs.ocr_job, jobs.mine_job],
    minimum_interval_seconds=OFTEN,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Asks for a run that reads, recognises or mines, when documents wait for it.",
)
def documents_waiting(
    context: dg.SensorEvaluationContext, ledger: dg.ResourceParam[Ledger]
) -> dg.SensorResult | dg.SkipReason:
    """Documents wait."""
    memory = _memory(context.cursor)
    if is_under_way(context.instance, "sync"):
        return dg.SkipReason("A sync is under way.")
    free = {job for job in ("read", "ocr", "mine") if not is_under_way(context.instance, job)}
    with border(), ledger.connect() as connection:
        waiting = {
            "read": _row(connection, "new"),
            "ocr": _scans(connection),
            "mine": _texts(connection, ledger.settings()) if "mine" in free else (),
        }
        if (version := versions.line(connection)) != memory.version:
            older = _older(connection)
            waiting = {job: what or older.get(job, ()) for job, what in waiting.items()}
            # what a run has left cannot go on
            if "read" in free and all(older[job] == getattr(memory, job).waiting for job in older):
                memory = memory.model_copy(update={"version": version})
    requests = []
    for job, what in waiting.items():
        if not what or job not in free or is_pausing(context.instance, job):
            continue
        if job == "ocr" and not engines.is_there(ledger.settings()):
            continue
        if (asked := ask(getattr(memory, job), what, time.time())) is None:
            continue
        memory = memory.model_copy(update={job: asked})
        if job != "ocr" or _can_recognise(ledger.settings()):
            requests.append(dg.RunRequest(job_name=job))
    return dg.SensorResult(run_requests=requests, cursor=memory.model_dump_json())


@dg.sensor(
    name="report_due",
    job=sync.report_job,
    minimum_interval_seconds=SELDOM,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Asks for a report when the ledger has what Dagster was not told.",
)
def report_due(
    context: dg.SensorEvaluationContext, ledger: dg.ResourceParam[Ledger]
) -> dg.SensorResult | dg.SkipReason:
    """Something was not told, and no run is there that will."""
    if any(is_under_way(context.instance, job) for job in sync.NAMES):
        return dg.SkipReason("A run is under way, and will tell.")
    with border(), ledger.connect() as connection:
        is_due = reports.is_due(connection)
    if not is_due or is_pausing(context.instance, "report"):
        return dg.SkipReason("Everything was told.")
    return dg.SensorResult(run_requests=[dg.RunRequest()])


@dg.sensor(
    name="runs_lost",
    minimum_interval_seconds=SELDOM,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Ends runs whose process is gone, so that others take their turn.",
)
def runs_lost(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    """A run's process is gone, and its code server could not say so."""
    ended = end_dead(context.instance)
    return dg.SkipReason(f"Runs without a process: {ended} ended as failed.")


@dg.sensor(
    name="leases_expired",
    minimum_interval_seconds=SELDOM,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Frees GPU leases whose owner is gone, or did not renew them.",
)
def leases_expired(ledger: dg.ResourceParam[Ledger]) -> dg.SkipReason:
    """An owner is gone: whoever comes next could take its lease, and nobody is shown as having it."""
    with border(), ledger.connect() as connection:
        freed = gpu.reap(connection)
    return dg.SkipReason(f"Leases without an owner: {freed} freed.")


def _memory(cursor: str | None) -> Memory:
    try:
        return Memory.model_validate_json(cursor) if cursor else Memory()
    except ValidationError:  # another version's
        return Memory()


def _row(connection: Connection, stage: str) -> tuple[int, ...]:
    values = {"stage": stage, "converts": list(converter.kinds())}
    row: dict[str, Any] | None = connection.execute(Q["documents_waiting"], values).fetchone()
    return (row["n"], row["first"], row["last"]) if row is not None and row["n"] else ()


def _texts(connection: Connection, settings: Settings) -> tuple[int, ...]:
    """The documents whose texts wait to be mined, as `_row`; none while their model cannot be asked."""
    found = _row(connection, "extracted")
    if not found or (active := find(connection, "active")) is None or not active.asks_a_model:
        return found
    return found if gates.is_ready(connection, settings, active, found[0]) else ()


def _scans(connection: Connection) -> tuple[int, ...]:
    """The documents whose pages wait to be recognised, as `_row`; and how many of these pages are done."""
    row: dict[str, Any] | None = connection.execute(Q["scans_waiting"]).fetchone()
    return (row["n"], row["first"], row["last"], row["pages"]) if row is not None and row["n"] else ()


def _can_recognise(settings: Settings) -> bool:
    """Whether what recognises text works, by trying it; if not no run is asked for, and the pages wait."""
    try:
        engines.engine(settings).close()
    except (RecognitionError, SettingsError):
        return False
    return True


def _older(connection: Connection) -> dict[str, tuple[int, ...]]:
    """What older code made and this one would make anew. Reads the whole ledger: after a change alone."""
    code = {
        "readers": list(READER_VERSIONS),
        "versions": list(READER_VERSIONS.values()),
        "rules_version": RULES_VERSION,
    }
    row = connection.execute(Q["made_by_older_code"], code).fetchone()
    found: dict[str, tuple[int, ...]] = {"read": (row["n"],)} if row is not None and row["n"] else {}
    active = find(connection, "active")
    if active is not None and not active.is_made_by(active.recipe, active.owner):
        found["mine"] = (-active.generation,)
    return found

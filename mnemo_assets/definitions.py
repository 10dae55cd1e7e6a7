"""The code location that workspace.yaml loads: wiring, and nothing else."""

import dagster as dg

from mnemo_assets.defs import assets, checks, evaluation, jobs, redo, sensors, sync
from mnemo_assets.defs.resources import GpuLease, Ledger

defs = dg.Definitions(
    assets=[assets.archive, assets.reading, assets.mining, evaluation.bakeoff],
    asset_checks=checks.CHECKS,
    jobs=[
        jobs.scan_job,
        jobs.read_job,
        jobs.ocr_job,
        jobs.mine_job,
        jobs.check_job,
        redo.redo_job,
        sync.sync_job,
        sync.report_job,
    ],
    schedules=[jobs.check_daily],
    sensors=[
        sensors.scan_due,
        sensors.documents_waiting,
        sensors.report_due,
        sensors.runs_lost,
        sensors.leases_expired,
    ],
    resources={"ledger": Ledger(), "gpu": GpuLease()},
    executor=dg.in_process_executor,
)

"""The code location that workspace.yaml loads: wiring, and nothing else."""

import dagster as dg

from mnemo_assets.defs import assets, jobs, sensors, sync
from mnemo_assets.defs.resources import Ledger

defs = dg.Definitions(
    assets=[assets.archive, assets.reading, assets.mining],
    jobs=[jobs.scan_job, jobs.read_job, jobs.mine_job, sync.sync_job, sync.report_job],
    sensors=[sensors.scan_due, sensors.documents_waiting, sensors.report_due],
    resources={"ledger": Ledger()},
    executor=dg.in_process_executor,
)

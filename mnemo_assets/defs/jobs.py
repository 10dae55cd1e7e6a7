"""Runs that sensors ask for: each takes what waits. A run a document would take a hundred times as long."""

from functools import partial

import dagster as dg

from mnemo_assets.defs.drain import drain, program
from mnemo_assets.defs.resources import GpuLease, Ledger
from mnemo_assets.pipeline import mine, read, recognise

#: One at a time: documents are claimed, and a second run would only share them.
READING_POOL = "reading"
OCR_POOL = "ocr"
MINING_POOL = "mining"
SCAN_POOL = "scan"


class Drain(dg.Config):
    """How long a run goes on claiming documents, in minutes: then another one takes over."""

    minutes: float = 30.0


@dg.op(pool=READING_POOL, out=dg.Out(dg.Nothing))
def read_documents(context: dg.OpExecutionContext, config: Drain, ledger: dg.ResourceParam[Ledger]) -> None:
    """Read the documents that wait."""
    drain(context, config.minutes, ledger, read.read)


@dg.op(pool=OCR_POOL, out=dg.Out(dg.Nothing))
def recognise_documents(
    context: dg.OpExecutionContext, config: Drain, ledger: dg.ResourceParam[Ledger]
) -> None:
    """Recognise the pages that wait."""
    drain(context, config.minutes, ledger, recognise.recognise)


@dg.op(pool=MINING_POOL, out=dg.Out(dg.Nothing))
def mine_documents(
    context: dg.OpExecutionContext,
    config: Drain,
    ledger: dg.ResourceParam[Ledger],
    gpu: dg.ResourceParam[GpuLease],
) -> None:
    """Mine the documents whose text is ready; the GPU lease is taken where a model is to be asked."""
    take = partial(mine.mine, program=program(context), leased=gpu.leased)
    drain(context, config.minutes, ledger, take)


@dg.job(name="read", executor_def=dg.in_process_executor, description="Reads the documents that wait.")
def read_job() -> None:
    """Read what waits."""
    read_documents()


@dg.job(
    name="ocr",
    executor_def=dg.in_process_executor,
    description="Recognises the scanned pages that wait.",
)
def ocr_job() -> None:
    """Recognise what waits."""
    recognise_documents()


@dg.job(
    name="mine", executor_def=dg.in_process_executor, description="Mines the documents whose text is ready."
)
def mine_job() -> None:
    """Mine what waits."""
    mine_documents()


scan_job = dg.define_asset_job(
    "scan", selection=["archive"], executor_def=dg.in_process_executor, description="Looks at every archive."
)

check_job = dg.define_asset_job(
    "check",
    selection=dg.AssetSelection.all_asset_checks(),
    executor_def=dg.in_process_executor,
    description="Looks whether what must be so is so, in the whole ledger and the whole graph.",
)

check_daily = dg.ScheduleDefinition(
    name="check_daily",
    job=check_job,
    cron_schedule="30 4 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Asks for a check of everything once a day.",
)

"""The short way: a scan, and what it found read and mined in the same run: one start is paid for all."""

from contextlib import suppress
from dataclasses import asdict
from typing import Final

import dagster as dg

from mnemo_assets.defs import looking
from mnemo_assets.defs.border import border
from mnemo_assets.defs.drain import Telling, program, until
from mnemo_assets.defs.jobs import SCAN_POOL
from mnemo_assets.defs.report import report
from mnemo_assets.defs.resources import GpuLease, Ledger
from mnemo_assets.defs.runs import is_under_way
from mnemo_assets.pipeline import gates, mine, read


class Quick(dg.Config):
    """How long to read, and then to mine, in minutes: what is left waits for runs of their own."""

    minutes: float = 1.0


@dg.op(pool=SCAN_POOL, out=dg.Out(dg.Nothing))
def sync_archives(
    context: dg.OpExecutionContext,
    config: Quick,
    ledger: dg.ResourceParam[Ledger],
    gpu: dg.ResourceParam[GpuLease],
) -> None:
    """Scan, then read and mine what is new; where a longer run does that already, leave it to that one."""
    with border(), ledger.connect() as connection:
        settings = ledger.settings()
        telling = Telling(connection, context)
        looking.tell(context.instance, context, looking.look(connection, settings))
        if not is_under_way(context.instance, "read"):
            reading = read.read(connection, settings, telling, stop=until(config.minutes))
            context.add_output_metadata({f"read_{name}": n for name, n in asdict(reading).items()})
        if not is_under_way(context.instance, "mine"):
            with suppress(*gates.WAITS):  # a run of its own is asked for once the model can be
                mine.mine(
                    connection,
                    settings,
                    telling,
                    stop=until(config.minutes),
                    program=program(context),
                    leased=gpu.leased,
                )
        report(connection, context.instance, context)


@dg.op(out=dg.Out(dg.Nothing))
def tell_all(context: dg.OpExecutionContext, ledger: dg.ResourceParam[Ledger]) -> None:
    """Tell Dagster what the ledger has and it lacks."""
    with border(), ledger.connect() as connection:
        context.add_output_metadata(asdict(report(connection, context.instance, context)))


@dg.job(
    name="sync",
    executor_def=dg.in_process_executor,
    description="Looks at every archive, then reads and mines what is new.",
)
def sync_job() -> None:
    """Scan, read and mine."""
    sync_archives()


@dg.job(
    name="report",
    executor_def=dg.in_process_executor,
    description="Brings what Dagster shows up to date with the ledger.",
)
def report_job() -> None:
    """Tell what was not told."""
    tell_all()


#: Every job that takes or tells what waits.
NAMES: Final = ("sync", "scan", "read", "ocr", "mine", "report")

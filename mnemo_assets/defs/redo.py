"""The job `redo`: what a backfill does, as one run over whatever documents are named."""

from collections.abc import Callable
from functools import partial
from typing import Final

import dagster as dg
from pydantic import Field

from mnemo_assets.database import Connection
from mnemo_assets.defs import redoing
from mnemo_assets.defs.assets import POOL
from mnemo_assets.defs.border import border
from mnemo_assets.defs.drain import program
from mnemo_assets.defs.report import report_again
from mnemo_assets.defs.resources import GpuLease, Ledger
from mnemo_assets.defs.stages import ASSETS
from mnemo_assets.errors import UsageError
from mnemo_assets.pipeline import mine, reports
from mnemo_assets.settings import Settings

#: Documents in one go.
BATCH: Final = 200


class Selection(dg.Config):
    """What to do for which documents: those named, and those in a stage."""

    documents: list[str] = Field(default=[], description="sha256s, whole.")
    stages: list[str] = Field(default=[], description="Such as failed.")
    assets: list[str] = Field(default=list(ASSETS), description="Some of a document's.")
    force: bool = Field(default=False, description="Read and extract what is well, too.")


def redo(
    connection: Connection,
    settings: Settings,
    context: dg.OpExecutionContext,
    config: Selection,
    *,
    take: Callable[..., object] = mine.mine,
) -> dict[str, int]:
    """Do for the chosen documents what a backfill of the chosen assets would do.

    `take` is `mine.mine`, or what takes such arguments.

    Raises:
        UsageError: an asset is not one of a document's, or nothing was chosen.
    """
    if not set(config.assets) <= ASSETS.keys() or not (config.documents or config.stages):
        raise UsageError
    keys = reports.chosen(connection, config.documents, config.stages)
    for start in range(0, len(keys), BATCH):
        some = keys[start : start + BATCH]
        redoing.reading(connection, settings, some, config.assets, force=config.force)
        redoing.mining(connection, settings, some, config.assets, force=config.force, take=take)
        report_again(connection, context.instance, context, some, config.assets)
    return {"documents": len(keys)}


@dg.op(pool=POOL, out=dg.Out(dg.Nothing))
def redo_documents(
    context: dg.OpExecutionContext,
    config: Selection,
    ledger: dg.ResourceParam[Ledger],
    gpu: dg.ResourceParam[GpuLease],
) -> None:
    """Do again what was asked for."""
    take = partial(mine.mine, program=program(context), leased=gpu.leased)
    with border():
        found = ledger.work(
            lambda connection, settings: redo(connection, settings, context, config, take=take)
        )
        context.add_output_metadata(found)


@dg.job(
    name="redo",
    executor_def=dg.in_process_executor,
    description="Does for the documents that are named what a backfill does, in one run.",
)
def redo_job() -> None:
    """Do again what was asked for."""
    redo_documents()

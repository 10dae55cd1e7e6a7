"""The assets: the archive as a whole, and of each document its files, text, chunks, extractions and graph."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import dagster as dg

from mnemo_assets.database import Connection
from mnemo_assets.defs import events, looking, redoing
from mnemo_assets.defs.border import border
from mnemo_assets.defs.drain import program
from mnemo_assets.defs.jobs import SCAN_POOL
from mnemo_assets.defs.partitions import documents
from mnemo_assets.defs.redoing import Redo
from mnemo_assets.defs.report import report, report_again
from mnemo_assets.defs.resources import GpuLease, Ledger
from mnemo_assets.defs.stages import ASSETS, LEDGER
from mnemo_assets.pipeline import mine
from mnemo_assets.pipeline.versions import CODE
from mnemo_assets.settings import Settings

OWNERS: Final = ["team:archive"]
#: Runs that were asked for by name have a slot of their own: none waits half an hour for one that drains.
POOL: Final = "by_name"
#: A run's start costs seconds, and a killed run loses what was told of it: so many documents are in between.
RUNS: Final = dg.BackfillPolicy.multi_run(max_partitions_per_run=200)


def _spec(name: str, above: str, group: str, kind: str, description: str) -> dg.AssetSpec:
    return dg.AssetSpec(
        name,
        deps=[above],
        group_name=group,
        kinds={kind},
        owners=OWNERS,
        code_version=getattr(CODE, name),
        description=description,
        skippable=True,  # what there is of each document is told by itself
    )


@dg.asset(
    group_name="archive",
    kinds={"postgres"},
    owners=OWNERS,
    code_version=CODE.files,
    pool=SCAN_POOL,
    description="What the archives hold: every file compared with the ledger, what has left them let go of.",
)
def archive(context: dg.AssetExecutionContext, ledger: dg.ResourceParam[Ledger]) -> dg.MaterializeResult[Any]:
    """Look at every archive. One that is out of reach is told as an observation, and keeps back no other."""

    def work(connection: Connection, settings: Settings) -> dict[str, Any]:
        metadata = looking.look(connection, settings)
        report(connection, context.instance, context)
        return metadata

    with border():
        metadata = ledger.work(work)
        if (seen := looking.outage(metadata)) is not None:
            context.log_event(seen)
    return dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion(LEDGER))


def _selected(context: dg.AssetExecutionContext) -> list[str]:
    """The selected assets of the step, each after what it is made of."""
    names = context.op_execution_context.selected_output_names
    return [name for name in ASSETS if name in names]


@dg.multi_asset(
    name="reading",
    specs=[
        _spec("files", "archive", "archive", "file", "A content and the admitted files that hold it."),
        _spec("text", "files", "text", "text", "Its normalised text, read in the sandbox and cached."),
        _spec(
            "ocr", "text", "text", "text", "The words on its pages that are pictures, recognised one by one."
        ),
        _spec("chunks", "text", "text", "postgres", "Consecutive pieces of its text, with overlap."),
    ],
    partitions_def=documents,
    can_subset=True,
    backfill_policy=RUNS,
    pool=POOL,
)
def reading(
    context: dg.AssetExecutionContext, config: Redo, ledger: dg.ResourceParam[Ledger]
) -> Iterator[Any]:
    """Documents become text and chunks."""
    keys, selected = context.partition_keys, _selected(context)
    force = redoing.is_forced(context, config)

    def work(connection: Connection, settings: Settings) -> None:
        redoing.reading(connection, settings, keys, selected, force=force)
        report_again(connection, context.instance, context, keys, selected)

    with border():
        ledger.work(work)
    yield from events.ended(selected)


@dg.multi_asset(
    name="mining",
    specs=[
        _spec("extractions", "chunks", "extractions", "postgres", "Entities and relations of its chunks."),
        _spec("graph", "extractions", "graph", "postgres", "Its part of the graph that is served."),
    ],
    partitions_def=documents,
    can_subset=True,
    backfill_policy=RUNS,
    pool=POOL,
)
def mining(
    context: dg.AssetExecutionContext,
    config: Redo,
    ledger: dg.ResourceParam[Ledger],
    gpu: dg.ResourceParam[GpuLease],
) -> Iterator[Any]:
    """Texts become part of the graph; the GPU lease is taken where a model is to be asked."""
    keys, selected = context.partition_keys, _selected(context)
    force = redoing.is_forced(context, config)

    def work(connection: Connection, settings: Settings) -> None:
        take = partial(mine.mine, program=program(context), leased=gpu.leased)
        redoing.mining(connection, settings, keys, selected, force=force, take=take)
        report_again(connection, context.instance, context, keys, selected)

    with border():
        ledger.work(work)
    yield from events.ended(selected)

"""The assets: the archive as a whole, and of each document its files, text, chunks, extractions and graph."""

from dataclasses import asdict

import dagster as dg

from mnemo_assets.archive import ledger as archives
from mnemo_assets.defs.border import border
from mnemo_assets.defs.jobs import MINING_POOL, READING_POOL, SCAN_POOL
from mnemo_assets.defs.partitions import documents
from mnemo_assets.defs.report import report, report_again
from mnemo_assets.defs.resources import Ledger
from mnemo_assets.errors import ArchiveUnreachableError
from mnemo_assets.pipeline import mine, read, scan
from mnemo_assets.pipeline.versions import CODE

OWNERS = ["team:owner"]
RUNS = dg.BackfillPolicy.multi_run(max_partitions_per_run=200)


class Redo(dg.Config):
    """Whether what is well already is made anew: read from the files, extracted, merged."""

    force: bool = False


@dg.asset(group_name="archive", kinds={"postgres"}, owners=OWNERS, code_version=CODE.files, pool=SCAN_POOL)
def archive(
    context: dg.AssetExecutionContext, ledger: dg.ResourceParam[Ledger]
) -> dg.MaterializeResult[None]:
    """What the archives hold: every file compared with the ledger, and what has left them let go of."""
    with border(), ledger.connect() as connection:
        settings = ledger.settings()
        outages = 0
        for one in archives.archives(connection):
            try:
                scan.scan(connection, settings, one)
            except ArchiveUnreachableError:
                outages += 1
        removed = scan.sweep(connection, settings)
        report(connection, context.instance, context)
        return dg.MaterializeResult(metadata={"removed": removed, "outages": outages})


@dg.multi_asset(
    name="reading",
    specs=[
        dg.AssetSpec(
            "files",
            deps=["archive"],
            skippable=True,
            group_name="archive",
            owners=OWNERS,
            code_version=CODE.files,
        ),
        dg.AssetSpec(
            "text", deps=["files"], skippable=True, group_name="text", owners=OWNERS, code_version=CODE.text
        ),
        dg.AssetSpec(
            "chunks",
            deps=["text"],
            skippable=True,
            group_name="text",
            owners=OWNERS,
            code_version=CODE.chunks,
        ),
    ],
    partitions_def=documents,
    can_subset=True,
    backfill_policy=RUNS,
    pool=READING_POOL,
)
def reading(context: dg.AssetExecutionContext, config: Redo, ledger: dg.ResourceParam[Ledger]):  # type: ignore[no-untyped-def] # noqa: ANN201
    """Documents become text and chunks."""
    with border(), ledger.connect() as connection:
        read.read(connection, ledger.settings(), only=context.partition_keys)
        selected = {key.path[-1] for key in context.selected_asset_keys}
        report_again(connection, context.instance, context, context.partition_keys, selected)
    yield from ()


@dg.multi_asset(
    name="mining",
    specs=[
        dg.AssetSpec(
            "extractions",
            deps=["chunks"],
            skippable=True,
            group_name="extractions",
            owners=OWNERS,
            code_version=CODE.extractions,
        ),
        dg.AssetSpec(
            "graph",
            deps=["extractions"],
            skippable=True,
            group_name="graph",
            owners=OWNERS,
            code_version=CODE.graph,
        ),
    ],
    partitions_def=documents,
    can_subset=True,
    backfill_policy=RUNS,
    pool=MINING_POOL,
)
def mining(context: dg.AssetExecutionContext, config: Redo, ledger: dg.ResourceParam[Ledger]):  # type: ignore[no-untyped-def] # noqa: ANN201
    """Text becomes part of the graph."""
    with border(), ledger.connect() as connection:
        mine.mine(connection, ledger.settings(), only=context.partition_keys)
        selected = {key.path[-1] for key in context.selected_asset_keys}
        report_again(connection, context.instance, context, context.partition_keys, selected)
    yield from ()

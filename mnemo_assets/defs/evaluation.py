"""The bake-off's report on Dagster's page."""

from typing import Any, Final

import dagster as dg
from pydantic import Field

from mnemo_assets.database import Connection
from mnemo_assets.defs.border import border
from mnemo_assets.defs.resources import Ledger
from mnemo_assets.evaluation import bakeoff as room
from mnemo_assets.evaluation import report, sample, stored
from mnemo_assets.settings import Settings

#: One at a time: it has the GPU.
POOL: Final = "bakeoff"


class Bakeoff(dg.Config):
    """Which bake-off to run; without judges none is run, and the latest report is shown."""

    models: list[str] = Field(default_factory=list)
    judges: list[str] = Field(default_factory=list)
    documents: int = sample.DOCUMENTS
    seed: int = sample.SEED


@dg.asset(
    group_name="evaluation",
    kinds={"postgres"},
    owners=["team:archive"],
    code_version=str(report.VERSION),
    pool=POOL,
    description="The latest bake-off: recipes measured on a sample of the archive, judged by two models.",
)
def bakeoff(config: Bakeoff, ledger: dg.ResourceParam[Ledger]) -> dg.MaterializeResult[Any]:
    """Show the latest report; with judges in the configuration, make one first."""

    def work(connection: Connection, settings: Settings) -> dict[str, Any]:
        if config.judges or config.models:
            room.run(
                connection,
                settings,
                config.models,
                config.judges,
                documents=config.documents,
                seed=config.seed,
            )
        latest = stored.latest(connection)
        if latest is None:
            return {"recipes": 0}
        return {
            "recipes": len(latest.recipes),
            "ran_at": dg.MetadataValue.timestamp(latest.ran_at),
            "report": dg.MetadataValue.md(latest.markdown),
        }

    with border():
        metadata = ledger.work(work)
    return dg.MaterializeResult(metadata=metadata)

"""Asset checks: what must be so, looked at by id; what is told is counts and classes."""

from typing import Any, Final

import dagster as dg

from mnemo_assets.defs import charts
from mnemo_assets.defs.border import border
from mnemo_assets.defs.resources import Ledger
from mnemo_assets.pipeline import verify
from mnemo_assets.serve import status

POOL: Final = "checks"
#: sha256s that are named of each disagreement: enough to look into it.
NAMED: Final = 5


@dg.asset_check(asset="graph", pool=POOL, description="Every mention and every quote stands in its text.")
def quotes_verbatim(
    context: dg.AssetCheckExecutionContext, ledger: dg.ResourceParam[Ledger]
) -> dg.AssetCheckResult:
    """Of the run's documents where it has some, else of all."""
    with border(), ledger.connect() as connection:
        ranged = context.has_partition_key or context.has_partition_key_range
        counts = verify.quotes(connection, context.partition_keys if ranged else None)
    wrong = counts["mentions_not_verbatim"] + counts["relations_not_verbatim"]
    return dg.AssetCheckResult(passed=not wrong, metadata=dict(counts))


@dg.asset_check(asset="graph", pool=POOL, description="No row hangs from nothing.")
def no_orphans(ledger: dg.ResourceParam[Ledger]) -> dg.AssetCheckResult:
    """Rows of the graph and of the ledger by what they are."""
    with border(), ledger.connect() as connection:
        counts = verify.orphans(connection)
    return dg.AssetCheckResult(passed=not any(counts.values()), metadata=dict(counts))


@dg.asset_check(asset="graph", pool=POOL, description="Ledger, text cache and graph agree on each document.")
def stores_agree(ledger: dg.ResourceParam[Ledger]) -> dg.AssetCheckResult:
    """By sha256, not by how many there are."""
    with border(), ledger.connect() as connection:
        found = verify.disagreements(connection, ledger.settings())
    metadata: dict[str, Any] = {what: len(keys) for what, keys in found.items()}
    metadata |= {f"{what}_first": " ".join(keys[:NAMED]) for what, keys in found.items()}
    return dg.AssetCheckResult(passed=not found, metadata=metadata)


@dg.asset_check(asset="text", pool=POOL, description="No error class is more frequent than it may be.")
def error_classes(ledger: dg.ResourceParam[Ledger]) -> dg.AssetCheckResult:
    """Warns with the counts of each class."""
    with border(), ledger.connect() as connection:
        counts, total = verify.classes(connection)
    beyond = verify.beyond(counts, total)
    metadata: dict[str, Any] = {
        "documents": total,
        "classes": charts.table(counts, "class"),
        "beyond_bounds": " ".join(beyond),
    }
    return dg.AssetCheckResult(passed=not beyond, severity=dg.AssetCheckSeverity.WARN, metadata=metadata)


@dg.asset_check(
    asset="extractions", pool=POOL, description="The model finds something in most of the texts it is given."
)
def empty_extractions(ledger: dg.ResourceParam[Ledger]) -> dg.AssetCheckResult:
    """Warns of many empty answers, each fine by itself: a wrong preset, a prompt that was lost."""
    with border(), ledger.connect() as connection:
        counts = verify.empties(connection)
    is_usual = counts["empty"] <= verify.EMPTY_SHARE * max(counts["texts"], verify.EMPTY_FROM)
    return dg.AssetCheckResult(passed=is_usual, severity=dg.AssetCheckSeverity.WARN, metadata=dict(counts))


@dg.asset_check(asset="archive", pool=POOL, description="Every archive could be looked at.")
def archives_reachable(ledger: dg.ResourceParam[Ledger]) -> dg.AssetCheckResult:
    """Warns of outages: nothing is concluded from them, and what is cached is mined all the same."""
    with border(), ledger.connect() as connection:
        health = status.status(connection).archives
    return dg.AssetCheckResult(
        passed=not health.outage, severity=dg.AssetCheckSeverity.WARN, metadata=health.model_dump()
    )


CHECKS: Final = [
    quotes_verbatim,
    no_orphans,
    stores_agree,
    error_classes,
    empty_extractions,
    archives_reachable,
]

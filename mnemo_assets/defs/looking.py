"""A look at every archive, and what is told of it. One that is out of reach keeps back no other."""

from collections import Counter
from dataclasses import asdict
from typing import Any, Final

import dagster as dg

from mnemo_assets.archive import ledger
from mnemo_assets.database import Connection
from mnemo_assets.defs import charts, events, stages
from mnemo_assets.errors import MnemoError
from mnemo_assets.pipeline import scan
from mnemo_assets.pipeline.versions import CODE
from mnemo_assets.serve import status
from mnemo_assets.settings import Settings

TOLD: Final = ("seen", "hashed", "added", "changed", "moved", "revived", "missing", "held", "documents")


def look(connection: Connection, settings: Settings) -> dict[str, Any]:
    """Scan every archive, and let go of what has left them.

    Args:
        connection: the owner's, in autocommit mode.
        settings: as for `scan.scan`.

    Returns:
        Metadata: the scans' counts added up, `outages` of archives and their classes, what was `removed`, and
        where the documents are.
    """
    counts: Counter[str] = Counter(dict.fromkeys(TOLD, 0))
    outages: Counter[str] = Counter()
    for one in ledger.archives(connection):
        try:
            found = asdict(scan.scan(connection, settings, one))
        except MnemoError as error:  # it stands with the archive, and nothing is concluded
            outages[type(error).__name__] += 1
            continue
        counts.update({name: found[name] for name in TOLD})
    counts["removed"] = scan.sweep(connection, settings)
    counts["outages"] = outages.total()
    return {**counts, **outages, **standing(connection)}


def standing(connection: Connection) -> dict[str, Any]:
    """Where the documents are, as metadata: a table and a chart of their stages, a table of their classes."""
    now = status.status(connection)
    return {
        "stages": charts.table(now.documents, "stage"),
        "chart": charts.bars(now.documents),
        "classes": charts.table(now.errors, "class"),
    }


def materialization(metadata: dict[str, Any]) -> dg.AssetMaterialization:
    """The asset `archive` after a look. Its version is always the same: a look makes no document stale."""
    tags = {stages.CODE_VERSION: CODE.files, stages.DATA_VERSION: stages.LEDGER}
    return dg.AssetMaterialization("archive", metadata=metadata, tags=tags)


def outage(metadata: dict[str, Any]) -> dg.AssetObservation | None:
    """What is told of archives that were out of reach, if some were."""
    if not metadata["outages"]:
        return None
    kept = {name: n for name, n in metadata.items() if name == "outages" or name.endswith("Error")}
    return dg.AssetObservation("archive", metadata=kept)


def tell(instance: dg.DagsterInstance, context: events.Context | None, metadata: dict[str, Any]) -> None:
    """Tell of a look that is not the asset's own run."""
    told: list[events.Event] = [materialization(metadata)]
    if (seen := outage(metadata)) is not None:
        told.append(seen)
    events.log(instance, told, context)

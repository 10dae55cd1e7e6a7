"""Reports of bake-offs in the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg.types.json import Jsonb

from mnemo_assets.database import Connection, queries

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from mnemo_assets.evaluation.report import Report

Q = queries("evaluation")


@dataclass(frozen=True, slots=True)
class Stored:
    """A report as it was kept: `recipes` are NAME@REQUEST_HASH, the hash empty for one that asks no model."""

    bakeoff_id: int
    ran_at: datetime
    recipes: tuple[str, ...]
    markdown: str


def keep(connection: Connection, recipes: Sequence[str], report: Report, markdown: str) -> None:
    """Keep a report, in the caller's transaction."""
    values = {"recipes": list(recipes), "report": Jsonb(report.model_dump(mode="json")), "markdown": markdown}
    connection.execute(Q["keep_bakeoff"], values)


def latest(connection: Connection) -> Stored | None:
    """The latest report, if there is one."""
    row = connection.execute(Q["latest_bakeoff"]).fetchone()
    if row is None:
        return None
    return Stored(row["bakeoff_id"], row["ran_at"], tuple(row["recipes"]), row["markdown"])

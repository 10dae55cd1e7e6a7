"""Dagster: installed, its storage, what it was not told, and what its instance is told."""

from __future__ import annotations

import re
from importlib import metadata
from typing import TYPE_CHECKING, Final

import psycopg
from psycopg.rows import dict_row

from mnemo_assets import database
from mnemo_assets.doctor.finding import Finding, broken, lacking, well
from mnemo_assets.up import instance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

Q = database.queries("doctor")
AREA: Final = "dagster"
#: What dagster.yaml has to switch off: with telemetry on, its page and its daemon call out.
_OFF: Final = {
    "telemetry": re.compile(r"^telemetry:\s*\n(?:\s*#.*\n)*\s+enabled: false\b", re.MULTILINE),
    "compute logs": re.compile(
        r"^compute_logs:(?:\s*\n\s+.*)*?\s+class: NoOpComputeLogManager\b", re.MULTILINE
    ),
}
PACKAGES: Final = ("dagster", "dagster-postgres", "dagster-webserver", "psycopg2-binary", "SQLAlchemy")


def programs(settings: Settings) -> Iterator[Finding]:
    """The packages, and what the instance is told."""
    found = {name: _version(name) for name in PACKAGES}
    if absent := [name for name, version in found.items() if version is None]:
        mend = f"Type: pip install {' '.join(absent)}"
        yield lacking(AREA, "packages", f"not installed: {', '.join(absent)}", mend)
    else:
        yield well(AREA, "packages", ", ".join(f"{name} {version}" for name, version in found.items()))
    yield from _told(instance.folder(settings) / "dagster.yaml")


def _told(path: Path) -> Iterator[Finding]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        yield lacking(AREA, "dagster.yaml", "not made yet", "`mnemo up` makes it.")
        return
    talks = [name for name, off in _OFF.items() if not off.search(text)]
    if talks:
        mend = "`mnemo up` writes it anew. Until then, start nothing of Dagster's with it."
        yield broken(AREA, "dagster.yaml", f"not off: {', '.join(talks)}", mend)
    else:
        yield well(AREA, "dagster.yaml", "telemetry and compute logs are off")


def storage(connection: Connection, settings: Settings) -> Iterator[Finding]:
    """Its database, and the documents that it was not told of."""
    if not database.dagster_exists(settings):
        yield lacking(AREA, "its storage", "not made yet", "`mnemo up` makes it.")
        return
    url = database.dagster_url(settings).replace("+psycopg2", "", 1)
    with psycopg.connect(url, autocommit=True, row_factory=dict_row) as inside:
        row = inside.execute(Q["has_dagsters_tables"]).fetchone()
    if row is None or not row["found"]:
        yield lacking(AREA, "its storage", "empty", "`mnemo up` makes its tables.")
        return
    yield well(AREA, "its storage", "there, in a database of its own")
    untold = connection.execute(Q["untold"]).fetchone()
    assert untold is not None
    if untold["documents"]:
        said = f"{untold['documents']:,} documents have moved on since"
        yield lacking(AREA, "its page", said, "`mnemo up` and the next sync tell it.")
    else:
        yield well(AREA, "its page", "shows what the ledger holds")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None

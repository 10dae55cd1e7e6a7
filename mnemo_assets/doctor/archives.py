"""The archives, by their numbers: whether their folders are there, and when they were last seen whole."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mnemo_assets import database
from mnemo_assets.archive import ledger
from mnemo_assets.archive.roots import ADVICE, Outage, open_root
from mnemo_assets.doctor.finding import Finding, broken, lacking, well

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

Q = database.queries("doctor")


def archives(connection: Connection, _settings: Settings) -> Iterator[Finding]:
    """Each archive, opened now."""
    outages = {row["archive_id"]: row["outage"] for row in connection.execute(Q["outages"])}
    known = ledger.archives(connection)
    if not known:
        yield lacking("archives", "archives", "none is known", "Type: mnemo sync DIR")
    for archive in known:
        name = f"archive {archive.archive_id}"
        seen = f"whole at {archive.healthy_at:%Y-%m-%d %H:%M} UTC" if archive.healthy_at else "not whole yet"
        try:
            os.close(open_root(archive.root))
        except Outage as outage:
            yield broken("archives", name, f"{outage.reason}; {seen}", ADVICE[outage.reason])
            continue
        if (reason := outages.get(archive.archive_id)) is not None:
            mend = f"{ADVICE.get(reason, '')} The next sync looks again.".strip()
            yield broken("archives", name, f"there, but its last scan ended early: {reason}; {seen}", mend)
        else:
            yield well("archives", name, f"there; {seen}")

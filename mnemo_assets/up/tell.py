"""What other commands do for the page: have Dagster told what they changed, where it is used."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from mnemo_assets import database
from mnemo_assets.pipeline import reports
from mnemo_assets.up import instance

if TYPE_CHECKING:
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings


def is_behind(connection: Connection, chosen: Settings) -> bool:
    """Whether Dagster has a storage here, and was not told all that is in the ledger.

    Costs some index look-ups, and a connection where something was not told.
    """
    return reports.is_due(connection) and database.dagster_exists(chosen)


def tell(chosen: Settings) -> bool:
    """Tell Dagster, in a child process: no other command pays for its import.

    Returns:
        Whether that went well; if not, the next report does what this one did not.
    """
    home = instance.lay_out(chosen)
    words = [sys.executable, "-m", "mnemo_assets.defs.report"]
    nowhere = subprocess.DEVNULL
    told = subprocess.run(
        words,
        env=instance.environment(chosen),
        cwd=home,
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
        check=False,
    )
    return told.returncode == 0

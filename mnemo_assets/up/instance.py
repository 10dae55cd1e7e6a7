"""MNEMO_HOME/dagster: what Dagster is told, and the environment in which its programs run."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemo_assets import database, settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mnemo_assets.settings import Settings

PACKAGE: Final = Path(__file__).parents[1]
#: In the package in a wheel, at the top level of a checkout.
TEMPLATE: Final = Path("dagster_home", "dagster.yaml")
#: What a child needs of the user's environment: no proxy, no PG*, no DAGSTER_*, no PYTHON*.
KEPT: Final = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR")
#: A password command may need more, such as the place of a key or of an agent: then all but this is kept.
DROPPED: Final = ("PG", "DAGSTER", "PYTHON", "LD_", "DYLD_")
#: Dagster's page and daemon upload what lies in DAGSTER_HOME/logs, whatever dagster.yaml says of telemetry
#: (dagster._core.telemetry_upload): the first of these stops that, the second leads it nowhere. Our own
#: logs are in a folder of another name.
SILENT: Final = {"DAGSTER_DISABLE_TELEMETRY": "yes", "DAGSTER_TELEMETRY_URL": "http://127.0.0.1:9/"}
#: Bytes of a Unix socket's path: 104 on macOS, with a closing NUL.
LONGEST: Final = 100


def folder(chosen: Settings) -> Path:
    """DAGSTER_HOME."""
    return chosen.home / "dagster"


def lay_out(chosen: Settings) -> Path:
    """Make DAGSTER_HOME with this version's dagster.yaml; returns it.

    Raises:
        OSError: it cannot be written.
    """
    home = folder(chosen)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / "log").mkdir(mode=0o700, exist_ok=True)
    template = PACKAGE / TEMPLATE
    shutil.copyfile(template if template.is_file() else PACKAGE.parent / TEMPLATE, home / "dagster.yaml")
    return home


def write_workspace(home: Path, socket: Path) -> Path:
    """Write the workspace file that leads to the code server's socket; returns its path."""
    path = home / "workspace.yaml"
    place = str(socket).replace("'", "''")
    path.write_text(
        f"# Written by mnemo up: changes are lost.\nload_from:\n  - grpc_server:\n      socket: '{place}'\n"
        "      location_name: mnemo\n",
        encoding="utf-8",
    )
    return path


def socket_folder(home: Path) -> Path:
    """A private folder, made now, where a socket's path is short enough; one that a killed one left goes."""
    for left in home.glob("run-*"):
        shutil.rmtree(left, ignore_errors=True)
    fits = len(os.fsencode(home / "run-12345678" / "code")) <= LONGEST
    place = home if fits else Path("/tmp")  # noqa: S108 - what is made in it is private and random
    return Path(tempfile.mkdtemp(prefix="run-" if fits else "mnemo-up-", dir=place))


def environment(chosen: Settings, outside: Mapping[str, str] = os.environ) -> dict[str, str]:
    """All that Dagster's programs are told. Makes Dagster's database, if it is not there.

    Args:
        chosen: the settings in force.
        outside: the user's environment.

    Raises:
        PostgresError: the server cannot be reached.
    """
    return {
        **dict(_inherited(outside, all_of_it="MNEMO_PASSWORD_COMMAND" in settings.given())),
        **settings.given(),
        **variables(chosen),
        "PYTHONPATH": str(PACKAGE.parent),
        "NO_PROXY": "*",
        "no_proxy": "*",
    }


def variables(chosen: Settings) -> dict[str, str]:
    """What any program of Dagster's has to be told: where our state is, and its own. As for `environment`."""
    return {
        "MNEMO_HOME": str(chosen.home),
        "DAGSTER_HOME": str(folder(chosen)),
        "DAGSTER_PG_URL": database.dagster_url(chosen),
        **SILENT,
    }


def _inherited(outside: Mapping[str, str], *, all_of_it: bool) -> Iterator[tuple[str, str]]:
    for name, value in outside.items():
        if name.startswith("MNEMO_") or name.lower().endswith("_proxy"):
            continue
        if name in KEPT or name.startswith("LC_") or (all_of_it and not name.startswith(DROPPED)):
            yield name, value

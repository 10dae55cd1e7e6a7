"""The command that looks at everything: doctor."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from mnemo_assets.cli.output import emit, json_option, say
from mnemo_assets.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.doctor.finding import Finding


@click.command()
@json_option
def doctor(*, as_json: bool) -> int:
    """Look at everything mnemo stands on, and say how to mend what is broken.

    Postgres, the walls around readers, recipes, converters, archives, Dagster, settings, permissions, disk.
    It names no file and no entity. Exit code 0: all that is needed works. 1: something is broken.

    \b
    mnemo doctor
    mnemo doctor --json
    """
    found = []
    for finding in _findings():
        found.append(finding)
        if not as_json:
            _show(finding)
    is_well = all(finding.is_well for finding in found)
    if as_json:
        emit({"ok": is_well, "findings": [asdict(finding) for finding in found]})
    else:
        say("All that is needed works." if is_well else "Something that is needed does not work.")
    return 0 if is_well else 1


def _findings() -> Iterator[Finding]:
    from mnemo_assets import settings
    from mnemo_assets.doctor import examine
    from mnemo_assets.doctor.finding import broken

    try:
        chosen, names = settings.load(), settings.given()
    except SettingsError as error:
        yield broken("settings", "in force", "SettingsError", str(error))
        return
    yield from examine.examine(chosen, names)


def _show(finding: Finding) -> None:
    say(f"{finding.state:<8} {finding.area + ': ' + finding.name:<44} {finding.said}")
    if finding.mend and finding.state != "ok":
        say(f"{'':<8} -> {finding.mend}")

"""The whole examination, in the order in which things depend on each other."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from mnemo_assets.doctor import archives, home, lease, model, orchestration, reading, server
from mnemo_assets.doctor.finding import Finding, broken, lacking, well
from mnemo_assets.errors import MnemoError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

#: Looks that need a connection: area, name, look.
_INSIDE: tuple[tuple[str, str, Callable[[Connection, Settings], Iterable[Finding]]], ...] = (
    ("postgres", "the database", server.database_of),
    ("reading", "the recipe", reading.recipe),
    ("model", "response format", model.answer_format),
    ("gpu", "the lease", lease.lease),
    ("archives", "the archives", archives.archives),
    ("dagster", "its storage", orchestration.storage),
)


def examine(settings: Settings, names: Iterable[str]) -> Iterator[Finding]:
    """Look at everything; what cannot be looked at is a finding, too.

    Args:
        settings: in force.
        names: of the settings that were set.
    """
    yield well("settings", "in force", ", ".join(sorted(names)) or "none is set, the defaults hold")
    yield from _guarded("home", "the folder", lambda: home.home(settings))
    yield from _guarded("reading", "the walls", lambda: reading.walls(settings))
    yield from reading.converters()
    yield from _guarded("converters", "text recognition", lambda: reading.recognition(settings))
    yield from reading.second_reader()
    yield from _guarded("model", "the endpoint", lambda: model.model(settings))
    yield from _guarded("dagster", "packages", lambda: orchestration.programs(settings))
    found = list(_guarded("postgres", "the server", lambda: server.server(settings)))
    yield from found
    if not all(one.is_well for one in found):
        for area, name, _ in _INSIDE:
            yield lacking(area, name, "not looked at: there is no database", "Mend Postgres first.")
        return
    yield from _guarded("postgres", "the database", lambda: _inside(settings))


def _inside(settings: Settings) -> Iterator[Finding]:
    from mnemo_assets import database  # noqa: PLC0415 - after the looks that need none

    with closing(database.connect(settings)) as connection:
        for area, name, look in _INSIDE:
            yield from _guarded(area, name, lambda look=look: look(connection, settings))  # type: ignore[misc]


def _guarded(area: str, name: str, look: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """What a look finds; if it fails, that."""
    try:
        yield from look()
    except MnemoError as error:
        yield broken(area, name, type(error).__name__, str(error))
    except Exception as error:  # noqa: BLE001 - a doctor does not die of the patient's illness
        from mnemo_assets.database import failures  # noqa: PLC0415 - only where something broke

        known = failures.clear(error)
        said = type(known or error).__name__
        yield broken(area, name, said, str(known or "Report it, with `mnemo --version` and this line."))

"""Another recipe for the graph: a generation is built beside the one served, and then takes its place."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from mnemo_assets.database import Connection, queries
from mnemo_assets.extractions import recipes
from mnemo_assets.graph import store
from mnemo_assets.pipeline import claims, contribute
from mnemo_assets.pipeline.generations import Generation, create, find, remove_retired
from mnemo_assets.pipeline.progress import OnProgress, silent
from mnemo_assets.pipeline.workshop import Workshop, children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.settings import Settings

Q = queries("mine")

#: Documents whose chunks are extracted before they are stored.
BATCH = 16


def activate(
    connection: Connection, settings: Settings, recipe: str, on_progress: OnProgress = silent
) -> Generation:
    """Make the graph anew with a recipe, for the owner that is set, and serve it once it is whole.

    Until then the old graph is served, and can be written to. A build that was killed is gone on with; one
    of another recipe or for another owner is dropped. Documents that come in meanwhile are built, too; those
    that wait to be mined are left to `mine`. A graph that already is what was asked for is left alone.

    Args:
        connection: the owner's, in autocommit mode.
        settings: `owner`, where it is set, is the new graph's; else the old one's stays.
        recipe: its name.
        on_progress: is told how many documents of how many are done, as step "mine".

    Raises:
        RecipeError: the recipe is unknown or not installed.
    """
    recipes.version(recipe)
    with _alone(connection):
        active = find(connection, "active")
        owner = settings.owner or (active.owner if active is not None else ())
        if active is not None and active.is_made_by(recipe, owner):
            return active
        building = _building(connection, recipe, owner)
        while True:
            _build(connection, building, settings.workers, on_progress)
            contribute.finish(connection, building)
            if _switch(connection, building):
                break
    remove_retired(connection)
    return building


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    """One session at a time builds a generation; the lock goes with the session."""
    connection.execute(Q["lock_activation"])
    try:
        yield
    finally:
        if not connection.closed and not connection.broken:
            connection.execute(Q["unlock_activation"])


def _building(connection: Connection, recipe: str, owner: tuple[str, ...]) -> Generation:
    """The generation to go on with, or a new one."""
    with connection.transaction():
        connection.execute(Q["lock_generations"])
        found = find(connection, "building")
        if found is not None and found.is_made_by(recipe, owner):
            return found
        if found is not None:
            connection.execute(Q["retire"], {"generation": found.generation})
        return create(connection, recipe, owner, "building")


def _build(connection: Connection, building: Generation, workers: int, on_progress: OnProgress) -> None:
    """Put the documents of the graph into a generation, once each."""
    place = {"generation": building.generation}
    counted = connection.execute(Q["count_unbuilt"], place).fetchone()
    total = 0 if counted is None else counted["n"]
    after, done = 0, 0
    with Workshop(building.recipe, children(workers, total)) as workshop:
        while rows := connection.execute(Q["unbuilt"], {**place, "after": after, "limit": BATCH}).fetchall():
            after = rows[-1]["document_id"]
            contents = contribute.missing(connection, building, [row["document_id"] for row in rows])
            contribute.keep(connection, building, workshop.begin(contents))
            for row in rows:
                _store(connection, building, row)
                done += 1
                on_progress("mine", done, max(done, total))


def _store(connection: Connection, building: Generation, row: dict[str, Any]) -> None:
    """Put a document into a generation, unless its text changed, or it went, since it was looked at."""
    document_id = row["document_id"]
    merged = contribute.merged(connection, building, row)
    try:
        with connection.transaction():
            claims.commit_lazily(connection)
            store.replace(connection, building.generation, document_id, merged.contribution)
            _hold(connection, row)
    except (claims.LostError, psycopg.errors.ForeignKeyViolation):
        return


def _hold(connection: Connection, row: dict[str, Any]) -> None:
    if connection.execute(Q["hold_built"], row).fetchone() is None:
        raise claims.LostError


def _switch(connection: Connection, building: Generation) -> bool:
    """Serve a generation from now on, if every document of the graph is in it."""
    place = {"generation": building.generation, "extractor_id": building.extractor_id}
    with connection.transaction():
        connection.execute(Q["lock_generations"])
        store.own(connection)
        counted = connection.execute(Q["count_unbuilt"], place).fetchone()
        if counted is None or counted["n"]:
            return False
        active = find(connection, "active")
        if active is not None:
            connection.execute(Q["retire"], {"generation": active.generation})
        connection.execute(Q["promote"], place)
        connection.execute(Q["settle_switch"], place)
        connection.execute(Q["delete_failed_contributions"], place)
        connection.execute(Q["give_failures_to_next"], place)
    return True

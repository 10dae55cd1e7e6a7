"""Another recipe for the graph: a generation is built beside the one served, and then takes its place."""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import psycopg

from mnemo_assets.database import Connection, queries
from mnemo_assets.extractions import recipes
from mnemo_assets.graph import bulk, store
from mnemo_assets.pipeline import claims, contribute, extractors, gather
from mnemo_assets.pipeline.generations import Generation, create_with, find, remove_retired
from mnemo_assets.pipeline.lanes import Lanes
from mnemo_assets.pipeline.progress import OnProgress, silent
from mnemo_assets.pipeline.rederive import rederive
from mnemo_assets.pipeline.workshop import Workshop, children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.settings import Settings

Q = queries("mine")

#: Documents that come into a generation in one transaction, and characters of their texts, in memory then.
BATCH: Final = 200
BATCH_CHARS: Final = 8_000_000
#: Seconds after which a thread that works lets another one go on.
SWITCH: Final = 0.000_2
#: As many waiting documents for each connection beside the first.
_PER_LANE: Final = 2 * BATCH

Row = dict[str, Any]


def activate(
    connection: Connection,
    settings: Settings,
    recipe: str,
    on_progress: OnProgress = silent,
    *,
    anew: bool = False,
    program: str = "activate",
) -> Generation:
    """Make the graph anew with a recipe, for the owner that is set, and serve it once it is whole.

    Until then the old graph is served, and can be written to. A build that was killed is gone on with; one
    of another recipe or for another owner is dropped. Documents that come in meanwhile are built, too; those
    that wait to be mined are left to `mine`. A graph that already is what was asked for is left alone.

    No model is asked about a text. Of a recipe that asks one, documents come in of which it was given every
    text before; the others are sent back to be mined when the graph is switched.

    Args:
        connection: the owner's, in autocommit mode.
        settings: `owner`, where it is set, is the new graph's; else the old one's stays.
        recipe: its name, or its label.
        on_progress: is told how many documents of how many are done, as step "mine".
        anew: of a recipe that asks a model: with the request that this code makes, which a model that was
            never asked has anyway. Its endpoint is looked at, and its preset loaded.
        program: who we are, for others who want the GPU lease.

    Raises:
        RecipeError: the recipe is unknown or not installed.
        EndpointDownError, EndpointElsewhereError, LeaseHeldError: a model's endpoint cannot be looked at.
    """
    if recipes.asks_a_model(recipe) and (anew or not extractors.is_stored(connection, recipe)):
        extractor_id = extractors.begin(connection, settings, recipe, program)
    else:
        extractor_id = extractors.current(connection, recipe)
    return _activate(connection, settings, extractor_id, on_progress)


def renew(
    connection: Connection, settings: Settings, active: Generation, on_progress: OnProgress = silent
) -> Generation:
    """Make the graph that is served anew with this code, by its own recipe and request. As `activate`."""
    extractor_id = extractors.renewed(connection, active.extractor_id, active.recipe)
    return _activate(connection, settings, extractor_id, on_progress)


def _activate(
    connection: Connection, settings: Settings, extractor_id: int, on_progress: OnProgress
) -> Generation:
    with _alone(connection):
        active = find(connection, "active")
        owner = settings.owner or (active.owner if active is not None else ())
        if active is not None and active.is_made_with(extractor_id, owner):
            return active
        building = _building(connection, extractor_id, owner)
        while True:
            _build(connection, settings, building, on_progress)
            bulk.settle(connection, building.generation)
            if _switch(connection, building):
                break
    contribute.finish(connection, building)  # of documents that went since `settle`
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


def _building(connection: Connection, extractor_id: int, owner: tuple[str, ...]) -> Generation:
    """The generation to go on with, or a new one."""
    with connection.transaction():
        connection.execute(Q["lock_generations"])
        found = find(connection, "building")
        if found is not None and found.is_made_with(extractor_id, owner):
            return found
        if found is not None:
            connection.execute(Q["retire"], {"generation": found.generation})
        return create_with(connection, extractor_id, owner, "building")


def _build(connection: Connection, settings: Settings, building: Generation, on_progress: OnProgress) -> None:
    """Put the documents of the graph into a generation, once each, some hundred at a time."""
    total, done = _count(connection, building), 0
    ids = bulk.Ids()

    def put(own: Connection, rows: list[Row]) -> int:
        _put(own, building, rows, ids)
        return len(rows)

    lanes = min(settings.workers + 1, 1 + total // _PER_LANE)
    with (
        Workshop(building.recipe, children(settings.workers, total)) as workshop,
        Lanes(put, connection, settings, lanes) as open_lanes,
        _own_fault_first(connection),
        _in_haste(),
    ):
        for rows in _batches(connection, building):
            _extract(connection, building, rows, workshop)
            for some in open_lanes.begin(rows):
                done += some
                on_progress("mine", done, max(done, total))
        for some in open_lanes.end():
            done += some
            on_progress("mine", done, max(done, total))


@contextmanager
def _in_haste() -> Iterator[None]:
    """Have threads that wait for the server go on at once when it answers, and look for no rings of objects.

    By default a thread that makes rows lets another one wait for five milliseconds, again and again. The
    search for rings among rows that are in none takes a sixth of all the time.
    """
    interval, collects = sys.getswitchinterval(), gc.isenabled()
    sys.setswitchinterval(SWITCH)
    gc.disable()
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        if collects:
            gc.enable()


@contextmanager
def _own_fault_first(connection: Connection) -> Iterator[None]:
    """Where a lane's link is lost, look at this connection, too: whoever connects again looks at it alone."""
    try:
        yield
    except (psycopg.OperationalError, psycopg.InterfaceError):
        connection.execute(Q["generation_in"], {"state": "building"})
        raise


def _batches(connection: Connection, building: Generation) -> Iterator[list[Row]]:
    after = 0
    while True:
        values = {"generation": building.generation, "after": after, "limit": BATCH}
        rows = connection.execute(Q["unbuilt"], values).fetchall()
        while rows:
            chars, some = 0, 0
            while some < len(rows) and (some == 0 or chars + rows[some]["chars"] <= BATCH_CHARS):
                chars += rows[some]["chars"]
                some += 1
            batch, rows = rows[:some], rows[some:]
            after = batch[-1]["document_id"]
            yield batch
        if after == values["after"]:
            return


def _extract(connection: Connection, building: Generation, rows: list[Row], workshop: Workshop) -> None:
    """Give the recipe what it was not given yet of some documents, as far as that asks no model."""
    contents = contribute.missing(connection, building, [row["document_id"] for row in rows])
    if building.asks_a_model:
        if contents:
            rederive(connection, building.extractor_id, contents)
    else:
        contribute.keep(connection, building, workshop.begin(contents))


def _put(connection: Connection, building: Generation, rows: list[Row], ids: bulk.Ids) -> None:
    """Put documents into a generation, but for those that changed, or went, since they were looked at."""
    gathered = {
        row["document_id"]: contribution
        for row, contribution in gather.gather(connection, building.extractor_id, rows, building.aliases)
    }
    entities = ids.of(connection, building.generation, gathered)
    made = bulk.lines(building.generation, gathered, entities)
    with connection.transaction():
        claims.commit_lazily(connection)
        store.share(connection)  # from here on nobody removes a document, or changes its text
        gone = gathered.keys() - _still(connection, rows)
        if gone:
            there = {document_id: found for document_id, found in gathered.items() if document_id not in gone}
            made = bulk.lines(building.generation, there, entities)
        bulk.add(connection, made)


def _still(connection: Connection, rows: list[Row]) -> set[int]:
    """Those of some documents that are in the graph with the text that was read of them."""
    values = {
        "document_ids": [row["document_id"] for row in rows],
        "extracted_at": [row["extracted_at"] for row in rows],
    }
    return {row["document_id"] for row in connection.execute(Q["still_built"], values)}


def _count(connection: Connection, building: Generation) -> int:
    """How many documents are still to come into a generation."""
    values = {
        "generation": building.generation,
        "extractor_id": building.extractor_id,
        "whole": building.asks_a_model,
    }
    counted = connection.execute(Q["count_unbuilt"], values).fetchone()
    return 0 if counted is None else int(counted["n"])


def _switch(connection: Connection, building: Generation) -> bool:
    """Serve a generation from now on, if every document of the graph is in it that can be."""
    place = {"generation": building.generation, "extractor_id": building.extractor_id}
    with connection.transaction():
        connection.execute(Q["lock_generations"])
        store.own(connection)
        if _count(connection, building):
            return False
        active = find(connection, "active")
        if active is not None:
            connection.execute(Q["retire"], {"generation": active.generation})
        connection.execute(Q["promote"], place)
        connection.execute(Q["send_back_unbuilt"], place)
        connection.execute(Q["settle_switch"], place)
        connection.execute(Q["delete_failed_contributions"], place)
        connection.execute(Q["give_failures_to_next"], place)
    return True

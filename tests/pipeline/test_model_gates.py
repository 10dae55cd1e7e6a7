"""What a drain by a model may not do: without a lease, unmeasured, outside of folders, for another recipe."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from mnemo_assets import database, gpu
from mnemo_assets.archive import ledger
from mnemo_assets.errors import LeaseHeldError, RecipeError, SettingsError, UnmeasuredError
from mnemo_assets.pipeline import asking, claims, gates, mine, scan
from mnemo_assets.pipeline.activate import activate
from mnemo_assets.pipeline.mine import MineCounts
from mnemo_assets.serve import status
from tests import endpoints
from tests.endpoints import Answer, Asked
from tests.pipeline.by_model import (
    Endpoint,
    chosen_slots,
    hosted,
    long,
    rows,
    said,
    stages,
    sync,
    take_in,
    text_of,
    understood,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings
    from tests.endpoints import Stub

pytestmark = pytest.mark.usefixtures("no_pauses")


def test_who_has_the_lease_is_named(
    connection: Connection, chosen: Settings, folder: Path, model: Endpoint
) -> None:
    """A second drain is refused with the first one's tag, asks nothing, and leaves everything as it was."""
    write(folder, {"a.txt": "Ann works for Nordwind."})
    take_in(connection, chosen, folder)
    mine.active_generation(connection, chosen)
    with gpu.leased(chosen, "seer", gpu.tag("other")), pytest.raises(LeaseHeldError, match="mnemo other, "):
        mine.mine(connection, chosen)
    assert model.texts == []
    assert stages(connection) == [("a.txt", "extracted", None, 0)]
    assert mine.mine(connection, chosen) == MineCounts(graphed=1)


def test_a_drain_by_a_model_that_nobody_measured_is_refused(
    connection: Connection, chosen: Settings, folder: Path, model: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where more wait than may, the command that measures is named; that the owner did not mind is kept."""
    monkeypatch.setattr(gates, "UNMEASURED", 2)
    write(folder, {f"{n}.txt": f"Ann works for Nordwind. {n}" for n in range(3)})
    with pytest.raises(UnmeasuredError, match="mnemo bakeoff --models seer"):
        sync(connection, chosen, folder)
    assert model.texts == []
    assert mine.mine(connection, chosen, unmeasured=True) == MineCounts(graphed=3)
    assert rows(
        connection, "select unmeasured_at is not null as told from extractors where kind = 'model'"
    ) == [(True,)]
    write(folder, {f"more {n}.txt": f"Bob owns Westwind. {n}" for n in range(3)})
    assert sync(connection, chosen, folder) == MineCounts(graphed=3)


def test_what_asks_nothing_needs_no_measure(
    connection: Connection, chosen: Settings, folder: Path, model: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents that came in few at a time are merged anew together, although nobody measured their model."""
    write(folder, {f"{n}.txt": f"Ann works for Nordwind. {n}" for n in range(3)})
    sync(connection, chosen, folder)
    asked = len(model.texts)
    monkeypatch.setattr(gates, "UNMEASURED", 2)
    everything = [row[0] for row in rows(connection, "select sha256 from documents")]
    assert mine.remerge(connection, chosen, everything) == MineCounts(graphed=3)
    assert len(model.texts) == asked


def test_a_measured_model_drains(
    connection: Connection, chosen: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bake-off of the very recipe opens the way; one of another request does not."""
    monkeypatch.setattr(gates, "UNMEASURED", 2)
    write(folder, {f"{n}.txt": f"Ann works for Nordwind. {n}" for n in range(3)})
    made = mine.active_generation(connection, chosen)
    add = b"insert into bakeoffs (recipes, report, markdown) values (array[%s::text], '{}', '')"
    connection.execute(add, ("llm:seer@another",))
    with pytest.raises(UnmeasuredError):
        sync(connection, chosen, folder)
    connection.execute(add, (f"llm:seer@{made.request_hash}",))
    assert mine.mine(connection, chosen) == MineCounts(graphed=3)


def test_another_model_is_not_taken_for_the_graphs(
    connection: Connection, chosen: Settings, folder: Path
) -> None:
    """A graph keeps its recipe: another model in the settings is refused, with the command to change it."""
    write(folder, {"a.txt": "Ann works for Nordwind."})
    sync(connection, chosen, folder)
    other = chosen.model_copy(update={"llm_model": "other"})
    with pytest.raises(RecipeError, match="mnemo extractor activate llm:other"):
        mine.mine(connection, other)


def test_only_folders_that_are_named_are_sent_to_a_host(
    connection: Connection, chosen: Settings, folder: Path, model: Endpoint
) -> None:
    """A document outside of them, or that lies elsewhere too, waits with a reason; nothing of it is sent."""
    write(
        folder,
        {
            "open/a.txt": "Ann works for Nordwind.",
            "private/b.txt": "Bob owns Westwind.",
            "open/twice.txt": "Cleo owns Nordwind.",
            "private/twice.txt": "Cleo owns Nordwind.",
            "open too/c.txt": "Cleo owns Westwind.",
        },
    )
    with hosted(chosen, folder / "open") as some:
        assert sync(connection, some, folder) == MineCounts(graphed=1)
        assert model.texts == ["Ann works for Nordwind."]
        assert {row[0]: row[1:3] for row in stages(connection)} == {
            "open/a.txt": ("graphed", None),
            "open too/c.txt": ("extracted", "NotOptedIn"),
            "open/twice.txt": ("extracted", "NotOptedIn"),
            "private/b.txt": ("extracted", "NotOptedIn"),
            "private/twice.txt": ("extracted", "NotOptedIn"),
        }
    assert mine.mine(connection, chosen) == MineCounts(graphed=3)
    assert {row[2] for row in stages(connection)} == {None}


def test_folders_are_no_matter_where_no_model_is_asked(
    connection: Connection, settings: Settings, folder: Path
) -> None:
    """Texts of a recipe of rules wait for nobody, whatever folders are named: the sensor sees them."""
    write(folder, {"private/a.txt": "Ann Miller works for Nordwind Ltd."})
    with hosted(settings.model_copy(update={"extractor": "patterns"}), folder / "open") as some:
        take_in(connection, some, folder)
        assert mine.mine(connection, some, stop=lambda: True) == MineCounts()
        assert stages(connection) == [("private/a.txt", "extracted", None, 0)]


def test_a_drain_goes_on_with_the_recipe_that_was_activated_meanwhile(
    connection: Connection, chosen: Settings, folder: Path, model: Endpoint
) -> None:
    """Another recipe is served in the middle: the rest is mined by that one, which needs no lease."""
    write(folder, {f"{n:02}.txt": f"Ann works for Nordwind. {n}" for n in range(20)})
    take_in(connection, chosen, folder)
    mine.active_generation(connection, chosen)
    free = chosen.model_copy(update={"extractor": None})
    switched = threading.Lock()

    def answer(text: str, _: Asked) -> Answer:
        with switched:
            if len(model.texts) >= 5 and not rows(connection_beside, active_rules):
                activate(connection_beside, free, "patterns")
        return said(understood(text))

    active_rules = (
        "select generation from generations join extractors using (extractor_id) where kind = 'rules'"
    )
    model.answer = answer
    with database.connect(free) as connection_beside:
        assert mine.mine(connection, free).graphed == 20
    assert len(model.texts) < 20
    assert {stage for _, stage, _, _ in stages(connection)} == {"graphed"}
    assert rows(connection, "select count(*) as n from documents where claimed_by is not null") == [(0,)]


def test_a_document_that_moves_while_it_is_asked_about_is_not_sent_to_a_host_any_more(
    connection: Connection, chosen: Settings, folder: Path, model: Endpoint
) -> None:
    """A copy outside of the named folders turns up in the middle: nothing more of the document is sent."""
    text = long(*(f"Ann works for Nordwind. Part {n}." for n in range(40)))
    write(folder, {"open/a.txt": text, "open/b.txt": "Bob owns Westwind.", "private/c.txt": "Cleo."})
    moved: list[int] = []

    def answer(text: str, _: Asked) -> Answer:
        with model.lock:
            if len(model.texts) > 2 and not moved:
                (folder / "private" / "a.txt").write_bytes((folder / "open" / "a.txt").read_bytes())
                scan.scan(beside, chosen, ledger.archives(beside)[0])
                moved.append(len(model.texts))
        return said(understood(text))

    model.answer = answer
    with hosted(chosen, folder / "open") as some, database.connect(chosen) as beside:
        assert sync(connection, some, folder) == MineCounts(graphed=1)
        assert len(model.texts) <= moved[0] + 2 * asking.AHEAD * chosen_slots(chosen)
        assert mine.mine(connection, some) == MineCounts()
    assert [row[:3] for row in stages(connection)] == [
        ("open/a.txt", "extracted", "NotOptedIn"),
        ("open/b.txt", "graphed", None),
        ("private/a.txt", "extracted", "NotOptedIn"),
        ("private/c.txt", "extracted", "NotOptedIn"),
    ]


@pytest.mark.parametrize("context", [512, 2048])
def test_a_context_without_room_for_a_text_is_said(
    connection: Connection, chosen: Settings, folder: Path, stub: Stub, context: int
) -> None:
    """Where the prompt fills the context, no text fails for it: the run says what is to be changed."""
    stub.api["/props"] = endpoints.props(context=context)
    write(folder, {"a.txt": "Ann works for Nordwind.", "b.txt": "Bob owns Westwind."})
    with pytest.raises(SettingsError, match=f"{context:,} tokens"):
        sync(connection, chosen, folder)
    assert not list(filter(text_of, stub.completions))
    assert {stage for _, stage, _, _ in stages(connection)} == {"extracted"}
    stub.api["/props"] = endpoints.props(context=4096)
    assert mine.mine(connection, chosen) == MineCounts(graphed=2)


def test_a_failure_is_not_the_next_recipes(
    connection: Connection, chosen: Settings, folder: Path, model: Endpoint
) -> None:
    """What a model could not do is no failure of the recipe that was activated while it was asked."""
    write(folder, {"a.txt": "Ann Miller works for Nordwind Ltd."})
    take_in(connection, chosen, folder)
    mine.active_generation(connection, chosen)
    free = chosen.model_copy(update={"extractor": None})

    def answer(_: str, __: Asked) -> Answer:
        if not model.texts[1:]:
            with database.connect(free) as other:
                mine.activate(other, free, "patterns")
        return Answer(500)

    model.answer = answer
    assert mine.mine(connection, free) == MineCounts(graphed=1)
    assert stages(connection) == [("a.txt", "graphed", None, 0)]
    assert status.status(connection).extractor == "patterns"


def test_who_works_on_what_waits_is_named(
    connection: Connection, chosen: Settings, folder: Path, model: Endpoint
) -> None:
    """A drain that finds everything claimed by another is told who that is, and has nothing to do."""
    write(folder, {"a.txt": "Ann works for Nordwind."})
    take_in(connection, chosen, folder)
    mine.active_generation(connection, chosen)
    with (
        database.connect(chosen) as other,
        claims.claimant(other) as claimant,
        gpu.leased(chosen, "seer", gpu.tag("other")),
    ):
        values = {"after": 0, "limit": 9, "only": None, "again": None, "extractor_id": 1, "folders": None}
        assert claimant.take(mine.Q["claim_mining"], values)
        with pytest.raises(LeaseHeldError, match="mnemo other, "):
            mine.mine(connection, chosen)
    assert model.texts == []

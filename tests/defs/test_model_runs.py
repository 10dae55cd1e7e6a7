"""Runs that ask a model: when one is asked for, what it takes, and what is said when it cannot work."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from mnemo_assets import gpu
from mnemo_assets.archive import ledger as archives
from mnemo_assets.defs import checks, jobs
from mnemo_assets.defs.resources import GpuLease, Ledger
from mnemo_assets.pipeline import asking, gates, mine, read, scan, verify
from tests.endpoints import Answer, Asked, said, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings
    from tests.endpoints import Stub

TEXTS = ("Ann works for Nordwind.", "Bob owns Westwind.", "Nothing at all.")
CANARY = "Ashdown"
MINED = ("extractions", "graph")


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "PAUSES", (0.0, 0.0, 0.0))


@pytest.fixture
def stub() -> Iterator[Stub]:
    def answer(asked: Asked) -> Answer:
        if asked.said.get("response_format", {}).get("json_schema", {}).get("name") == "probe":
            return said(json.dumps({"greeting": "Hello"}))
        text = asked.said["messages"][-1]["content"]
        names = [{"name": name, "type": "Person"} for name in ("Ann", "Bob") if name in text]
        return said(json.dumps({"entities": names, "relations": []}))

    with serving(answer, kind="llama-server") as stub:
        yield stub


@pytest.fixture
def settings(settings: Settings, stub: Stub) -> Settings:
    return settings.model_copy(update={"extractor": "llm", "llm_model": "seer", "llm_url": stub.url})


@pytest.fixture
def waiting(connection: Connection, settings: Settings, tmp_path: Path) -> None:
    """Three documents whose texts are ready, and a graph of the model's that has none of them."""
    folder = tmp_path / CANARY
    folder.mkdir()
    for number, text in enumerate(TEXTS):
        (folder / f"{number}.txt").write_text(text)
    scan.scan(connection, settings, archives.add_archive(connection, folder))
    read.read(connection, settings)
    mine.active_generation(connection, settings)


def run(instance: dg.DagsterInstance, ledger: Ledger, *, fails: bool = False) -> dg.ExecuteInProcessResult:
    resources = {"ledger": ledger, "gpu": GpuLease()}
    return jobs.mine_job.execute_in_process(instance=instance, resources=resources, raise_on_error=not fails)


def stages(connection: Connection) -> dict[str, int]:
    found = connection.execute("select stage, count(*) as n from documents group by 1 order by 1")
    return {row["stage"]: row["n"] for row in found}


@pytest.mark.usefixtures("waiting")
def test_a_run_mines_with_the_model(
    instance: dg.DagsterInstance, ledger: Ledger, connection: Connection, tick: Callable[[str], list[str]]
) -> None:
    """It is asked for, takes the lease, tells what it did, and gives the lease back."""
    assert tick("documents_waiting") == ["mine"]
    assert run(instance, ledger).success
    assert stages(connection) == {"graphed": 3}
    assert gpu.holder(connection, "seer") is None
    assert tick("documents_waiting") == []
    assert all(len(instance.get_materialized_partitions(dg.AssetKey(name))) == 3 for name in MINED)


@pytest.mark.usefixtures("waiting")
def test_no_run_is_asked_for_until_the_model_is_there(tick: Callable[[str], list[str]], stub: Stub) -> None:
    """While the endpoint says that it loads nothing is asked for; as soon as it answers, a run is."""
    whole = dict(stub.api)
    stub.api.clear()
    stub.api.update({path: Answer(503, b"{}") for path in whole})
    assert tick("documents_waiting") == []
    stub.api.update(whole)
    assert tick("documents_waiting") == ["mine"]


@pytest.mark.usefixtures("waiting")
def test_no_run_is_asked_for_while_another_has_the_card(
    tick: Callable[[str], list[str]], settings: Settings
) -> None:
    """A run would only be refused; when the lease is free it is asked for."""
    with gpu.leased(settings, "seer", gpu.tag("other")):
        assert tick("documents_waiting") == []
    assert tick("documents_waiting") == ["mine"]


@pytest.mark.usefixtures("waiting")
def test_no_run_is_asked_for_by_a_model_that_nobody_measured(
    tick: Callable[[str], list[str]], monkeypatch: pytest.MonkeyPatch, connection: Connection
) -> None:
    """Where more wait than may, until the owner says that it does not matter."""
    monkeypatch.setattr(gates, "UNMEASURED", 2)
    assert tick("documents_waiting") == []
    connection.execute("update extractors set unmeasured_at = now()")
    assert tick("documents_waiting") == ["mine"]


@pytest.mark.usefixtures("waiting")
def test_a_dead_endpoint_fails_the_run_and_nothing_else(
    instance: dg.DagsterInstance, ledger: Ledger, connection: Connection, stub: Stub
) -> None:
    """The run says its class alone; documents stay as they were, and the next run mines them."""
    answer = stub.answer

    def dead(_: Asked) -> Answer:
        raise ConnectionAbortedError(CANARY)

    stub.answer = dead
    ended = run(instance, ledger, fails=True)
    assert not ended.success
    told = " ".join(str(event) for event in ended.all_events)
    assert "EndpointDownError" in told
    assert not any(word in told for word in (CANARY, "Ann", "Nordwind"))
    assert stages(connection) == {"extracted": 3}
    stub.answer = answer
    assert run(instance, ledger).success
    assert stages(connection) == {"graphed": 3}


@pytest.mark.usefixtures("waiting")
def test_many_empty_answers_are_warned_of(
    instance: dg.DagsterInstance, ledger: Ledger, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of three is usual; more than the bound is not, and is told with its counts."""
    run(instance, ledger)
    assert check(instance, ledger).passed
    monkeypatch.setattr(verify, "EMPTY_FROM", 1)
    connection.execute("update chunk_extractions set entities = '[]'")
    found = check(instance, ledger)
    assert not found.passed
    assert found.severity is dg.AssetCheckSeverity.WARN
    assert {name: value.value for name, value in found.metadata.items()} == {
        "texts": 3,
        "empty": 3,
        "ungrounded": 0,
        "malformed": 0,
    }


def check(instance: dg.DagsterInstance, ledger: Ledger) -> dg.AssetCheckEvaluation:
    asset, looked = dg.AssetSpec("extractions"), checks.empty_extractions
    job = dg.define_asset_job("look", selection=dg.AssetSelection.checks(looked))
    definitions = dg.Definitions(
        assets=[asset],
        asset_checks=[looked],
        jobs=[job],
        resources={"ledger": ledger},
    )
    ended = definitions.resolve_job_def("look").execute_in_process(instance=instance)
    (found,) = ended.get_asset_check_evaluations()
    return found

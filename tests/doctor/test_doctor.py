"""`mnemo doctor`: each thing that can be wrong is found, called what it is, and has a way to mend it."""

from __future__ import annotations

import os
import shutil
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from pydantic import SecretStr

from mnemo_assets import database, gpu, postgres
from mnemo_assets.archive import ledger
from mnemo_assets.doctor import examine, lease, model
from mnemo_assets.errors import MnemoError, PostgresError
from mnemo_assets.extractions import recipes
from mnemo_assets.text import walled
from mnemo_assets.text.sandbox import Sandbox
from mnemo_assets.text.walls import Wall
from tests.endpoints import Answer, serving
from tests.scans import PYTHON, fake_tesseract
from tests.second_server import graph

if TYPE_CHECKING:
    from mnemo_assets.doctor.finding import Finding
    from mnemo_assets.settings import Settings
    from tests.second_server import Graph, SecondServer

CANARY = "Xanthippe"
TEMPLATE = Path(__file__).parents[2] / "dagster_home" / "dagster.yaml"


def looked(settings: Settings) -> dict[tuple[str, str], Finding]:
    """What was found, by area and name; each thing is looked at once, and says how to mend it."""
    found = list(examine.examine(settings, ["MNEMO_HOME"]))
    by_name = {(one.area, one.name): one for one in found}
    assert len(by_name) == len(found)
    assert [one for one in found if one.state != "ok" and not one.mend] == []
    return by_name


def test_all_is_well(settings: Settings) -> None:
    """In a home where nothing has happened yet, all that is needed works."""
    found = looked(settings)
    assert [one for one in found.values() if not one.is_well] == []
    assert {area for area, _ in found} == {
        "settings",
        "home",
        "walls",
        "converters",
        "reading",
        "model",
        "dagster",
        "postgres",
        "recipes",
        "gpu",
        "archives",
    }
    assert found["settings", "in force"].said == "MNEMO_HOME"
    assert found["postgres", "the server"].said.startswith("Postgres 18.")
    assert found["postgres", "extensions"].said.startswith("pg_trgm ")
    assert found["home", "the folder"].state == "missing"


def test_a_server_that_does_not_start(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Postgres, all that needs none is looked at, and what needs one says so."""

    def fail(_home: Path, **_options: object) -> Path:
        raise PostgresError("The disk is full. Free some space, then try again.")

    monkeypatch.setattr(postgres, "ensure", fail)
    found = looked(settings)
    server = found["postgres", "the server"]
    assert (server.state, server.said) == ("broken", "PostgresError")
    assert server.mend == "The disk is full. Free some space, then try again."
    assert found["archives", "the archives"].mend == "Mend Postgres first."
    assert found["walls", "memory"].state == "ok"
    assert [one.name for one in found.values() if not one.is_well] == ["the server"]


def test_a_look_that_fails_is_a_finding(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever breaks in a look, the others go on, and nothing of its words is shown."""

    def fail(*_arguments: object) -> Any:
        raise ValueError(CANARY)

    monkeypatch.setattr(ledger, "archives", fail)
    found = looked(settings)
    broken = found["archives", "the archives"]
    assert (broken.state, broken.said) == ("broken", "ValueError")
    assert CANARY not in str(found)
    assert found["dagster", "its storage"].state == "missing"


def test_what_others_can_open_is_counted(settings: Settings) -> None:
    """A file and a folder in the home that other users can open are found, and none is named."""
    folder = settings.home / CANARY / "deeper"
    folder.mkdir(parents=True)
    for each in (settings.home, folder.parent):
        each.chmod(0o700)
    folder.chmod(0o750)
    (folder / "text").write_text("")
    (folder / "text").chmod(0o604)
    (folder / "link").symlink_to("/nowhere")
    found = looked(settings)
    wrong = found["home", "permissions"]
    assert (wrong.state, wrong.said) == ("broken", "2 files or folders are open to other users")
    assert not wrong.is_well
    assert CANARY not in str(found)
    folder.chmod(0o700)
    (folder / "text").chmod(0o600)
    assert looked(settings)["home", "permissions"].state == "ok"


def test_a_file_in_the_homes_place(settings: Settings) -> None:
    """A home that is a file is called that."""
    settings.home.write_text("")
    assert looked(settings)["home", "the folder"].said == "not a folder"


@pytest.mark.parametrize(
    ("free", "state", "is_well"),
    [(1 << 20, "broken", False), (1 << 30, "missing", True), (1 << 40, "ok", True)],
)
def test_a_disk_that_is_nearly_full(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, free: int, state: str, *, is_well: bool
) -> None:
    """Little room is a warning, and none at all is a fault."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(free, 0, free))
    found = looked(settings)["home", "the disk"]
    assert (found.state, found.is_well) == (state, is_well)


def test_a_wall_that_the_platform_lacks(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said with the system's reason, and the others hold; no sandbox at all is a fault."""
    lacks = [
        Wall("the network", in_force=False, why_not="EPERM"),
        Wall("memory", in_force=True, why_not=None),
    ]
    monkeypatch.setattr(Sandbox, "walls", lambda _self: lacks)
    found = looked(settings)
    assert found["walls", "the network"].said == "not in force: EPERM"
    assert found["walls", "the network"].is_well
    assert found["walls", "memory"].state == "ok"

    def fail(_self: Sandbox) -> list[Wall]:
        raise MnemoError("No reader can be started.")

    monkeypatch.setattr(Sandbox, "walls", fail)
    assert not looked(settings)["reading", "the walls"].is_well


def test_a_recipe_that_is_not_installed(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be done without, unless it is the one that is set."""
    monkeypatch.setattr(recipes, "is_installed", lambda name: name == "patterns")
    missing = looked(settings)["recipes", "ner"]
    assert (missing.state, missing.is_well) == ("missing", True)
    missing = looked(settings.model_copy(update={"extractor": "ner"}))["recipes", "ner"]
    assert (missing.state, missing.is_well) == ("missing", False)
    assert missing.mend == "Type: pip install 'mnemo[ner]'"


def test_a_recipe_that_asks_a_model(settings: Settings, connection: database.Connection) -> None:
    """It is a recipe like the others, where it is set and where the graph is made with it."""
    found = looked(settings.model_copy(update={"extractor": "llm", "llm_model": "seer"}))
    assert [(key, one.said) for key, one in found.items() if one.said == "is used"] == [
        (("recipes", "llm"), "is used")
    ]
    connection.execute(
        b"""with x as (insert into extractors (name, version, kind, model, request, request_hash)
            values ('llm:seer', 1, 'model', 'seer', '{}', 'some') returning extractor_id)
        insert into generations (extractor_id, state) select extractor_id, 'active' from x"""
    )
    found = looked(settings)
    assert [one for one in found.values() if not one.is_well] == []
    assert found["recipes", "llm"].said == "is used"
    assert found["recipes", "patterns"].said == "can be used"


def test_an_archive_that_is_away(settings: Settings, connection: database.Connection, tmp_path: Path) -> None:
    """An archive whose folder is gone is a fault, by its number; one that came back waits for a sync."""
    root = tmp_path / CANARY
    root.mkdir()
    (root / "a.txt").write_text("a")
    archive = ledger.add_archive(connection, root, CANARY)
    name = f"archive {archive.archive_id}"
    assert looked(settings)["archives", name].state == "ok"
    ledger.record_outage(connection, archive, "Missing")
    found = looked(settings)["archives", name]
    assert (found.state, found.said) == (
        "broken",
        "there, but its last scan ended early: Missing; not whole yet",
    )
    shutil.rmtree(root)
    found = looked(settings)["archives", name]
    assert (found.state, found.said) == ("broken", "Missing; not whole yet")
    assert CANARY not in str(looked(settings))


def test_who_has_the_graphics_card(settings: Settings, connection: database.Connection) -> None:
    """By the tag and the time of the database's clock; a lease whose owner is gone is nobody's."""

    def said() -> dict[str, str]:
        return {one.name: one.said for one in lease.lease(connection, settings)}

    assert said() == {"the lease": "nobody has it"}
    tags = ["mnemo mine, castle, process 7", "mnemo bakeoff, castle, process 8"]
    with gpu.leased(settings, CANARY, tags[0]), gpu.leased(settings, "second", tags[1]):
        connection.execute("update gpu_leases set acquired_at = '2031-05-04 03:02:01+00'")
        since = ", since 2031-05-04 03:02 UTC"
        assert said() == {"lease 1": tags[0] + since, "lease 2": tags[1] + since}
        connection.execute("update gpu_leases set expires_at = now() where preset = %s", [CANARY])
        assert said() == {"the lease": tags[1] + since}


def test_what_dagster_was_not_told(settings: Settings, connection: database.Connection) -> None:
    """Its storage, once its tables are there, and the documents that its page does not show yet."""
    assert looked(settings)["dagster", "its storage"].said == "not made yet"
    url = database.dagster_url(settings)
    assert looked(settings)["dagster", "its storage"].said == "empty"
    with psycopg.connect(url.replace("+psycopg2", "", 1), autocommit=True) as inside:
        inside.execute("create table runs ()")
        inside.execute("create table event_logs ()")
    found = looked(settings)
    assert (found["dagster", "its storage"].state, found["dagster", "its page"].state) == ("ok", "ok")
    connection.execute("insert into documents (sha256) values (repeat('a', 64))")
    found = looked(settings)
    assert found["dagster", "its page"].said == "1 documents have moved on since"
    assert found["dagster", "its page"].is_well


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("", ""), "telemetry and compute logs are off"),
        (("telemetry:\n  enabled: false", "telemetry:\n  enabled: true"), "not off: telemetry"),
        (("telemetry:\n  enabled: false", ""), "not off: telemetry"),
        (("class: NoOpComputeLogManager", "class: LocalComputeLogManager"), "not off: compute logs"),
    ],
)
def test_what_dagster_is_told(settings: Settings, change: tuple[str, str], said: str) -> None:
    """A dagster.yaml with which something would leave the machine, or be written, is a fault."""
    folder = settings.home / "dagster"
    folder.mkdir(parents=True, mode=0o700)
    settings.home.chmod(0o700)
    text = TEMPLATE.read_text()
    assert change[0] in text
    (folder / "dagster.yaml").write_text(text.replace(*change) if change[0] else text)
    (folder / "dagster.yaml").chmod(0o600)
    found = looked(settings)["dagster", "dagster.yaml"]
    assert (found.said, found.is_well) == (said, "not off" not in said)


def test_a_package_that_is_missing(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dagster can be done without, and the line to type is said."""
    version = metadata.version  # the real one

    def absent(name: str) -> str:
        if name == "dagster-webserver":
            raise metadata.PackageNotFoundError
        return version(name)

    monkeypatch.setattr(metadata, "version", absent)
    found = looked(settings)["dagster", "packages"]
    assert (found.state, found.is_well) == ("missing", True)
    assert found.mend == "Type: pip install dagster-webserver"


def test_the_owners_own_server(own: Graph, tmp_path: Path) -> None:
    """Its version, how it is reached, and what only a superuser could bound in the reader's role."""
    found = looked(own.settings(tmp_path / "home"))
    assert [one for one in found.values() if not one.is_well] == []
    server = found["postgres", "the server"]
    assert server.said.startswith("Postgres 18.")
    assert server.said.endswith(", your own, on this machine")
    reader = found["postgres", "the reader's role"]
    assert reader.state == "missing"
    assert (
        reader.said == "asks and cannot write; not bounded in temporary files and locks that writers wait for"
    )
    page = (Path(__file__).parents[2] / "docs/settings.md").read_text()
    block = page[page.index("```sql\n") + 7 :]
    statements = block[: block.index("```")].replace("mnemo_reader", f'"{own.name}_reader"')
    with own.chief() as chief:
        chief.execute(statements.encode())
    assert looked(own.settings(tmp_path / "home"))["postgres", "the reader's role"].state == "ok"
    with database.connect(own.settings(tmp_path / "home")) as owner:  # which still may
        owner.execute("select pg_advisory_lock(1)")


def test_an_own_server_that_lacks_something(second_server: SecondServer, tmp_path: Path) -> None:
    """What is missing is the class of the error, and what to do is its message."""
    theirs = graph(second_server, can="nocreaterole")
    found = looked(theirs.settings(tmp_path / "home"))["postgres", "the server"]
    assert (found.state, found.said) == ("broken", "PrivilegeMissingError")
    away = SecretStr(theirs.dsn(port=1))
    found = looked(theirs.settings(tmp_path / "home", dsn=away))["postgres", "the server"]
    assert (found.state, found.said) == ("broken", "ServerUnreachableError")
    assert theirs.password not in str(found)


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_a_home_that_is_somebody_elses(settings: Settings) -> None:
    """A home that cannot be written in is a fault."""
    settings.home.mkdir(mode=0o500)
    assert looked(settings)["home", "the folder"].said == "not yours to write in"


def test_tesseract_is_looked_at(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Version and languages; each language that is set and missing, with its package; or nothing."""
    monkeypatch.setattr(walled, "SYSTEM", (*walled.SYSTEM, PYTHON))
    program = fake_tesseract(tmp_path / "bin", "say('x')", languages="eng fra osd")
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{path}")
    found = looked(settings.model_copy(update={"ocr_languages": ("eng", "deu")}))
    there = found["converters", "Tesseract"]
    assert (there.state, there.said) == ("ok", "9.8.7, with eng, fra")
    lacks = found["converters", "Tesseract's language deu"]
    assert (lacks.state, lacks.is_well) == ("missing", True)
    assert lacks.mend.endswith("apt install tesseract-ocr-deu")
    fake_tesseract(tmp_path / "bin", "say('x')", languages="eng")
    assert "sense of up" in str(looked(settings))
    program.write_text("#!/bin/sh\nexit 1\n")
    broken = looked(settings)["converters", "Tesseract"]
    assert (broken.state, broken.is_well) == ("broken", True)
    program.unlink()
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    missing = looked(settings)["converters", "Tesseract"]
    assert (missing.state, missing.is_well) == ("missing", True)
    assert missing.mend.endswith("apt install tesseract-ocr")


def test_the_model_that_sees_is_looked_at(settings: Settings) -> None:
    """Whether its endpoint answers and lists it, by no name; without tesseract."""

    def seen(url: str, model: str) -> tuple[str, str, bool]:
        chosen = {"ocr_engine": "vision", "ocr_model": model, "llm_url": url}
        found = looked(settings.model_copy(update=chosen))
        assert ("converters", "Tesseract") not in found
        one = found["converters", "vision model"]
        assert model not in f"{one.said}{one.mend}"
        return one.state, one.said, one.is_well

    with serving(lambda _asked: Answer(500)) as stub:
        assert seen(stub.url, "seer") == ("ok", "the endpoint answers, and lists it", True)
        assert seen(stub.url, "other") == ("missing", "the endpoint answers, and does not list it", True)
        assert {one.method for one in stub.asked} == {"GET"}
    assert seen(stub.url, "seer")[::2] == ("broken", True)
    assert "does not answer" in seen(stub.url, "seer")[1]
    assert "another machine" in seen("http://192.0.2.1/v1", "seer")[1]


def test_the_endpoint_is_looked_at(settings: Settings) -> None:
    """Where it is, what stands behind it, whether it has the model; only the recipe `llm` needs it."""

    def looked_at(url: str, model: str, **more: object) -> list[tuple[str, str, str, bool]]:
        found = looked(settings.model_copy(update={"llm_url": url, "llm_model": model, **more})).values()
        assert [one for one in found if model in f"{one.said}{one.mend}"] == []
        return [(one.name, one.state, one.said, one.is_well) for one in found if one.area == "model"]

    assert looked(settings)["model", "the endpoint"].said == "not used: MNEMO_LLM_MODEL is not set"
    with serving(lambda _asked: Answer(500)) as stub:
        assert looked_at(stub.url, "seer") == [
            ("the endpoint", "ok", "answers, on this machine", True),
            ("what stands behind", "ok", "llama-server; requests at once: 2; tokens of one: 8,192", True),
            ("the model", "ok", "the endpoint answers, and lists it", True),
        ]
        assert looked_at(stub.url, "other", extractor="llm")[-1][1:] == (
            "missing",
            "the endpoint answers, and does not list it",
            True,
        )
        assert {one.method for one in stub.asked} == {"GET"}
    ((_, state, said, is_well),) = looked_at(stub.url, "seer")
    assert (state, said.split(".")[0], is_well) == (
        "broken",
        "The endpoint of MNEMO_LLM_URL does not answer",
        True,
    )
    assert looked_at(stub.url, "seer", extractor="llm")[0][3] is False
    with serving(lambda _asked: Answer(500), "unknown") as stub:
        ((_, state, said, _),) = looked_at(stub.url, "seer")
        assert (state, "MNEMO_LLM_DECLARED_LOCAL=1" in said) == ("broken", True)


def test_models_that_are_listed_are_named(settings: Settings) -> None:
    """The first five of those that a setting takes, where the one that is set is not among them."""

    def mend(*models: str) -> str:
        with serving(lambda _asked: Answer(500), models=models) as stub:
            chosen = settings.model_copy(update={"llm_url": stub.url, "llm_model": "other"})
            return looked(chosen)["model", "the model"].mend

    assert mend("seer", "a b", "\x1b[31m", "x" * 201).endswith("to one that is listed: seer.")
    assert mend(*"gfedcba").endswith("to one that is listed: a, b, c, d, e and 2 more.")
    assert mend().endswith("to one that is listed.")


@pytest.mark.parametrize(
    ("finding", "words"), [("enforced", "held to"), ("ignored", "ignores it"), ("silent", "nothing")]
)
def test_what_a_server_makes_of_a_response_format(
    connection: database.Connection, settings: Settings, finding: str, words: str
) -> None:
    """Said of the model that is set, once it was tried; before that, and of others, nothing is."""
    chosen = settings.model_copy(update={"llm_model": "seer"})
    connection.execute(
        """insert into model_presets (preset, model, server, answer_format, finding)
            values ('p', 'seer', 's', 'none', %s)""",
        (finding,),
    )
    (found,) = model.answer_format(connection, chosen)
    assert found.is_well
    assert words in found.said
    assert list(model.answer_format(connection, settings)) == []

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.evaluation import letters
from tests.evaluation.letters import GOOD, KIND, STRICT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mnemo_assets.database import Connection
    from tests.cli.conftest import Ended
    from tests.endpoints import Stub

    Run = Callable[..., Ended]


@pytest.fixture
def stub(connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """The letters, and the settings of their endpoint."""
    letters.letters(connection, tmp_path)
    with letters.endpoint() as stub:
        monkeypatch.setenv("MNEMO_LLM_URL", stub.url)
        monkeypatch.setenv("MNEMO_LLM_RESPONSE_FORMAT", "json_schema")
        yield stub


def test_the_report(run: Run, stub: Stub) -> None:
    """It is printed as Markdown; as JSON it is one object with the same recipes."""
    first = run("bakeoff", "--models", GOOD, "--judges", f"{STRICT},{KIND}", "--documents", "3")
    assert first.code == 0
    assert first.out.startswith("# Bake-off\n\n3 of 4 documents")
    assert f"| `llm:{GOOD}` | " in first.out
    asked = len(stub.completions)
    said = run(
        "bakeoff", "--models", GOOD, "--judges", f"{STRICT}, {KIND}", "--documents", "3", "--json"
    ).said
    assert [judge["model"] for judge in said["judges"]] == [STRICT, KIND]
    assert said["recipes"][-1]["recipe"] == f"llm:{GOOD}"
    assert len(stub.completions) == asked


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--models", GOOD], "--judges"),
        (["--judges", GOOD], "two judges"),
        (["--judges", f"{GOOD},{KIND}"], "of the family qwen"),
        (["--judges", f"{STRICT},{KIND}", "--models", "a b"], "named as their endpoint calls them"),
        (["--judges", f"{STRICT},{KIND}", "--documents", "0"], "--documents"),
    ],
)
def test_refusals(run: Run, stub: Stub, arguments: list[str], what: str) -> None:
    """What the command does not take ends it with 2, and nothing is asked."""
    ended = run("bakeoff", *arguments)
    assert ended.code == 2
    assert what in ended.err
    assert stub.completions == []


def test_the_endpoint_is_down(run: Run, stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 3, before anything is extracted."""
    monkeypatch.setenv("MNEMO_LLM_URL", "http://127.0.0.1:9/v1")
    ended = run("bakeoff", "--models", GOOD, "--judges", f"{STRICT},{KIND}", "--json")
    assert (ended.code, ended.said["error"]) == (3, "EndpointDownError")
    assert stub.completions == []

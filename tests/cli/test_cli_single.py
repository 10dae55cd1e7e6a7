from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mnemo_assets import postgres

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Ended

    Run = Callable[..., Ended]

SAMPLE = Path(__file__).parents[1] / "archive"


@pytest.fixture(autouse=True)
def _no_database(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """These commands never ask for the server."""
    del run  # its database is made first

    def refuse(*_arguments: object, **_options: object) -> Path:
        raise AssertionError

    monkeypatch.setattr(postgres, "ensure", refuse)


def test_text_prints_the_text(run: Run) -> None:
    """The text of one file, as it is and as JSON."""
    ended = run("text", SAMPLE / "web" / "clinic.html")
    assert ended.code == 0
    assert "Dr Helena Brandt works for Rivermead Clinic since 3 January 2015." in ended.out
    said = run("text", SAMPLE / "web" / "clinic.html", "--json").said
    assert said["text"] == ended.out
    assert (said["metadata"]["title"], said["pages"], said["page_starts"]) == ("Rivermead Clinic", 1, [0])


def test_pages_are_apart(run: Run) -> None:
    """A form feed stands before each page but the first, where page_starts says."""
    said = run("text", SAMPLE / "insurance" / "policy.pdf", "--json").said
    assert said["pages"] == 2
    second = said["page_starts"][1]
    assert said["text"][second - 1] == "\f"
    assert said["text"][second:].startswith("What is not covered")


def test_the_rules_of_an_archive_do_not_apply(run: Run) -> None:
    """What the owner names is read, whatever it is called."""
    assert "Nordwind" in run("text", SAMPLE / "Passwords" / "tax.pdf").out


@pytest.mark.parametrize(
    ("name", "error", "code"),
    [
        ("tax/return 2020.pdf", "Encrypted", 1),
        ("tax/return 2019.pdf", "Corrupt", 1),
        ("vault.kdbx", "Unsupported", 1),
        ("nowhere.txt", "NotFoundError", 2),
        ("letters", "UsageError", 2),
    ],
)
def test_what_cannot_be_read_has_a_class(run: Run, name: str, error: str, code: int) -> None:
    """Each file that has no text says which kind it is, in its exit code, its line and its object."""
    ended = run("text", SAMPLE / name, "--json")
    assert (ended.code, ended.said["error"]) == (code, error)
    assert ended.err.startswith(f"{error}: ")


def test_what_has_no_text_says_so(run: Run, tmp_path: Path) -> None:
    """A blank document is read, and printed as nothing: why stands on standard error, with its class."""
    (tmp_path / "blank.txt").write_text(" \n\n")
    for more in ([], ["--json"]):
        ended = run("text", tmp_path / "blank.txt", *more)
        assert ended.code == 0
        assert ended.err == "Empty: There is nothing in the file but blank space.\n"
    assert ended.said["text"].strip() == ""
    assert run("text", SAMPLE / "web" / "clinic.html").err == ""


def test_a_pipe_does_not_make_it_wait(run: Run, tmp_path: Path) -> None:
    """A FIFO that nobody writes to is refused at once."""
    os.mkfifo(tmp_path / "pipe.txt")
    assert run("text", tmp_path / "pipe.txt").code == 2


def test_extract_turns_lines_into_lines(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text in is its entities and relations out, with offsets into that text."""
    text = "Dear Ms Lind,\n\nEva Lind works for Birch Tools Ltd in Leeds.\n"
    lines = [json.dumps({"id": "a", "text": text}), json.dumps({"id": 2, "text": ""})]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    ended = run("extract", "--extractor", "patterns")
    assert ended.code == 0
    first, second = ended.lines
    assert second == {"id": 2, "entities": [], "relations": []}
    assert first["id"] == "a"
    assert {"Eva Lind", "Birch Tools Ltd"} <= {entity["name"] for entity in first["entities"]}
    assert all(text[one["start"] : one["end"]] == one["name"] for one in first["entities"])
    (relation,) = first["relations"]
    assert text[relation["start"] : relation["end"]] == "Eva Lind works for Birch Tools Ltd in Leeds."


def test_an_unknown_recipe_is_refused(run: Run) -> None:
    """A recipe that there is not is a wrong call, which names those that there are."""
    ended = run("extract", "--extractor", "magic", "--json")
    assert ended.code == 2
    assert ended.said["error"] == "RecipeError"
    assert "patterns" in ended.said["message"]

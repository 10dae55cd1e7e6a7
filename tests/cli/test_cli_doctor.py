from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_assets import postgres
from mnemo_assets.errors import PostgresError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from mnemo_assets.settings import Settings
    from tests.cli.conftest import Ended

    Run = Callable[..., Ended]


def test_doctor_says_that_all_is_well(run: Run, papers: Path, settings: Settings) -> None:
    """Code 0, a line a finding, one compact object; it names no file, and no value of a setting."""
    run("sync", papers, "--name", "Lind")
    ended = run("doctor")
    assert ended.code == 0, ended.out
    assert ended.out.splitlines()[-1] == "All that is needed works."
    assert "MNEMO_EXTRACTOR, MNEMO_HOME, MNEMO_WORKERS" in ended.out
    for name in (str(papers), papers.name, "Lind", "letter", "Birch", str(settings.home)):
        assert name not in ended.out
    ended = run("doctor", "--json")
    assert ended.out.count("\n") == 1
    assert ended.said["ok"] is True
    assert {"area": "archives", "name": "archive 1", "state": "ok"}.items() <= next(
        one.items() for one in ended.said["findings"] if one["area"] == "archives"
    )


def test_doctor_works_where_postgres_does_not(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code 1, and what to do, below the line that says what is broken."""

    def fail(_home: Path, **_options: object) -> Path:
        raise PostgresError("The disk is full. Free some space, then try again.")

    monkeypatch.setattr(postgres, "ensure", fail)
    ended = run("doctor")
    assert ended.code == 1
    assert "broken   postgres: the server" in ended.out
    assert "-> The disk is full. Free some space, then try again." in ended.out
    assert ended.out.splitlines()[-1] == "Something that is needed does not work."
    assert (run("doctor", "--json").code, run("doctor", "--json").said["ok"]) == (1, False)


def test_doctor_finds_a_wrong_setting(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting that cannot be read is a finding like any other."""
    monkeypatch.setenv("MNEMO_WORKERS", "canary")
    ended = run("doctor", "--json")
    assert ended.code == 1
    (finding,) = ended.said["findings"]
    assert (finding["state"], finding["said"]) == ("broken", "SettingsError")
    assert "canary" not in ended.out + ended.err

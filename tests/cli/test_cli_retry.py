from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Ended

    Run = Callable[..., Ended]


def test_retry_tries_what_failed_once_more(run: Run, papers: Path) -> None:
    """A document that failed is read again, and fails again without being a new failure."""
    run("sync", papers)
    ended = run("retry", "--json")
    assert ended.code == 0
    assert ended.said["did"]["read"] == 1
    assert ended.said["documents"]["failed"] == 1


def test_retry_takes_a_choice(run: Run, papers: Path) -> None:
    """A class or a stage chooses; what is not chosen is left alone."""
    run("sync", papers)
    assert run("retry", "--class", "Tabular", "--json").said["did"]["read"] == 0
    assert run("retry", "--class", "Corrupt", "--json").said["did"]["read"] == 1
    assert run("retry", "--stage", "failed", "--json").said["did"]["read"] == 1


def test_force_takes_in_what_a_gate_keeps_out(run: Run, papers: Path) -> None:
    """A table is skipped with its reason, and the owner's word takes it in for good."""
    rows = "".join(f"Birch Tools Ltd;card;{n:06};paid\n" for n in range(400))
    (papers / "statement.csv").write_text(rows)
    skipped = run("sync", papers, "--json").said
    assert skipped["errors"] == {"Corrupt": 1, "Tabular": 1}
    failures = [json.loads(line) for line in run("failures", "--json").out.splitlines()]
    (sha,) = [row["sha256"] for row in failures if row.get("error_class") == "Tabular"]
    forced = run("retry", "--force", sha[:12], "--json").said
    assert forced["errors"] == {"Corrupt": 1}
    assert forced["documents"]["graphed"] == skipped["documents"]["graphed"] + 1
    assert run("sync", "--json").said["did"]["read"] == 0


def test_force_wants_a_choice(run: Run) -> None:
    """Nobody opens every gate at once by a word."""
    assert run("retry", "--force").code == 2


def test_a_choice_must_be_one_that_there_is(run: Run, papers: Path) -> None:
    """An unknown sha256, stage or class is a wrong call."""
    run("sync", papers)
    assert run("retry", "ffff").code == 2
    assert run("retry", "--stage", "finished").code == 2
    assert run("retry", "--class", "Boring").code == 2

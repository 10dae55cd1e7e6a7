"""The command line in this process, on the test's own database."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets.cli import mnemo, outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mnemo_assets.settings import Settings


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> Any:
        """The object in its last line."""
        return json.loads(self.out.splitlines()[-1])

    @property
    def lines(self) -> list[Any]:
        """The objects in its lines."""
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Ended]]:
    """`run("status", "--json")` is the command, with the recipe that needs no model."""
    monkeypatch.setenv("MNEMO_HOME", str(settings.home))
    monkeypatch.setenv("MNEMO_EXTRACTOR", "patterns")
    monkeypatch.setenv("MNEMO_WORKERS", "2")
    mask = os.umask(0o077)

    def call(*arguments: str | Path) -> Ended:
        capsys.readouterr()
        code = outcome.run(mnemo, [str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    yield call
    os.umask(mask)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A tiny archive: three files that can be read, one secret, one that cannot be read."""
    folder = tmp_path / "papers"
    (folder / "Passwords").mkdir(parents=True)
    (folder / "letter.txt").write_text("Dear Ms Lind,\n\nEva Lind works for Birch Tools Ltd in Leeds.\n")
    (folder / "note.md").write_text("Birch Tools Ltd was paid on 4 March 2021.\n")
    (folder / "copy.md").write_text("Birch Tools Ltd was paid on 4 March 2021.\n")
    (folder / "Passwords" / "list.txt").write_text("Eva Lind\n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\n\x00\xff")
    return folder

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import tqdm.std

from mnemo_assets.cli.output import bars

if TYPE_CHECKING:
    import pytest


class Terminal(io.StringIO):
    """What somebody looks at."""

    def isatty(self) -> bool:
        """Whether it is a terminal: it is."""
        return True

    def shown(self) -> str:
        """The line as it stands now."""
        return self.getvalue().rstrip("\r").rpartition("\r")[2]


def test_the_bar_of_mining(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents an hour are said once that means something; a call with the same count moves the clock."""
    clock = [1000.0]
    terminal = Terminal()
    monkeypatch.setattr(tqdm.std, "time", lambda: clock[0])
    monkeypatch.setattr(sys, "stderr", terminal)
    with bars() as on_progress:
        on_progress("mine", 0, 8)
        clock[0] += 2
        on_progress("mine", 1, 8)
        assert "1/8 [00:02" in terminal.shown()
        clock[0] += 7
        on_progress("mine", 1, 8)
        assert "1/8 [00:09" in terminal.shown()
        assert "an hour" not in terminal.shown()
        clock[0] += 11
        on_progress("mine", 1, 8)
        assert "1/8 [00:20" in terminal.shown()
        assert "180 documents an hour" in terminal.shown()
    assert terminal.getvalue().count("\n") == 1  # one bar for the step

"""One program that is kept running: started, started again when it ends, ended with all that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from mnemo_assets.up import keeper

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mnemo_assets.up.ward import Ward

State = Literal["starting", "ready", "waiting", "ended"]

#: Seconds before it is started again: the first, and the last, times.
FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 30.0
#: Seconds of being ready, after which earlier ends are forgotten.
SETTLED: Final = 120.0
#: Ends in a row after which it is given up.
PATIENCE: Final = 6
#: Bytes of a log: it is emptied when it grows beyond.
LOG_BYTES: Final = 1 << 20


class GivenUpError(Exception):
    """A program ends again and again; the message says which, and how it ended last."""


@dataclass(slots=True)
class Child:
    """A program and its present process.

    Attributes:
        name: what people read, and the name of its log.
        words: the program and its arguments.
        is_ready: whether it answers; asked again and again.
        before: called before it is started again after it ended.
    """

    name: str
    words: tuple[str, ...]
    is_ready: Callable[[], bool]
    before: Callable[[], None] = lambda: None
    state: State = "ended"
    process: subprocess.Popen[bytes] | None = None
    ends: int = 0
    since: float = 0.0
    reason: str = ""

    def start(self, home: Path, environment: Mapping[str, str], ward: Ward) -> None:
        """Start it, in a process group of its own that the ward knows of."""
        self.process = spawn(self.words, self.log(home), home, environment)
        ward.add(self.process.pid)
        self._become("starting")

    def log(self, home: Path) -> Path:
        """Where what it prints goes."""
        return home / "log" / f"{self.name.replace(' ', '-')}.log"

    def look(self, ward: Ward) -> bool:
        """See how it is; returns whether its state changed.

        Raises:
            GivenUpError: it ended once too often.
        """
        before = self.state
        if self.process is not None and (code := self.process.poll()) is not None:
            self._ended(code, ward)
        elif self.state == "starting" and self.is_ready():
            self._become("ready")
        elif self.state == "ready" and time.monotonic() > self.since + SETTLED:
            self.ends = 0
        return self.state != before

    def is_due(self) -> bool:
        """Whether it ended, and is to be started again now."""
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** max(0, self.ends - 1))
        return self.state == "waiting" and time.monotonic() >= self.since + pause

    def _ended(self, code: int, ward: Ward) -> None:
        assert self.process is not None
        group, self.process = self.process.pid, None
        keeper.end({group}, grace=2.0)  # what it started must not go on beside its successor
        ward.discard(group)
        self.reason = ending(code)
        self.postpone()

    def postpone(self) -> None:
        """It ended, or could not be started: later.

        Raises:
            GivenUpError: once too often.
        """
        self.ends += 1
        self._become("waiting")
        if self.ends >= PATIENCE:
            raise GivenUpError(f"The {self.name} ended {self.ends} times, at last {self.reason}.")

    def _become(self, state: State) -> None:
        self.state, self.since = state, time.monotonic()


def spawn(
    words: tuple[str, ...],
    log: Path | None,
    home: Path,
    environment: Mapping[str, str],
    *,
    said: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program that ends with this process, in a session of its own, what it prints in its log.

    Args:
        words: an absolute path, and arguments.
        log: appended to; None throws away what it prints.
        home: DAGSTER_HOME, in which it works.
        environment: all of it.
        said: instead of the log takes standard output, such as subprocess.PIPE.
    """
    shorten(log)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    out = os.open(os.devnull if log is None else log, flags, 0o600)
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, str(os.getpid()), *words],
            stdin=subprocess.DEVNULL,
            stdout=out if said is None else said,
            stderr=out,
            cwd=home,
            env=dict(environment),
            start_new_session=True,
        )
    finally:
        os.close(out)


def shorten(log: Path | None) -> None:
    """Empty a log that has grown too long: it is there to find out why a program does not start."""
    if log is not None:
        with contextlib.suppress(OSError):
            if log.stat().st_size > LOG_BYTES:
                os.truncate(log, 0)


def ending(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"

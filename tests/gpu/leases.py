"""What tests of the lease share: a row as it stands, a driver that is none, a process that has a lease."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from mnemo_assets import database, postgres

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

T = TypeVar("T")
#: Seconds after which a test gives up waiting.
PATIENCE = 60.0

#: Has a lease until it is told to go on; says its token, and how its commit ended. It finds the test's data.
CHILD = """
import sys
from pathlib import Path
from mnemo_assets import database, gpu, postgres
from mnemo_assets.errors import LeaseHeldError, LeaseLostError
from mnemo_assets.settings import Settings

database.DATABASE = sys.argv[1]
postgres.ensure = lambda _home, **_options: Path(sys.argv[2])

class Driver:
    name = "recorded"
    def load(self): pass
    def renew(self): pass
    def is_loaded(self): return None
    def release(self): print("released", flush=True)

settings = Settings(home=Path(sys.argv[3]), gpu_renew_seconds=int(sys.argv[4]))
with database.connect(settings) as connection:
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        with gpu.leased(settings, "small", gpu.tag("mine"), driver=Driver()) as lease:
            print(lease.token, flush=True)
            sys.stdin.readline()
            with connection.transaction():
                lease.hold(connection)
                connection.execute("insert into model_presets values ('p', 'm', 's', 'none', 'silent')")
            print("committed", flush=True)
    except (LeaseHeldError, LeaseLostError) as error:
        print(type(error).__name__, flush=True)
"""


def until(condition: Callable[[], T], what: str) -> T:
    """Ask again and again, until the answer is true; returns it."""
    end = time.monotonic() + PATIENCE
    while not (answer := condition()):
        if time.monotonic() > end:
            pytest.fail(f"waited in vain until {what}")
        time.sleep(0.02)
    return answer


def row(connection: Connection, preset: str = "small") -> dict[str, Any]:
    """A preset's row."""
    found = connection.execute("select * from gpu_leases where preset = %s", [preset]).fetchone()
    assert found is not None
    return found


def expire(connection: Connection) -> None:
    """As if no lease had been renewed for long."""
    connection.execute("update gpu_leases set expires_at = clock_timestamp() - interval '1 second'")


class Child:
    """A process that wants the lease of `small`."""

    def __init__(self, settings: Settings, renew: int = 300) -> None:
        socket = str(postgres.ensure(settings.home))
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD, database.DATABASE, socket, str(settings.home), str(renew)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._is_ready = False

    def said(self) -> str:
        """The next line."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def goes_on(self) -> None:
        """Let it take the next step."""
        assert self.process.stdin is not None
        if not self._is_ready:
            assert self.said() == "ready"
            self._is_ready = True
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self) -> None:
        """Kill it, if it is still there."""
        self.process.kill()
        self.process.communicate()


@dataclass
class Recorded:
    """A driver of no server: what was asked of it, and what it raises."""

    loaded: bool | None = True
    fails: dict[str, Exception] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    name: str = "recorded"

    def load(self) -> None:
        """Be loaded."""
        self._do("load")
        self.loaded = True

    def renew(self) -> None:
        """Be kept."""
        self._do("renew")

    def is_loaded(self) -> bool | None:
        """As it was set."""
        return self.loaded

    def release(self) -> None:
        """Be let go of."""
        self._do("release")

    def _do(self, what: str) -> None:
        self.asked.append(what)
        if what in self.fails:
            raise self.fails[what]

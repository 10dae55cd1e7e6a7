"""Processes that want the same preset: killed, stopped, told to end, and all at once."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from mnemo_assets import gpu
from tests.gpu.leases import Child, expire, row, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings


@pytest.fixture
def child(settings: Settings) -> Iterator[Callable[[], Child]]:
    """Starts processes, and ends them."""
    started: list[Child] = []

    def start() -> Child:
        started.append(Child(settings))
        return started[-1]

    yield start
    for each in started:
        each.end()


def owner(start: Callable[[], Child]) -> Child:
    """A process that has the lease."""
    one = start()
    one.goes_on()
    assert one.said() == "1"
    return one


def test_a_killed_owners_lease_is_free_at_once(
    connection: Connection, settings: Settings, child: Callable[[], Child]
) -> None:
    """After kill -9 the row is as it was, and its lock is gone: another has it, before it expires."""
    one = owner(child)
    assert gpu.holder(connection, "small") == row(connection)["owner_tag"]
    one.process.kill()
    one.process.wait()
    until(lambda: gpu.holder(connection, "small") is None, "the lease is free")
    found = row(connection)
    assert found["owner_tag"].endswith(f"process {one.process.pid}")
    unexpired = connection.execute("select from gpu_leases where expires_at > now()").fetchall()
    assert len(unexpired) == 1
    with gpu.leased(settings, "small", "mnemo mine, castle, process 7") as lease:
        assert lease.token == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_an_owner_that_is_told_to_end_gives_it_back(
    connection: Connection, child: Callable[[], Child], number: signal.Signals
) -> None:
    """It unwinds: the preset is let go of, the row is free, and it ends by the signal's code."""
    one = owner(child)
    one.process.send_signal(number)
    assert one.said() == "released"
    assert one.process.wait(60) in {128 + number, -number}
    assert row(connection)["owner_tag"] is None


def test_an_owner_that_slept_commits_nothing(
    connection: Connection, settings: Settings, child: Callable[[], Child]
) -> None:
    """A process that was stopped for longer than its lease wakes, believes it has it, and is refused."""
    one = owner(child)
    one.process.send_signal(signal.SIGSTOP)
    expire(connection)
    with gpu.leased(settings, "small", "mnemo mine, castle, process 7") as lease:
        assert lease.token == 2
        one.goes_on()
        one.process.send_signal(signal.SIGCONT)
        assert one.said() == "LeaseLostError"
        assert one.process.wait(60) == 0
        lease.check()
    assert connection.execute("select from model_presets").fetchall() == []


def test_an_owner_that_has_it_commits(connection: Connection, child: Callable[[], Child]) -> None:
    """What the one before is refused, who has the lease may do."""
    one = owner(child)
    one.goes_on()
    assert (one.said(), one.said()) == ("committed", "released")
    assert one.process.wait(60) == 0
    assert len(connection.execute("select from model_presets").fetchall()) == 1


def test_of_many_at_once_one_has_it(connection: Connection, child: Callable[[], Child]) -> None:
    """Each time that the lease is free, exactly one of those who want it gets it: also a killed one's."""
    dead: Child | None = None
    for token in ("1", "2", "3"):
        rivals = [child() for _ in range(3)]
        if dead is not None:
            dead.process.kill()
            dead.process.wait()
            until(lambda: gpu.holder(connection, "small") is None, "the lease is free")
        for rival in rivals:
            rival.goes_on()
        said = [rival.said() for rival in rivals]
        assert sorted(said) == sorted([token, *["LeaseHeldError"] * 2])
        dead = rivals[said.index(token)]

"""One owner a preset: taken, renewed, lost, and free again."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.pq import TransactionStatus

from mnemo_assets import database, gpu
from mnemo_assets.database.embedded import Embedded
from mnemo_assets.errors import EndpointDownError, LeaseHeldError, LeaseLostError, NoReplyError
from mnemo_assets.gpu import lease as leases
from mnemo_assets.gpu import rows
from tests.gpu.leases import Recorded, expire, row, until

if TYPE_CHECKING:
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

US, THEM = "mnemo mine, castle, process 7", "mnemo mine, tower, process 8"


@pytest.fixture
def quick(settings: Settings) -> Settings:
    """Renewed every second."""
    return settings.model_copy(update={"gpu_renew_seconds": 1})


def is_lost(lease: gpu.Lease) -> bool:
    try:
        lease.check()
    except LeaseLostError:
        return True
    return False


def test_a_lease_is_a_row(connection: Connection, settings: Settings) -> None:
    """It says who, since when and until when; afterwards it is free, and its token stays."""
    with gpu.leased(settings, "small", US) as lease:
        lease.check()
        found = row(connection)
        assert (found["owner_tag"], found["token"], lease.token) == (US, 1, 1)
        assert found["expires_at"] - found["renewed_at"] == timedelta(seconds=900)
        assert gpu.holder(connection, "small") == US
        (one,) = gpu.holders(connection)
        assert one == gpu.Holder("small", US, found["acquired_at"])
    found = row(connection)
    freed = [found[name] for name in ("owner_tag", "lock_number", "expires_at", "token")]
    assert freed == [None, None, None, 1]
    assert gpu.holder(connection, "small") is None


def test_a_tag_says_program_host_and_process() -> None:
    """And no user and no path."""
    assert gpu.tag("mine") == f"mnemo mine, {socket.gethostname()}, process {os.getpid()}"


def test_a_second_owner_is_refused(connection: Connection, settings: Settings) -> None:
    """By the tag of the first, at once; another preset is another lease."""
    with gpu.leased(settings, "small", US):
        with pytest.raises(LeaseHeldError, match=f"{US} has its lease"), gpu.leased(settings, "small", THEM):
            pass
        with gpu.leased(settings, "large", THEM):
            assert [one.tag for one in gpu.holders(connection)] == [THEM, US]


def test_each_owner_has_a_higher_token(settings: Settings) -> None:
    """Whoever has a lower one lost it."""
    tokens = []
    for _ in range(3):
        with gpu.leased(settings, "small", US) as lease:
            tokens.append(lease.token)
    assert tokens == [1, 2, 3]


def test_waiting_ends_when_the_lease_is_free(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second owner that may wait has it as soon as the first has ended."""
    monkeypatch.setattr(leases, "AGAIN", 0.01)
    waiting = threading.Event()
    tokens: list[int] = []

    def stops() -> bool:
        waiting.set()
        return False

    def wait() -> None:
        chosen = settings.model_copy(update={"gpu_wait_seconds": 600})
        with gpu.leased(chosen, "small", THEM, stop=stops) as lease:
            tokens.append(lease.token)

    thread = threading.Thread(target=wait)
    with gpu.leased(settings, "small", US):
        thread.start()
        assert waiting.wait(60)
        assert tokens == []
    thread.join(60)
    assert tokens == [2]


def test_waiting_can_be_stopped(settings: Settings) -> None:
    """Whoever is told to stop waits no longer."""
    chosen = settings.model_copy(update={"gpu_wait_seconds": 600})
    with (
        gpu.leased(settings, "small", US),
        pytest.raises(LeaseHeldError),
        gpu.leased(chosen, "small", THEM, stop=lambda: True),
    ):
        pass


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit, LeaseLostError])
def test_however_it_ends_it_is_free(
    connection: Connection, settings: Settings, error: type[BaseException]
) -> None:
    """An error, Ctrl-C or the end of the program gives it back."""
    with suppress(error), gpu.leased(settings, "small", US):
        raise error
    assert row(connection)["owner_tag"] is None


def test_it_is_renewed(connection: Connection, quick: Settings) -> None:
    """By a thread of its own, again and again; it has the same token, and stands."""
    with gpu.leased(quick, "small", US) as lease:
        first = row(connection)
        for _ in range(2):
            before = row(connection)["renewed_at"]
            until(lambda before=before: row(connection)["renewed_at"] > before, "it is renewed")  # type: ignore[misc]
        last = row(connection)
        assert last["expires_at"] - last["renewed_at"] == timedelta(seconds=3)
        assert (last["token"], last["acquired_at"]) == (first["token"], first["acquired_at"])
        lease.check()


def test_an_expired_lease_is_anybodys(connection: Connection, settings: Settings) -> None:
    """Its owner, who is there and did not know, can commit nothing after that."""
    with gpu.leased(settings, "small", US) as old:
        expire(connection)
        assert gpu.holder(connection, "small") is None
        with gpu.leased(settings, "small", THEM) as new:
            assert (old.token, new.token) == (1, 2)
            with connection.transaction():
                new.hold(connection)
            with pytest.raises(LeaseLostError), connection.transaction():
                old.hold(connection)
            assert is_lost(old)
    assert row(connection)["owner_tag"] is None


def test_an_old_owner_gives_nothing_back(connection: Connection, settings: Settings) -> None:
    """The end of who lost the lease leaves the new owner's as it is."""
    with gpu.leased(settings, "small", US):
        expire(connection)
        theirs = gpu.leased(settings, "small", THEM)
        new = theirs.__enter__()
    assert row(connection)["owner_tag"] == THEM
    new.check()
    theirs.__exit__(None, None, None)


def test_a_stolen_lease_is_noticed_by_its_renewal(connection: Connection, quick: Settings) -> None:
    """No request is made after that."""
    with gpu.leased(quick, "small", US) as old:
        expire(connection)
        with gpu.leased(quick, "small", THEM):
            until(lambda: is_lost(old), "the loss is noticed")
            with pytest.raises(LeaseLostError):
                old.check()


def test_a_lost_session_is_noticed_at_once(connection: Connection, settings: Settings) -> None:
    """A session that the server ended has no lease: now, and not at its next renewal; anybody may have it."""
    with gpu.leased(settings, "small", US) as lease:
        pid = lease._connection.info.backend_pid
        connection.execute("select pg_terminate_backend(%s, 10000)", [pid])
        until(lambda: is_lost(lease), "the loss is noticed")
        assert gpu.holder(connection, "small") is None
        with gpu.leased(settings, "small", THEM) as new:
            new.check()
        with pytest.raises(LeaseLostError), connection.transaction():
            lease.hold(connection)


def test_a_lease_that_must_be_over_is_over(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who slept for longer than the lease stands knows so without asking; the machine's sleep counts."""
    with gpu.leased(settings, "small", US) as lease:
        lease.check()
        now = leases._now
        monkeypatch.setattr(leases, "_now", lambda: now() + 899)
        lease.check()
        monkeypatch.setattr(leases, "_now", lambda: now() + 900)
        assert is_lost(lease)


def test_a_renewal_that_fails_is_tried_again(
    connection: Connection, quick: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk at one renewal loses nothing: a lease outlives two that fail."""
    renew, failed = rows.renew, threading.Event()

    def fail_once(link: Connection, preset: str, token: int, time: timedelta) -> bool:
        if not failed.is_set():
            failed.set()
            raise psycopg.errors.DiskFull
        return renew(link, preset, token, time)

    monkeypatch.setattr(rows, "renew", fail_once)
    with gpu.leased(quick, "small", US) as lease:
        first = row(connection)["renewed_at"]
        until(lambda: row(connection)["renewed_at"] > first, "it is renewed")
        assert failed.is_set()
        lease.check()


def test_a_commit_keeps_the_lease_from_changing_hands(connection: Connection, settings: Settings) -> None:
    """Whoever would take an expired lease waits for the commit that holds it."""
    taken = threading.Event()

    def take() -> None:
        with gpu.leased(settings, "small", THEM):
            taken.set()

    thread = threading.Thread(target=take)
    with gpu.leased(settings, "small", US) as lease:
        expire(connection)
        with connection.transaction():
            lease.hold(connection)
            thread.start()
            with database.connect(settings) as other:
                until(lambda: waiting(other), "the thief waits")
            assert not taken.is_set()
        assert taken.wait(60)
    thread.join(60)


def waiting(connection: Connection) -> object:
    """Whether a session of this database waits for a row."""
    return connection.execute(
        "select pid from pg_locks where locktype in ('transactionid', 'tuple') and not granted"
    ).fetchone()


def test_an_end_waits_for_no_server(
    connection: Connection, quick: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A renewal that the server does not answer is cut off; the session is over, and with it the lease."""
    monkeypatch.setattr(leases, "ENDING", 0.05)
    with database.connect(quick) as other, connection.transaction():
        with gpu.leased(quick, "small", US):
            connection.execute("select from gpu_leases for update")
            until(lambda: waiting(other), "the renewal waits")
            assert gpu.holder(other, "small") == US
        until(lambda: gpu.holder(other, "small") is None, "the session is over")
        assert (
            connection.info.transaction_status is TransactionStatus.INTRANS
        )  # the row was held all the while


def test_reaping_frees_what_is_lost(connection: Connection, settings: Settings) -> None:
    """Expired leases, and those whose session is gone, and no others."""
    assert gpu.reap(connection) == 0
    with (
        gpu.leased(settings, "expired", US),
        gpu.leased(settings, "gone", US) as gone,
        gpu.leased(settings, "well", US) as well,
    ):
        assert gpu.reap(connection) == 0
        connection.execute("update gpu_leases set expires_at = now() where preset = 'expired'")
        pid = gone._connection.info.backend_pid
        connection.execute("select pg_terminate_backend(%s, 10000)", [pid])
        assert gpu.reap(connection) == 2
        assert gpu.reap(connection) == 0
        assert [one.preset for one in gpu.holders(connection)] == ["well"]
        well.check()
        with pytest.raises(LeaseLostError), connection.transaction():
            gone.hold(connection)


def test_an_owner_in_another_database_is_none_here(connection: Connection, settings: Settings) -> None:
    """A lock of the same number in another database of the server keeps no lease."""
    with Embedded(settings.home, "mnemo", "dagster").open("owner") as elsewhere:
        elsewhere.execute(rows.Q["try_number"], {"number": 4711})
        connection.execute(
            """insert into gpu_leases (preset, owner_tag, lock_number, expires_at)
            values ('small', 'them', 4711, now() + interval '1 hour')"""
        )
        with gpu.leased(settings, "small", US) as lease:
            assert lease.token == 1


def test_the_preset_is_loaded_while_the_lease_stands(settings: Settings) -> None:
    """It is loaded before the work, and let go of after it."""
    driver = Recorded(loaded=False)
    with gpu.leased(settings, "small", US, driver=driver) as lease:
        assert driver.asked == ["load"]
        assert lease.restore() is False
        driver.loaded = False
        assert lease.restore() is True
        driver.loaded = None
        assert lease.restore() is False
    assert driver.asked == ["load", "load", "release"]


def test_without_a_driver_there_is_nothing_to_restore(settings: Settings) -> None:
    """The server looks after its models itself."""
    with gpu.leased(settings, "small", US) as lease:
        assert lease.restore() is False


def test_a_preset_that_cannot_be_loaded(connection: Connection, settings: Settings) -> None:
    """The lease is free again, and the error is the driver's."""
    driver = Recorded(fails={"load": EndpointDownError("no")})
    with pytest.raises(EndpointDownError), gpu.leased(settings, "small", US, driver=driver):
        pytest.fail("it is not loaded")
    assert driver.asked == ["load", "release"]
    assert row(connection)["owner_tag"] is None


def test_what_a_new_owner_has_is_not_unloaded(connection: Connection, settings: Settings) -> None:
    """Who lost the lease leaves the preset as it is, and loads it no more."""
    driver = Recorded()
    with gpu.leased(settings, "small", US, driver=driver) as lease:
        expire(connection)
        with (
            gpu.leased(settings, "small", THEM),
            pytest.raises(LeaseLostError),
            connection.transaction(),
        ):
            lease.hold(connection)
        with pytest.raises(LeaseLostError):
            lease.restore()
    assert driver.asked == ["load"]


def test_a_driver_is_renewed_and_may_fail(
    connection: Connection, quick: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """A server that does not answer costs no lease; what is logged is a class, and no word of an error's."""
    driver = Recorded(fails={"renew": NoReplyError("canary"), "release": NoReplyError("canary")})
    with gpu.leased(quick, "small", US, driver=driver) as lease:
        until(lambda: driver.asked.count("renew") > 1, "the preset is renewed twice")
        lease.check()
    assert driver.asked[-1] == "release"
    assert "the preset was not renewed: NoReplyError" in caplog.text
    assert "the preset was not released: NoReplyError" in caplog.text
    assert "canary" not in caplog.text
    assert row(connection)["owner_tag"] is None


def test_a_proxy_that_gave_the_preset_away_ends_the_lease(quick: Settings) -> None:
    """Its word counts as much as the row's."""
    driver = Recorded(fails={"renew": LeaseLostError("theirs")})
    with gpu.leased(quick, "small", US, driver=driver) as lease:
        until(lambda: is_lost(lease), "the loss is noticed")
    assert driver.asked == ["load", "renew"]


def test_an_end_waits_for_no_preset(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who leaves while a dropped preset is loaded again, which may take minutes, is gone soon."""
    monkeypatch.setattr(leases, "ENDING", 0.05)
    loading, left = threading.Event(), threading.Event()

    class Slow(Recorded):
        def load(self) -> None:
            super().load()
            if len(self.asked) > 1:
                loading.set()
                left.wait(20)

    driver = Slow()
    with gpu.leased(settings, "small", US, driver=driver) as lease:
        driver.loaded = False
        again = [threading.Thread(target=lease.restore) for _ in range(2)]
        for thread in again:
            thread.start()
        assert loading.wait(20)
        driver.loaded = False
    assert all(thread.is_alive() for thread in again)
    left.set()
    for thread in again:
        thread.join(20)
    assert driver.asked == ["load", "load"]

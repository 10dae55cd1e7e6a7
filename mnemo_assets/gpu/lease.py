"""The GPU lease: one owner a preset, over all processes and machines that share the database.

The owner's session holds an advisory lock. A process that is killed loses its session, and its lease is free
at that moment. One that is stopped, or cut off, keeps nobody waiting for longer than three renewals; when it
goes on, its token is not the highest any more, and it can commit nothing.
"""

from __future__ import annotations

import logging
import os
import selectors
import signal
import socket
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import psycopg

from mnemo_assets import database
from mnemo_assets.errors import LeaseHeldError, LeaseLostError, MnemoError
from mnemo_assets.gpu import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mnemo_assets.database import Connection
    from mnemo_assets.gpu.drivers import Driver
    from mnemo_assets.settings import Settings

#: Renewals that a lease outlives: one may fail, and the next one be late.
RENEWALS: Final = 3
#: Seconds between two looks whether a lease that another has is free.
AGAIN: Final = 0.5
#: Seconds that the last statement of a lease may take, before its session is cut off.
ENDING: Final = 10.0
#: Counts the time that the machine sleeps, as the database's clock does.
_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
#: By which a program is asked to end, and would without a word.
_SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))

_log = logging.getLogger("mnemo")


def tag(command: str) -> str:
    """Who wants a lease, as others are told: `mnemo mine, HOST, process PID`. No path, no user."""
    return f"mnemo {command}, {socket.gethostname()}, process {os.getpid()}"


class Lease:
    """The right to use a preset, as long as its session lives and it is renewed in time.

    Attributes:
        preset: what is leased.
        token: higher than that of each owner before.
    """

    def __init__(
        self, connection: Connection, preset: str, token: int, every: float, driver: Driver | None
    ) -> None:
        self.preset = preset
        self.token = token
        self._connection = connection  # the renewing thread's own, from `_kept` to its end
        self._every = every
        self._driver = driver
        self._driving = threading.Lock()
        self._ended = threading.Event()
        self._lost = False
        self._leaving = False
        self._until = 0.0

    def check(self) -> None:
        """Whether the lease stands, as far as this process knows: asks nobody.

        Raises:
            LeaseLostError: it was taken, or its session ended, or its time must be over.
        """
        if self._lost or _now() >= self._until:
            raise _lost()

    def hold(self, connection: Connection) -> None:
        """Keep the lease through a commit: call it within the transaction that is to be fenced.

        Raises:
            LeaseLostError: the preset has, or had, another owner: write nothing.
        """
        if not rows.hold(connection, self.preset, self.token):
            self._lost = True
            raise _lost()

    def restore(self) -> bool:
        """Load the preset again, where its server has dropped it; returns whether that was so.

        Raises:
            LeaseLostError: the lease was lost.
            EndpointDownError: it cannot be loaded.
        """
        self.check()
        if self._driver is None:
            return False
        with self._driving:
            self.check()  # another may have had it loaded meanwhile, for a long time
            if self._leaving or self._driver.is_loaded() is not False:
                return False
            self._driver.load()
        return True

    @contextmanager
    def _kept(self, until: float) -> Iterator[None]:
        """Renewed by a thread of its own, and its preset by another, which a slow server may keep waiting."""
        self._until = until
        ours, theirs = socket.socketpair()
        threads = [threading.Thread(target=self._renew, args=(theirs,), name="gpu lease", daemon=True)]
        if self._driver is not None:
            threads.append(threading.Thread(target=self._keep_preset, name="gpu preset", daemon=True))
        with ours, theirs:
            for thread in threads:
                thread.start()
            try:
                yield
            finally:
                self._ended.set()
                ours.send(b".")
                threads[0].join(ENDING)
                if threads[0].is_alive():  # the server does not answer: what it was asked fails now
                    _cut(self._connection)
                for thread in threads:
                    thread.join(ENDING)

    def _renew(self, ended: socket.socket) -> None:
        """Renew until the end, or until the lease is lost; a session that ends is noticed at once."""
        while not self._waits(ended):
            began = _now()
            try:
                if not rows.renew(self._connection, self.preset, self.token, _time(self._every)):
                    break
            except psycopg.Error:
                if self._connection.closed:
                    break
                continue  # a disk that is full, for one: there is time for another try
            self._until = began + RENEWALS * self._every
        else:
            return
        self._lost = True

    def _waits(self, ended: socket.socket) -> bool:
        """Wait for the next renewal; True if there is to be none."""
        with selectors.DefaultSelector() as selector:
            selector.register(ended, selectors.EVENT_READ)
            # nothing was asked: if the server says something all the same, it is mostly that it goes
            selector.register(self._connection.fileno(), selectors.EVENT_READ)
            selector.select(self._every)
        return self._ended.is_set()

    def _keep_preset(self) -> None:
        assert self._driver is not None
        while not self._ended.wait(self._every):
            if self._driving.acquire(blocking=False):  # else it is being loaded
                try:
                    self._driver.renew()
                except LeaseLostError:  # by a proxy that has leases of its own
                    self._lost = True
                except MnemoError as error:
                    _log.warning("the preset was not renewed: %s", type(error).__name__)
                finally:
                    self._driving.release()

    @contextmanager
    def _loaded(self) -> Iterator[None]:
        """With the preset loaded; at the end it is let go of, if the lease still stands."""
        if self._driver is None:
            yield
            return
        try:
            with self._driving:
                self._driver.load()
            yield
        finally:
            self._leaving = True
            if self._driving.acquire(timeout=ENDING):
                try:
                    self._release()
                finally:
                    self._driving.release()
            else:  # it is being loaded, which may take minutes: nobody waits for that any more
                _log.warning("the preset was not released: it was being loaded")

    def _release(self) -> None:
        assert self._driver is not None
        with suppress(LeaseLostError):
            self.check()  # what is loaded may be in use by the next owner
            try:
                self._driver.release()
            except MnemoError as error:
                _log.warning("the preset was not released: %s", type(error).__name__)


@contextmanager
def leased(
    settings: Settings,
    preset: str,
    tag: str,
    *,
    driver: Driver | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Lease]:
    """Have the lease of a preset; it is free again at the end, however that comes.

    In the main thread, a signal that would end the process without a word ends it as an exception does.

    Args:
        settings: whose database, how often to renew, how long to wait.
        preset: what the server of models loads.
        tag: who wants it, as `tag` says it.
        driver: loads and keeps the preset; without one, that is the server's affair.
        stop: whether to wait no longer.

    Raises:
        LeaseHeldError: another has it; the message says who.
        EndpointDownError: the preset cannot be loaded.
        PostgresError: there is no connection for the lease.
    """
    with ExitStack() as stack:
        stack.enter_context(_ending())
        connection = stack.enter_context(closing(database.connect(settings)))
        began, token = _take(connection, settings, preset, tag, stop)
        stack.callback(_give_back, connection, preset, token)
        every = float(settings.gpu_renew_seconds)
        lease = Lease(connection, preset, token, every, driver)
        stack.enter_context(lease._kept(began + RENEWALS * every))  # noqa: SLF001 - the two are one
        stack.enter_context(lease._loaded())  # noqa: SLF001
        yield lease


def _take(
    connection: Connection, settings: Settings, preset: str, tag: str, stop: Callable[[], bool]
) -> tuple[float, int]:
    """When the lease was taken at the earliest, and its token.

    Raises:
        LeaseHeldError: another had it until the end of the wait.
    """
    number = rows.number(connection)
    until = _now() + settings.gpu_wait_seconds
    while True:
        began = _now()
        token = rows.take(connection, preset, tag, number, _time(settings.gpu_renew_seconds))
        if token is not None:
            return began, token
        if began >= until or stop():
            who = rows.holder(connection, preset) or "another program"
            raise LeaseHeldError(
                f"The GPU is in use: {who} has its lease. Wait until it ends, or set MNEMO_GPU_WAIT_SECONDS."
            )
        time.sleep(min(AGAIN, until - began))


def _give_back(connection: Connection, preset: str, token: int) -> None:
    with suppress(psycopg.Error):  # the session is over, and with it the lease
        rows.give_back(connection, preset, token)


def _time(every: float) -> timedelta:
    return timedelta(seconds=RENEWALS * every)


def _now() -> float:
    return time.clock_gettime(_CLOCK)


def _lost() -> LeaseLostError:
    return LeaseLostError(
        "The GPU lease was lost: its time was over, or its session ended. What was done is kept: the same "
        "command goes on."
    )


def _cut(connection: Connection) -> None:
    """End a session's link under a thread that waits for the server: closing alone would wake no one."""
    with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as link:
        link.shutdown(socket.SHUT_RDWR)


@contextmanager
def _ending() -> Iterator[None]:
    """Have signals that nobody handles, and that would end this process at once, unwind it instead."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, _frame: object) -> None:
        for one in ours:
            signal.signal(one, signal.SIG_DFL)  # a second one is meant
        raise SystemExit(128 + number)

    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)

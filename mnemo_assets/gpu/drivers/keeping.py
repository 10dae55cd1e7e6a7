"""What a driver is, and what all share: load and wait, keep, let go of what they loaded themselves."""

from __future__ import annotations

import time
from typing import Any, Final, Literal, Protocol

from mnemo_assets.errors import EndpointDownError, NoReplyError

#: Seconds that a look, or letting go, may take; and asking again for what was dropped: the lease goes on.
LOOKING: Final = 10.0
#: Seconds between two looks at what is loading.
AGAIN: Final = 0.25

#: `None`: it cannot be told.
State = Literal["loaded", "loading", "gone", "failed"] | None


class Answer(Protocol):
    """What a server said."""

    @property
    def status(self) -> int:
        """Of HTTP."""
        ...

    @property
    def said(self) -> object:
        """The JSON; None if it was none."""
        ...


class Identity(Protocol):
    """What stands behind an endpoint."""

    @property
    def server(self) -> str:
        """Its kind."""
        ...


class Endpoint(Protocol):
    """As much of an endpoint as drivers need."""

    @property
    def identity(self) -> Identity:
        """What stands behind it."""
        ...

    def call(self, method: str, path: str, body: object = None, *, seconds: float = 10) -> Answer:
        """Ask for a path from the root of its host; whatever status it has is an answer."""
        ...


class Driver(Protocol):
    """Has a preset loaded while its lease stands."""

    @property
    def name(self) -> str:
        """As MNEMO_LLM_DRIVER calls it."""
        ...

    def load(self) -> None:
        """Have the preset loaded, and wait until it is.

        Raises:
            EndpointDownError: it cannot be loaded, or takes too long; the message says which.
            LeaseHeldError: a proxy with leases of its own has given it to somebody else.
        """
        ...

    def renew(self) -> None:
        """Have it kept; where the server dropped it, ask for it again, without waiting for it.

        Raises:
            EndpointDownError, NoReplyError: that could not be asked for.
            LeaseLostError: a proxy with leases of its own has given it to somebody else.
        """
        ...

    def is_loaded(self) -> bool | None:
        """Whether it is there now; None if that cannot be told."""
        ...

    def release(self) -> None:
        """Let go of it, if this driver loaded it.

        Raises:
            EndpointDownError, NoReplyError: that could not be asked for.
        """
        ...


class Nothing:
    """For a server that has one model, or looks after its models itself."""

    name = "none"

    def load(self) -> None:
        """The first request does."""

    def renew(self) -> None:
        """Each request does."""

    def is_loaded(self) -> bool | None:
        """Nobody was asked."""
        return None

    def release(self) -> None:
        """It is the server's."""


class BackEnd(Protocol):
    """One kind of server: how a preset is looked for, loaded, kept and let go of there.

    All methods raise EndpointDownError or NoReplyError where the server does not answer, or says no for good.
    """

    @property
    def name(self) -> str:
        """As MNEMO_LLM_DRIVER calls it."""
        ...

    def look(self) -> State:
        """How the preset stands."""
        ...

    def load(self, seconds: float) -> bool:
        """Ask for the preset; True if it is loaded now, False if one has to look again."""
        ...

    def keep(self, *, ours: bool) -> None:
        """Put off the end of its time, where the server has such a thing."""
        ...

    def unload(self) -> None:
        """Let go of what `load` loaded."""
        ...


class Keeping:
    """A driver of a back end: loads in a bounded time, and unloads what it loaded itself.

    What was loaded before stays: another program may use it.
    """

    def __init__(self, back_end: BackEnd, seconds: float) -> None:
        self._back_end = back_end
        self._seconds = seconds
        self._ours = False

    @property
    def name(self) -> str:
        """As MNEMO_LLM_DRIVER calls it."""
        return self._back_end.name

    def load(self) -> None:
        """As `Driver.load`."""
        try:
            loaded = self._load(time.monotonic() + self._seconds)
        except NoReplyError as error:
            raise _not_loaded(error.detail) from None
        if not loaded:
            raise _not_loaded("timeout")

    def _load(self, until: float) -> bool:
        asked = False
        while (left := until - time.monotonic()) > 0:
            state = self._back_end.look()
            if state in {"loaded", None}:
                return True
            if state == "failed" and asked:
                raise NoReplyError("failed")
            if state != "loading":
                self._ours = asked = True
                if self._back_end.load(left):
                    return True
            time.sleep(AGAIN)
        return False

    def renew(self) -> None:
        """As `Driver.renew`."""
        if self._back_end.look() in {"gone", "failed"}:
            self._ours = True
            self._back_end.load(LOOKING)
        else:
            self._back_end.keep(ours=self._ours)

    def is_loaded(self) -> bool | None:
        """As `Driver.is_loaded`; what is loading is not there yet."""
        try:
            state = self._back_end.look()
        except (NoReplyError, EndpointDownError):
            return None
        return None if state is None else state == "loaded"

    def release(self) -> None:
        """As `Driver.release`."""
        if self._ours:
            self._ours = False
            self._back_end.unload()


def answered(answer: Answer) -> Any:  # noqa: ANN401 - whatever JSON a server sends
    """What was said with a status of success.

    Raises:
        NoReplyError: it was none.
    """
    if not is_success(answer.status):
        raise NoReplyError(f"status {answer.status}")
    return answer.said


def is_success(status: int) -> bool:
    """Whether a server did as it was asked."""
    return 200 <= status < 300  # noqa: PLR2004 - so HTTP has it


def entries(said: object, name: str) -> list[dict[str, Any]]:
    """The objects of a list in an answer.

    Raises:
        NoReplyError: there is no such list.
    """
    listed = said.get(name) if isinstance(said, dict) else None
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise NoReplyError("unreadable")
    return listed


def _not_loaded(why: str) -> EndpointDownError:
    return EndpointDownError(
        f"The server of MNEMO_LLM_URL did not load the preset: {why}. Look at MNEMO_LLM_PRESET, or leave "
        "loading to the server with MNEMO_LLM_DRIVER=none."
    )

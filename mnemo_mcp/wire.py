"""Standard input and output as the protocol's alone: claimed early, UTF-8 whatever the environment says."""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Bytes of one message. Our longest argument has a few hundred; a line without an end must not fill memory.
LONGEST = 4 * 1024 * 1024

# An escape in a JSON string: a whole surrogate pair, a surrogate alone (the only one captured), any other.
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
# Valid in JSON, but an end of line to some clients: outside of strings they do not occur.
_LINE_ENDS = {ord(character): f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class Pipes:
    """The client's end of both pipes, on descriptors that nothing else in this process knows."""

    incoming: BinaryIO
    outgoing: BinaryIO


def claim() -> Pipes:
    """Move the protocol's pipes away: from now on descriptor 0 is empty, and descriptor 1 is standard error.

    The moved ones are closed in child processes, which inherit 0 and 1 as they are now.
    """
    incoming, outgoing = _moved(0, os.O_RDONLY), _moved(1, os.O_WRONLY)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
    if nothing > 2:  # noqa: PLR2004 - standard error
        os.close(nothing)
    return Pipes(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb", buffering=0))


def _moved(descriptor: int, mode: int) -> int:
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    except OSError:  # it is closed: nobody is there
        nothing = os.open(os.devnull, mode)
        moved = fcntl.fcntl(nothing, fcntl.F_DUPFD_CLOEXEC, 3)
        os.close(nothing)
        return moved


def lines(incoming: BinaryIO) -> Iterator[str | None]:
    """The client's messages as JSON text that every parser takes; None for one that is too long."""
    while raw := incoming.readline(LONGEST):
        if raw.endswith(b"\n") or len(raw) < LONGEST:
            if text := repaired(raw):
                yield text
            continue
        while raw and not raw.endswith(b"\n"):
            raw = incoming.readline(LONGEST)
        yield None


def repaired(raw: bytes) -> str:
    """UTF-8, without a byte order mark, each half of a surrogate pair replaced by U+FFFD."""
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text)


def encoded(message: str) -> bytes:
    """One message as one line, whatever a client takes for the end of one."""
    return message.translate(_LINE_ENDS).encode("utf-8", "replace") + b"\n"


def write(outgoing: BinaryIO, message: bytes) -> None:
    """All of it: an unbuffered pipe may take a part."""
    rest = memoryview(message)
    while rest:
        rest = rest[outgoing.write(rest) :]


def complain(error: str, **more: str | int | bool) -> None:
    """One JSON line on standard error: classes and numbers, never a value or a text."""
    say({"error": error, **more})


def say(said: dict[str, str | int | bool]) -> None:
    """One JSON line on standard error, in ASCII; a closed one is no reason to stop."""
    try:
        sys.stderr.write(json.dumps(said, separators=(",", ":")) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return

"""A secret that a command prints: run without a shell, within bounds, and nothing that it says is shown."""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from mnemo_assets.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from pydantic import SecretStr

    from mnemo_assets.errors import MnemoError

#: A key on a token may have to be touched first.
SECONDS = 60.0
#: Longer is no password.
MOST_BYTES = 4096


def printed(command: SecretStr, variable: str, failure: Callable[[str], MnemoError]) -> str:
    """Run the command, without a shell, and return what it prints but for one line end.

    What it says on standard error is not shown: it may hold what is secret.

    Args:
        command: a program with its arguments.
        variable: the setting that it stands in, for messages.
        failure: makes the error of a sentence.

    Raises:
        SettingsError: it is not a command line.
        MnemoError: what `failure` makes: it cannot be run, fails, takes too long, or prints no secret.
    """
    try:
        words = shlex.split(command.get_secret_value())
    except ValueError:
        raise SettingsError(f"{variable} is not a command line: a quote is not closed.") from None
    if not words:
        raise SettingsError(f"{variable} is empty.")
    try:
        return _one_line(_run(words))
    except _FailedError as error:
        raise failure(f"{variable} {error}") from None


class _FailedError(Exception):
    """The rest of a sentence that begins with the setting's name."""


def _run(words: list[str]) -> bytes:
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it holds a NUL"
        raise _FailedError(f"cannot be run: {why}.") from None
    assert child.stdout is not None
    try:
        until = time.monotonic() + SECONDS
        said = _bounded(child.stdout, until)
        code = child.wait(max(0.0, until - time.monotonic()))
    except (subprocess.TimeoutExpired, TimeoutError):
        raise _FailedError(f"did not end within {SECONDS:.0f} seconds.") from None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)  # and whatever it left behind
        child.wait()
        child.stdout.close()
    if code != 0:
        raise _FailedError(f"ended with exit code {code}. Run it yourself to see what it says.")
    return said


def _bounded(stream: IO[bytes], until: float) -> bytes:
    said = b""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while len(said) <= MOST_BYTES:
            if not selector.select(max(0.0, until - time.monotonic())):
                raise TimeoutError
            piece = os.read(stream.fileno(), MOST_BYTES)
            if not piece:
                return said
            said += piece
    raise _FailedError(f"printed more than {MOST_BYTES} bytes.")


def _one_line(said: bytes) -> str:
    try:
        text = said.decode()
    except UnicodeDecodeError:
        raise _FailedError("printed what is not UTF-8 text.") from None
    secret = text.removesuffix("\n").removesuffix("\r")
    if not secret:
        raise _FailedError("printed nothing.")
    if any(character in secret for character in "\0\r\n"):
        raise _FailedError("printed more than one line.")
    return secret

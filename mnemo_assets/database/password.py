"""The password that a command prints: asked for when a connection needs it, kept in this process alone."""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from mnemo_assets.errors import PasswordError, SettingsError

if TYPE_CHECKING:
    from typing import IO

    from pydantic import SecretStr

#: A key on a token may have to be touched first.
SECONDS = 60.0
#: Longer is no password.
MOST_BYTES = 4096

_known: dict[str, str] = {}


def known(command: SecretStr | None) -> str | None:
    """What the command printed when this process last asked."""
    return None if command is None else _known.get(command.get_secret_value())


def ask(command: SecretStr) -> str:
    """Run the command, without a shell, and return what it prints but for one line end.

    What it says on standard error is not shown: it may hold what is secret.

    Raises:
        SettingsError: it is not a command line.
        PasswordError: it cannot be run, fails, takes too long, or prints no password.
    """
    line = command.get_secret_value()
    try:
        words = shlex.split(line)
    except ValueError:
        raise SettingsError("MNEMO_PASSWORD_COMMAND is not a command line: a quote is not closed.") from None
    if not words:
        raise SettingsError("MNEMO_PASSWORD_COMMAND is empty.")
    _known[line] = _password(_run(words))
    return _known[line]


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
        raise PasswordError(f"MNEMO_PASSWORD_COMMAND cannot be run: {why}.") from None
    assert child.stdout is not None
    try:
        until = time.monotonic() + SECONDS
        said = _bounded(child.stdout, until)
        code = child.wait(max(0.0, until - time.monotonic()))
    except (subprocess.TimeoutExpired, TimeoutError):
        raise PasswordError(f"MNEMO_PASSWORD_COMMAND did not end within {SECONDS:.0f} seconds.") from None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)  # and whatever it left behind
        child.wait()
        child.stdout.close()
    if code != 0:
        raise PasswordError(
            f"MNEMO_PASSWORD_COMMAND ended with exit code {code}. Run it yourself to see what it says."
        )
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
    raise PasswordError(f"MNEMO_PASSWORD_COMMAND printed more than {MOST_BYTES} bytes.")


def _password(said: bytes) -> str:
    try:
        text = said.decode()
    except UnicodeDecodeError:
        raise PasswordError("MNEMO_PASSWORD_COMMAND printed what is not UTF-8 text.") from None
    password = text.removesuffix("\n").removesuffix("\r")
    if not password:
        raise PasswordError("MNEMO_PASSWORD_COMMAND printed nothing.")
    if any(character in password for character in "\0\r\n"):
        raise PasswordError("MNEMO_PASSWORD_COMMAND printed more than one line.")
    return password

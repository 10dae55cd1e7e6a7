"""The key of an endpoint on another machine, as a command prints it; kept in this process alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_assets import secret
from mnemo_assets.errors import EndpointDownError

if TYPE_CHECKING:
    from pydantic import SecretStr

VARIABLE = "MNEMO_LLM_KEY_COMMAND"

_known: dict[str, str] = {}


def printed(command: SecretStr) -> str:
    """What the command prints, which is run once a process.

    Raises:
        SettingsError: it is not a command line.
        EndpointDownError: it fails, or what it prints is no key.
    """
    line = command.get_secret_value()
    if line not in _known:
        found = secret.printed(command, VARIABLE, EndpointDownError)
        if not found.isascii() or not found.isprintable() or " " in found:  # it goes into a header
            raise EndpointDownError(f"{VARIABLE} printed what is no key.")
        _known[line] = found
    return _known[line]


def forget() -> None:
    """One was refused: ask again the next time."""
    _known.clear()

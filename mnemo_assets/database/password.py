"""The password that a command prints: asked for when a connection needs it, kept in this process alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_assets import secret
from mnemo_assets.errors import PasswordError

if TYPE_CHECKING:
    from pydantic import SecretStr

_known: dict[str, str] = {}


def known(command: SecretStr | None) -> str | None:
    """What the command printed when this process last asked."""
    return None if command is None else _known.get(command.get_secret_value())


def ask(command: SecretStr) -> str:
    """Run the command and return what it prints; see `secret.printed`.

    Raises:
        SettingsError: it is not a command line.
        PasswordError: it cannot be run, fails, takes too long, or prints no password.
    """
    found = secret.printed(command, "MNEMO_PASSWORD_COMMAND", PasswordError)
    _known[command.get_secret_value()] = found
    return found

"""A home-made proxy with leases of its own: three URLs, into which the preset and the owner are put."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from mnemo_assets.errors import EndpointDownError, LeaseHeldError, LeaseLostError, NoReplyError, SettingsError
from mnemo_assets.gpu.drivers.keeping import LOOKING, is_success

if TYPE_CHECKING:
    from mnemo_assets.settings import Settings

LOCK, RENEW, UNLOCK = "MNEMO_LLM_LOCK_URL", "MNEMO_LLM_RENEW_URL", "MNEMO_LLM_UNLOCK_URL"
#: Statuses by which a proxy says that it has given the preset to somebody else.
_TAKEN: Final = {409, 423}
#: Of a renewal, also those that say that there is no such lease any more.
_OVER: Final = _TAKEN | {404, 410, 412}


class Urls:
    """Posts to each of the three URLs in its turn; of what they say, the status is read and no word.

    Raises:
        SettingsError: there is no first one; or one leads elsewhere, or has another name in braces.
        EndpointDownError: a host that was named is not found now.
    """

    name = "urls"

    def __init__(self, settings: Settings, preset: str, owner: str, seconds: float) -> None:
        if settings.llm_lock_url is None:
            raise SettingsError(f"MNEMO_LLM_DRIVER=urls needs {LOCK}.")
        values = {"{preset}": quote(preset, safe=""), "{owner}": quote(owner, safe="")}
        host = settings.llm_remote_host
        self._lock = _Post(LOCK, settings.llm_lock_url, values, host)
        self._renew = _Post(RENEW, settings.llm_renew_url, values, host) if settings.llm_renew_url else None
        self._unlock = (
            _Post(UNLOCK, settings.llm_unlock_url, values, host) if settings.llm_unlock_url else None
        )
        self._seconds = seconds
        self._locked = False

    def load(self) -> None:
        """As `Driver.load`: answered when the preset is loaded."""
        try:
            status = self._lock.status(self._seconds)
        except NoReplyError as error:
            raise _refused(error.detail) from None
        if status in _TAKEN:
            raise LeaseHeldError(f"The proxy of {LOCK} says that somebody else has the preset.")
        if not is_success(status):
            raise _refused(f"status {status}")
        self._locked = True

    def renew(self) -> None:
        """As `Driver.renew`."""
        if self._renew is None:
            return
        status = self._renew.status(LOOKING)
        if status in _OVER:
            raise LeaseLostError(f"The proxy of {RENEW} has given the preset to somebody else.")
        if not is_success(status):
            raise NoReplyError(f"status {status}")

    def is_loaded(self) -> bool | None:
        """There is no URL that tells."""
        return None

    def release(self) -> None:
        """As `Driver.release`."""
        if self._unlock is None or not self._locked:
            return
        self._locked = False
        status = self._unlock.status(LOOKING)
        if not is_success(status):
            raise NoReplyError(f"status {status}")


class _Post:
    """One of the URLs, filled in; its host is asked for once, and is one that an endpoint may have."""

    def __init__(self, variable: str, template: str, values: dict[str, str], remote_host: str | None) -> None:
        from mnemo_assets import llm  # noqa: PLC0415 - brings the client, for who has set URLs

        url = re.sub(r"\{(?:preset|owner)\}", lambda found: values[found[0]], template)
        try:
            filled, host = urlsplit(url), urlsplit(template).netloc
        except ValueError:  # a bracket too many
            raise SettingsError(f"{variable} is no URL.") from None
        if "{" in url or "}" in url or filled.netloc != host:
            raise SettingsError(
                f"{variable} takes {{preset}} and {{owner}} after its host, and no other name."
            )
        try:
            self._proxy = llm.Endpoint(f"{filled.scheme}://{host}", "", remote_host=remote_host)
        except SettingsError:
            raise SettingsError(
                f"{variable} leads nowhere, or to another machine. It takes a URL of this machine, or of the "
                "host that is named in MNEMO_LLM_REMOTE_HOST."
            ) from None
        self._path = (filled.path or "/") + (f"?{filled.query}" if filled.query else "")

    def status(self, seconds: float) -> int:
        """Post, and give what came of it.

        Raises:
            EndpointDownError, NoReplyError: nothing did.
        """
        return self._proxy.call("POST", self._path, seconds=seconds).status


def _refused(why: str) -> EndpointDownError:
    return EndpointDownError(f"The proxy of {LOCK} did not load the preset: {why}.")

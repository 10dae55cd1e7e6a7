"""A home-made proxy with leases of its own: three URLs, into which the preset and the owner are put."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from mnemo_assets import llm
from mnemo_assets.errors import EndpointDownError, LeaseHeldError, LeaseLostError, NoReplyError, SettingsError
from mnemo_assets.gpu.drivers.driver import LOOKING, is_success

if TYPE_CHECKING:
    from mnemo_assets.settings import Settings

#: Statuses by which a proxy says that it has given the preset to somebody else.
_TAKEN: Final = {409, 423}
#: Of a renewal, also those that say that there is no such lease any more.
_OVER: Final = _TAKEN | {404, 410, 412}


class Urls:
    """Posts to each of MNEMO_LLM_LOCK_URL, _RENEW_URL and _UNLOCK_URL in its turn; what they say is not read.

    Raises:
        SettingsError: there is no first one; or one is not of this machine, or has another name in braces.
    """

    name = "urls"

    def __init__(self, settings: Settings, preset: str, owner: str, seconds: float) -> None:
        if settings.llm_lock_url is None:
            raise SettingsError("MNEMO_LLM_DRIVER=urls needs MNEMO_LLM_LOCK_URL.")
        self._settings = settings
        self._seconds = seconds
        self._lock, self._renew, self._unlock = (
            _filled(variable, template, preset, owner)
            for variable, template in (
                ("MNEMO_LLM_LOCK_URL", settings.llm_lock_url),
                ("MNEMO_LLM_RENEW_URL", settings.llm_renew_url),
                ("MNEMO_LLM_UNLOCK_URL", settings.llm_unlock_url),
            )
        )
        self._locked = False

    def load(self) -> None:
        """As `Driver.load`: answered when the preset is loaded."""
        assert self._lock is not None
        try:
            status = self._post(self._lock, self._seconds)
        except NoReplyError as error:
            raise _refused(error.detail) from None
        if status in _TAKEN:
            raise LeaseHeldError("The proxy of MNEMO_LLM_LOCK_URL says that somebody else has the preset.")
        if not is_success(status):
            raise _refused(f"status {status}")
        self._locked = True

    def renew(self) -> None:
        """As `Driver.renew`."""
        if self._renew is None:
            return
        status = self._post(self._renew, LOOKING)
        if status in _OVER:
            raise LeaseLostError("The proxy of MNEMO_LLM_RENEW_URL has given the preset to somebody else.")
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
        status = self._post(self._unlock, LOOKING)
        if not is_success(status):
            raise NoReplyError(f"status {status}")

    def _post(self, url: str, seconds: float) -> int:
        """The status, whatever else is said.

        Raises:
            EndpointDownError, NoReplyError: there is none.
        """
        parts = urlsplit(url)
        path = parts.path or "/"
        with llm.Endpoint(f"{parts.scheme}://{parts.netloc}", "") as proxy:
            try:
                answer = proxy.call("POST", f"{path}?{parts.query}" if parts.query else path, seconds=seconds)
            except NoReplyError as error:
                if error.detail != "unreadable":
                    raise
                return 200  # it said something that is no JSON, and no more than that
        return answer.status


def _filled(variable: str, template: str | None, preset: str, owner: str) -> str | None:
    """A URL with the preset and the owner in it; None if there is no template.

    Raises:
        SettingsError: it has another name in braces, or one in its host.
    """
    if template is None:
        return None
    values = {"{preset}": quote(preset, safe=""), "{owner}": quote(owner, safe="")}
    host = urlsplit(template.replace("{", "").replace("}", "")).netloc
    filled = re.sub(r"\{(?:preset|owner)\}", lambda found: values[found[0]], template)
    if "{" in filled or "}" in filled or urlsplit(filled).netloc != host:
        raise SettingsError(f"{variable} takes {{preset}} and {{owner}} after its host, and no other name.")
    return filled


def _refused(why: str) -> EndpointDownError:
    return EndpointDownError(f"The proxy of MNEMO_LLM_LOCK_URL did not load the preset: {why}.")

"""The way to an endpoint that may be sent text: its address, then what stands behind it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mnemo_assets.errors import EndpointDownError, EndpointElsewhereError, NoReplyError
from mnemo_assets.llm import behind, key
from mnemo_assets.llm.endpoint import Endpoint, Identity

if TYPE_CHECKING:
    from mnemo_assets.settings import Settings


def open_endpoint(settings: Settings, model: str, *, seconds: float = 10) -> Endpoint:
    """An endpoint of the settings, that may be sent text; `identity` says what it is.

    Nothing was sent to it but GETs that ask what it is, and to a hosted one nothing at all.

    Args:
        settings: in force.
        model: what the endpoint calls it.
        seconds: that each GET may take.

    Raises:
        SettingsError: another machine that was not named, or a hosted one without folders.
        EndpointElsewhereError: it passes requests on to another machine, or may do so.
        EndpointDownError: it does not answer, does not have the model, or there is no key for it.
    """
    command = settings.llm_key_command
    endpoint = Endpoint(
        settings.llm_url,
        model,
        remote_host=settings.llm_remote_host,
        hosted=bool(settings.llm_hosted_folders),
        key=None if command is None else partial(key.printed, command),
    )
    try:
        identify(endpoint, settings, seconds=seconds)
    except BaseException:
        endpoint.close()
        raise
    return endpoint


def identify(endpoint: Endpoint, settings: Settings, *, seconds: float = 10) -> Identity:
    """Ask what stands behind an endpoint, and note it in `endpoint.identity`.

    Worth doing again once a model is loaded: some servers say only then how much it may be sent.

    Raises:
        EndpointElsewhereError, EndpointDownError: as for `open_endpoint`.
    """
    place = endpoint.address.place
    found = behind.Found("unknown")
    if place != "hosted":
        found = _look(endpoint, seconds)
        if found.doubt and not settings.llm_declared_local:
            raise EndpointElsewhereError(
                f"{found.doubt} Nothing was sent. Once you know that the model runs where the endpoint is, "
                "set MNEMO_LLM_DECLARED_LOCAL=1."
            )
        if found.doubt and place == "here":
            place = "declared"
    endpoint.identity = Identity(
        found.server, place, settings.llm_slots or found.slots, settings.llm_context or found.context
    )
    return endpoint.identity


def _look(endpoint: Endpoint, seconds: float) -> behind.Found:
    try:
        return behind.look(partial(endpoint.look, seconds=seconds), endpoint.model)
    except NoReplyError as error:
        raise EndpointDownError(
            f"The endpoint of MNEMO_LLM_URL does not say what it is: {error.detail}."
        ) from None

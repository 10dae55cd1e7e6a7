"""The endpoint of models: whether it answers, what stands behind it, and whether it has the model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mnemo_assets.database import queries
from mnemo_assets.doctor.finding import Finding, broken, lacking, well
from mnemo_assets.errors import EndpointDownError, MnemoError, NoReplyError
from mnemo_assets.settings import MODEL_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.database import Connection
    from mnemo_assets.llm import Endpoint, Identity
    from mnemo_assets.settings import Settings

AREA: Final = "model"
Q = queries("doctor")
_FORMATS: Final = {
    "enforced": "replies are held to the schema",
    "ignored": "the server ignores it: replies are checked item by item, and nothing else holds them",
    "silent": "the server answers it with nothing: it is left out, and replies are checked item by item",
}
#: Models that are named of those that an endpoint lists.
_SHOWN: Final = 5
_WAITS: Final = "Documents wait for it, and nothing is lost."
_PLACES: Final = {
    "here": "answers, on this machine",
    "declared": "answers, on this machine, as MNEMO_LLM_DECLARED_LOCAL says",
    "named": "answers, on the machine that MNEMO_LLM_REMOTE_HOST names",
    "hosted": "is hosted, and asked when there is work",
}


def model(settings: Settings) -> Iterator[Finding]:
    """The endpoint of the recipe `llm`; what is wrong matters where that is the one that is set."""
    if settings.llm_model is None:
        yield well(AREA, "the endpoint", "not used: MNEMO_LLM_MODEL is not set")
        return
    from mnemo_assets import llm  # noqa: PLC0415 - brings the client, for who has set a model

    needed = settings.extractor == "llm"
    try:
        endpoint = llm.open_endpoint(settings, settings.llm_model)
    except MnemoError as error:
        mend = _WAITS if isinstance(error, EndpointDownError) else "Nothing is sent until then."
        yield broken(AREA, "the endpoint", str(error), mend, needed=needed)
        return
    with endpoint:
        yield well(AREA, "the endpoint", _PLACES[endpoint.identity.place])
        yield _behind(endpoint.identity)
        if not endpoint.identity.is_hosted:
            yield listed(endpoint, AREA, "the model", "MNEMO_LLM_MODEL", needed=needed)


def answer_format(connection: Connection, settings: Settings) -> Iterator[Finding]:
    """What the model's server made of a response format, if it was tried."""
    rows = connection.execute(Q["answer_formats"], {"model": settings.llm_model}).fetchall()
    for row in rows:
        yield well(AREA, "response format", _FORMATS[row["finding"]])


def listed(endpoint: Endpoint, area: str, name: str, setting: str, *, needed: bool = False) -> Finding:
    """Whether an endpoint lists its model."""
    try:
        models = endpoint.models()
    except (EndpointDownError, NoReplyError) as error:
        return broken(area, name, str(error), "Look at the endpoint's own log.", needed=needed)
    if endpoint.model in models:
        return well(area, name, "the endpoint answers, and lists it")
    mend = f"Load the model of {setting} there, or set it to one that is listed{_some(models)}."
    return lacking(area, name, "the endpoint answers, and does not list it", mend)


def _some(models: frozenset[str]) -> str:
    """The first of the models that an endpoint lists, of those whose name a setting takes."""
    names = sorted(name for name in models if re.fullmatch(MODEL_NAME, name))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f": {', '.join(names[:_SHOWN])}{more}" if names else ""


def _behind(identity: Identity) -> Finding:
    """The program, and what it takes at once."""
    name = "a server of no known kind" if identity.server == "unknown" else identity.server
    slots = "does not say how many" if identity.slots is None else f"{identity.slots}"
    context = "does not say how many" if identity.context is None else f"{identity.context:,}"
    return well(AREA, "what stands behind", f"{name}; requests at once: {slots}; tokens of one: {context}")

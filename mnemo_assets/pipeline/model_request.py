"""What is sent to a model with each text: the request of a new recipe, by what the model's server can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mnemo_assets import llm
from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import EndpointDownError, NoReplyError, SettingsError
from mnemo_assets.extractions import request
from mnemo_assets.pipeline.model_session import Session, preset_of, session

if TYPE_CHECKING:
    from mnemo_assets.extractions.request import Template
    from mnemo_assets.settings import Settings

Q = queries("model_request")

#: Where neither the settings nor the endpoint say how many tokens a slot has: what servers give by default.
CONTEXT: Final = 4096
#: What is asked to see whether a reply is held to a schema: whoever obeys the words alone does not obey the
#: schema.
_WORDS: Final = [{"role": "user", "content": "Say hello in one short sentence. No JSON."}]
_SCHEMA: Final = {
    "type": "json_schema",
    "json_schema": {
        "name": "probe",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"greeting": {"type": "string", "maxLength": 40}},
            "required": ["greeting"],
            "additionalProperties": False,
        },
    },
}
_PROBE_TOKENS: Final = 60


def template(connection: Connection, settings: Settings, opened: Session) -> Template:
    """The request that this code, these settings and this endpoint make of a text.

    Args:
        connection: in autocommit mode.
        settings: may say how long a context is, and whether replies are held to a schema.
        opened: a session with the model.

    Raises:
        EndpointDownError, LeaseLostError: the model cannot be asked.
        SettingsError: its context has no room for a text.
    """
    model = opened.endpoint.model
    identity = llm.identify(opened.endpoint, settings)  # of a model that is loaded more is known
    context = settings.llm_context or identity.context or CONTEXT
    preset = preset_of(settings, model)
    how = settings.llm_response_format
    if how == "auto":
        how = _answer_format(connection, opened, preset, identity.server)
    made = request.template(model, preset, context, "none" if how == "none" else "json_schema")
    _refuse_small(made)
    return made


def _refuse_small(made: Template) -> None:
    """Let no archive fail, text by text, for a context that the prompt fills."""
    if not made.has_room:
        raise SettingsError(
            f"A context of {made.context:,} tokens has no room for a text beside the prompt and a reply. "
            "Have the model's server give a request 4,096 or more; if it does, say so with MNEMO_LLM_CONTEXT."
        )


def new_template(connection: Connection, settings: Settings, model: str, program: str) -> Template:
    """As `template`, in a session of its own."""
    with session(settings, model, program) as opened:
        return template(connection, settings, opened)


def _answer_format(connection: Connection, opened: Session, preset: str, server: str) -> str:
    """Whether a preset's replies are held to a schema: tried once, and remembered."""
    place = {"preset": preset, "model": opened.endpoint.model, "server": server}
    row = connection.execute(Q["answer_format"], place).fetchone()
    if row is None:
        finding = _finding(opened)
        values = {
            **place,
            "finding": finding,
            "answer_format": "json_schema" if finding == "enforced" else "none",
        }
        row = connection.execute(Q["remember_format"], values).fetchone()
        assert row is not None
    return str(row["answer_format"])


def _finding(opened: Session) -> str:
    """What a server does with a response format: it is enforced, silently ignored, or answered by silence."""
    opened.lease.check()
    try:
        reply = opened.endpoint.complete(_WORDS, _PROBE_TOKENS, opened.way.seconds, response_format=_SCHEMA)
    except NoReplyError as error:
        raise EndpointDownError(
            f"The endpoint of MNEMO_LLM_URL did not answer a trial request: {error.detail}. See mnemo doctor."
        ) from None
    said = reply.text.strip()
    if not said:
        return "silent"
    return "enforced" if said.startswith("{") and '"greeting"' in said else "ignored"

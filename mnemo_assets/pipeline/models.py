"""The way to a model: its recipe's name, its request, and a session in which the model is loaded and ours."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from mnemo_assets import gpu, llm
from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import (
    EndpointDownError,
    EndpointElsewhereError,
    LeaseHeldError,
    LeaseLostError,
    NoReplyError,
    SettingsError,
    UnmeasuredError,
)
from mnemo_assets.extractions import recipes, request
from mnemo_assets.pipeline import asking
from mnemo_assets.pipeline.progress import Stop, never

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from mnemo_assets.extractions.request import Template
    from mnemo_assets.llm import Endpoint
    from mnemo_assets.pipeline.generations import Generation
    from mnemo_assets.settings import Settings

Q = queries("models")

#: After these documents wait as they did, and nothing else is wrong: the same command goes on later.
WAITS: Final = (
    EndpointDownError,
    EndpointElsewhereError,
    LeaseHeldError,
    LeaseLostError,
    UnmeasuredError,
)
#: Where neither the settings nor the endpoint say how many tokens a slot has: what servers give by default.
CONTEXT: Final = 4096
#: Where nothing says how many requests the endpoint works on at once.
SLOTS: Final = 2
#: A drain of more documents than this asks a model that a bake-off has measured, or is told not to mind.
UNMEASURED: Final = 200

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


class Leased(Protocol):
    """What gets the lease of a preset: `gpu.leased`, or a resource that wraps it."""

    def __call__(
        self,
        settings: Settings,
        preset: str,
        tag: str,
        /,
        *,
        driver: gpu.Driver | None = None,
        stop: Stop = never,
    ) -> AbstractContextManager[gpu.Lease]:
        """The lease, with its preset loaded, until the context ends."""


@dataclass(frozen=True, slots=True)
class Session:
    """A model that is loaded, and ours for a while."""

    endpoint: Endpoint
    lease: gpu.Lease
    way: asking.Way


@contextmanager
def session(
    settings: Settings,
    model: str,
    program: str,
    *,
    preset: str | None = None,
    stop: Stop = never,
    leased: Leased = gpu.leased,
) -> Iterator[Session]:
    """Get the lease of a preset, have it loaded, and let go of it at the end.

    Args:
        settings: where the model is.
        model: what its endpoint calls it.
        program: who we are: `mine`.
        preset: what is loaded; by default that of the settings, else the model.
        stop: ends a wait for the lease.
        leased: gets the lease.

    Raises:
        EndpointDownError, EndpointElsewhereError, SettingsError: there is no such endpoint, or no text goes
        there.
        LeaseHeldError: another program has the lease.
    """
    chosen = preset or preset_of(settings, model)
    owner = gpu.tag(program)
    # the driver has a way of its own: whoever asks closes theirs, and the model is let go of after that
    with llm.open_endpoint(settings, model) as endpoint, llm.open_endpoint(settings, model) as loading:
        driver = gpu.driver(settings, loading, chosen, owner)
        with leased(settings, chosen, owner, driver=driver, stop=stop) as lease:
            way = asking.Way(
                slots=settings.llm_slots or endpoint.identity.slots or SLOTS,
                seconds=float(settings.llm_seconds),
                lease=lease,
                pauses=asking.PAUSES,
            )
            yield Session(endpoint, lease, way)


def preset_of(settings: Settings, model: str) -> str:
    """What is loaded for a model: the preset that is set goes with the model that is set."""
    return settings.llm_preset if settings.llm_preset and model == settings.llm_model else model


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


def refuse_unmeasured(
    connection: Connection, generation: Generation, documents: int, *, unmeasured: bool
) -> None:
    """Let no model that nobody measured drain an archive; that the owner does not mind is kept.

    Args:
        connection: in autocommit mode.
        generation: whose recipe asks the model.
        documents: that wait for it.
        unmeasured: the owner does not mind.

    Raises:
        UnmeasuredError: the command that measures it is in the message.
    """
    if unmeasured:
        connection.execute(Q["do_not_mind"], {"extractor_id": generation.extractor_id})
    if documents <= UNMEASURED:
        return
    row = connection.execute(Q["is_measured"], {"extractor_id": generation.extractor_id}).fetchone()
    if row is None or not row["measured"]:
        raise UnmeasuredError(
            f"{documents:,} documents wait for {generation.recipe}, which no bake-off has measured. See what "
            f"it is worth on a few: mnemo bakeoff --models {generation.template.model} --judges X,Y. "
            "To do without: mnemo sync --unmeasured."
        )


def refuse_held(connection: Connection, generation: Generation) -> None:
    """Say who has the model, where a drain has come to nothing because another has all that waits.

    Raises:
        LeaseHeldError: another drain is under way.
    """
    who = gpu.holder(connection, generation.template.preset)
    if who is not None:
        raise LeaseHeldError(f"The GPU is in use: {who} has its lease, and works on what waits.")


def is_ready(connection: Connection, settings: Settings, generation: Generation, documents: int) -> bool:
    """Whether a drain would get to its model now: it was measured, its lease is free, its endpoint answers.

    Nothing but identifying questions is sent.
    """
    sent = generation.template
    if gpu.holder(connection, sent.preset) is not None:
        return False
    try:
        refuse_unmeasured(connection, generation, documents, unmeasured=False)
        llm.open_endpoint(settings, sent.model).close()
    except (EndpointDownError, EndpointElsewhereError, SettingsError, UnmeasuredError):
        return False
    return True


def recipe_name(settings: Settings) -> str | None:
    """The recipe that the settings name, if they do: `llm` is that of the model that is set."""
    if settings.extractor != recipes.MODEL_CODE:
        return settings.extractor
    return f"{recipes.ASKING}{settings.llm_model}"


def folders(settings: Settings) -> list[bytes] | None:
    """The folders of which alone a hosted endpoint sees documents, each with a slash; or None."""
    named = [f"{os.fspath(folder).rstrip('/')}/" for folder in settings.llm_hosted_folders]
    return [os.fsencode(folder) for folder in named] or None


def opt_in(connection: Connection, settings: Settings, generation: Generation) -> None:
    """Have the documents that a hosted endpoint may not see, and no others, wait with that reason.

    Those of a recipe that asks no model wait for no folder.
    """
    values = {"folders": folders(settings) if generation.asks_a_model else None}
    with connection.transaction():
        connection.execute(Q["opt_in"], values)
        connection.execute(Q["opt_out"], values)

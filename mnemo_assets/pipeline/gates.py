"""What keeps a drain from a model: nobody measured it, another has it, a host may not see the documents."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from mnemo_assets import gpu, llm
from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import (
    EndpointDownError,
    EndpointElsewhereError,
    LeaseHeldError,
    LeaseLostError,
    SettingsError,
    UnmeasuredError,
)

if TYPE_CHECKING:
    from mnemo_assets.pipeline.generations import Generation
    from mnemo_assets.settings import Settings

Q = queries("gates")

#: After these documents wait as they did, and nothing else is wrong: the same command goes on later.
WAITS: Final = (
    EndpointDownError,
    EndpointElsewhereError,
    LeaseHeldError,
    LeaseLostError,
    UnmeasuredError,
)
#: A drain of more documents than this asks a model that a bake-off has measured, or is told not to mind.
UNMEASURED: Final = 200


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

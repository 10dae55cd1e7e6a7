"""A model at its place in the bake-off: loaded, ours for a while, and asked as in production."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_assets.evaluation.report import Setting
from mnemo_assets.extractions import recipes
from mnemo_assets.pipeline import model_request, model_session
from mnemo_assets.pipeline.generations import find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.database import Connection
    from mnemo_assets.extractions.request import Template
    from mnemo_assets.settings import Settings

#: Who has the lease, as others are told.
PROGRAM: Final = "bakeoff"


@dataclass(frozen=True, slots=True)
class Seat:
    """A model that is loaded.

    Attributes:
        model: as its endpoint calls it.
        session: with it; its endpoint is closed by the first one who asks it all there is to ask.
        template: what the recipe sends to it with each text.
    """

    model: str
    session: model_session.Session
    template: Template

    @property
    def setting(self) -> Setting:
        """How it is asked, for the report."""
        identity = self.session.endpoint.identity
        return Setting(
            model=self.model,
            preset=self.template.preset,
            request_hash=self.template.digest,
            server=identity.server,
            place=identity.place,
            slots=self.session.way.slots,
            context=self.template.context,
            max_tokens=self.template.max_tokens,
            answer_format=self.template.answer_format,
        )


@contextmanager
def seated(connection: Connection, settings: Settings, model: str) -> Iterator[Seat]:
    """Have a model loaded, with its lease; both are let go of at the end.

    The model of the graph's recipe is asked as that recipe asks it, any other as a new one would.

    Raises:
        SettingsError, EndpointDownError, EndpointElsewhereError: it cannot be asked.
        LeaseHeldError: another program has the GPU.
    """
    active = find(connection, "active")
    is_kept = active is not None and active.recipe == f"{recipes.ASKING}{model}"
    kept = active.template if active is not None and is_kept else None
    preset = None if kept is None else kept.preset
    with model_session.session(settings, model, PROGRAM, preset=preset) as session:
        yield Seat(model, session, kept or model_request.template(connection, settings, session))

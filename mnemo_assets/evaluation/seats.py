"""A model at its place in the bake-off: loaded, ours for a while, and asked as in production."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_assets.evaluation.report import Setting
from mnemo_assets.pipeline import models

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
    session: models.Session
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

    Raises:
        SettingsError, EndpointDownError, EndpointElsewhereError: it cannot be asked.
        LeaseHeldError: another program has the GPU.
    """
    with models.session(settings, model, PROGRAM) as session:
        yield Seat(model, session, models.template(connection, settings, session))

"""What assets and sensors are given: settings, and a way to the ledger. Nothing is opened before use."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from mnemo_assets import database, settings
from mnemo_assets.database import Connection
from mnemo_assets.settings import Settings


class Ledger:
    """The way to the database, by the settings of the process that uses it.

    Asked for as `ledger: dg.ResourceParam[Ledger]`.
    """

    def settings(self) -> Settings:
        """The settings, read from the environment."""
        return settings.load()

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """The owner's connection, in autocommit mode; the embedded server starts if need be."""
        with closing(database.connect(self.settings())) as connection:
            yield connection

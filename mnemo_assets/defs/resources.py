"""What assets and sensors are given: settings, and a way to the ledger. Nothing is opened before use."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Final, TypeVar

import psycopg

from mnemo_assets import database, settings
from mnemo_assets.database import Connection
from mnemo_assets.settings import Settings

Result = TypeVar("Result")

#: Seconds before each new link of a piece of work: a server that restarts is back by then.
PAUSES: Final = (0.5, 2.0, 5.0, 10.0, 20.0)


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

    def work(self, work: Callable[[Connection, Settings], Result]) -> Result:
        """Do work that can be taken up again: a link that is lost in the middle is opened anew.

        What the lost session had claimed was free at that moment, and is claimed again.

        Args:
            work: begins where the ledger stands, each time it is called.

        Raises:
            psycopg.OperationalError: the link was lost too often, or is well and something else is wrong.
            PostgresError: there is no new one.
        """
        for pause in PAUSES:
            with self.connect() as connection:
                try:
                    return work(connection, self.settings())
                except psycopg.OperationalError:
                    if not connection.broken:
                        raise
            time.sleep(pause)
        with self.connect() as connection:
            return work(connection, self.settings())

"""What assets and sensors are given: settings, and a way to the ledger. Nothing is opened before use."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TypeVar

from mnemo_assets import database, gpu, settings
from mnemo_assets.database import Connection
from mnemo_assets.pipeline import link
from mnemo_assets.settings import Settings

Result = TypeVar("Result")


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
            psycopg.Error: the link is well, and something else is wrong.
            LinkLostError: the link was lost too often.
            PostgresError: there is no new one.
        """
        chosen = self.settings()
        return link.reconnecting(chosen, lambda connection: work(connection, chosen))


class GpuLease:
    """The lease of the graphics card, for runs that ask a model.

    Asked for as `gpu: dg.ResourceParam[GpuLease]`. Nothing is leased before a request has to be made.
    """

    @contextmanager
    def leased(
        self,
        chosen: Settings,
        preset: str,
        tag: str,
        *,
        driver: gpu.Driver | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[gpu.Lease]:
        """The lease, with its preset loaded: arguments and errors are those of `gpu.leased`."""
        with gpu.leased(chosen, preset, tag, driver=driver, stop=stop) as lease:
            yield lease

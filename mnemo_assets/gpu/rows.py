"""The lease in the database: taken, renewed, held through a commit, given back, and freed for who is gone."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemo_assets.database import Connection, queries

if TYPE_CHECKING:
    from datetime import datetime, timedelta

Q = queries("gpu")


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has a preset, and is there.

    Attributes:
        preset: what is loaded.
        tag: program, host, process.
        since: when they took it, by the database's clock.
    """

    preset: str
    tag: str
    since: datetime


def number(connection: Connection) -> int:
    """A number that no other session has, held by an advisory lock until this session ends."""
    while True:
        chosen = secrets.randbelow(2**31 - 1) + 1
        row = connection.execute(Q["try_number"], {"number": chosen}).fetchone()
        if row is not None and row["taken"]:
            return chosen


def take(connection: Connection, preset: str, tag: str, number: int, time: timedelta) -> int | None:
    """Become the owner of a preset, if it is free.

    Args:
        connection: whose session has the number.
        preset: what is to be used.
        tag: who wants it.
        number: as `number` gave it.
        time: how long the lease stands without being renewed.

    Returns:
        The fencing token, higher than each before it; None if somebody has the preset.
    """
    with connection.transaction():
        connection.execute(Q["begin"], {"preset": preset})
        connection.execute(Q["lock"], {"preset": preset})
        values = {"preset": preset, "tag": tag, "number": number, "time": time}
        row = connection.execute(Q["take"], values).fetchone()
    return None if row is None else int(row["token"])


def renew(connection: Connection, preset: str, token: int, time: timedelta) -> bool:
    """Put the end off by `time` from now; False if the lease is another's, or was freed."""
    values = {"preset": preset, "token": token, "time": time}
    return connection.execute(Q["renew"], values).fetchone() is not None


def hold(connection: Connection, preset: str, token: int) -> bool:
    """Keep the lease from changing hands until this transaction ends; False if it has done so."""
    return connection.execute(Q["hold"], {"preset": preset, "token": token}).fetchone() is not None


def give_back(connection: Connection, preset: str, token: int) -> None:
    """Free the preset, unless it is another's by now."""
    connection.execute(Q["give_back"], {"preset": preset, "token": token})


def reap(connection: Connection) -> int:
    """Free what is owned by nobody that is there, or for too long.

    Returns:
        How many leases were freed.
    """
    freed = 0
    for owned in connection.execute(Q["owned"]).fetchall():
        with connection.transaction():
            connection.execute(Q["lock"], owned)
            freed += connection.execute(Q["free_lost"], owned).fetchone() is not None
    return freed


def holders(connection: Connection) -> list[Holder]:
    """Who has a preset and is there, by preset."""
    return [
        Holder(row["preset"], row["owner_tag"], row["acquired_at"])
        for row in connection.execute(Q["holders"])
    ]


def holder(connection: Connection, preset: str) -> str | None:
    """The tag of who has the preset, and is there."""
    return next((one.tag for one in holders(connection) if one.preset == preset), None)

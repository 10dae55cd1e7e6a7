"""Named queries: all SQL of the project stands in files that psql can read."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: All SQL of the project: inside the package in a wheel, at the top level of a checkout.
SQL = Path(__file__).parents[1] / "sql"
if not SQL.is_dir():
    SQL = Path(__file__).parents[2] / "sql"
_NAME = re.compile(r"^-- name: *([a-z][a-z0-9_]*) *$")


@functools.cache
def queries(room: str) -> Mapping[str, bytes]:
    """The named queries of `sql/queries/<room>.sql`: name -> SQL with named parameters.

    Raises:
        ValueError: a name stands twice.
    """
    blocks: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (SQL / "queries" / f"{room}.sql").read_text(encoding="utf-8").splitlines():
        if named := _NAME.match(line):
            if named[1] in blocks:
                raise ValueError(f"Query {named[1]} stands twice in {room}.sql.")
            lines = blocks[named[1]] = []
        elif not line.lstrip().startswith("--"):  # a percent sign in a comment would be a parameter
            lines.append(line)
    return MappingProxyType({name: "\n".join(block).strip().encode() for name, block in blocks.items()})


Q = queries("database")

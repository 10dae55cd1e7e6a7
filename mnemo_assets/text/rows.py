"""The rows of tables: cells are separated by tabs, rows by newlines, and a cell holds neither. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_BREAKS: Final = re.compile(r"[\t\n\r\x0b\x0c\x85\u2028\u2029]+")


def cell(text: str) -> str:
    """The text of a cell on one line."""
    return text.strip() if text.isprintable() else _BREAKS.sub(" ", text).strip()


def row(cells: Iterable[str]) -> str:
    """The cells of a row on one line, without the empty ones at its end."""
    return "\t".join(map(cell, cells)).rstrip("\t")

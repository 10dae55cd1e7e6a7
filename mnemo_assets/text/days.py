"""The days in metadata. A clock that was never set says 1900, 1904 or 1970: such a day is none. Pure."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

#: Between the years in which any of our formats was first written and a future that nobody means.
_YEARS: Final = range(1971, 2200)
_ISO: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_PDF: Final = re.compile(r"(?:D:)?\s*(\d{4})(\d\d)(\d\d)")


def iso_day(text: str | None) -> date | None:
    """The day at the beginning of a time in ISO 8601, such as Office Open XML and OpenDocument have it."""
    return _day(_ISO.match((text or "").strip()))


def pdf_day(text: str | None) -> date | None:
    """The day in a date as PDF has it: D:YYYYMMDD and more."""
    return _day(_PDF.match(text or ""))


def plausible(day: date) -> date | None:
    """A day, unless it is one of those that nobody set."""
    return day if day.year in _YEARS else None


def _day(found: re.Match[str] | None) -> date | None:
    if found is None:
        return None
    try:
        return plausible(date(int(found[1]), int(found[2]), int(found[3])))
    except ValueError:
        return None

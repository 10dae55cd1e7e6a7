"""What a look at one thing came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "missing", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. It holds no name and no path of the archive's, and no value of a setting.

    Attributes:
        area: what it belongs to, such as `postgres`.
        name: what was looked at.
        state: `missing` is not there, `broken` is there and does not work.
        said: what was found, in a few words.
        mend: what to do, or nothing.
        needed: whether mnemo does its work only if this is ok.
    """

    area: str
    name: str
    state: State
    said: str
    mend: str = ""
    needed: bool = True

    @property
    def is_well(self) -> bool:
        """Whether mnemo can do its work, as far as this goes."""
        return self.state == "ok" or not self.needed


def well(area: str, name: str, said: str) -> Finding:
    """It works."""
    return Finding(area, name, "ok", said)


def lacking(area: str, name: str, said: str, mend: str, *, needed: bool = False) -> Finding:
    """It is not there; most such things can be done without."""
    return Finding(area, name, "missing", said, mend, needed)


def broken(area: str, name: str, said: str, mend: str, *, needed: bool = True) -> Finding:
    """It is there, and does not work."""
    return Finding(area, name, "broken", said, mend, needed)

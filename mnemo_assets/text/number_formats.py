"""What a spreadsheet shows for a number: a day, a percentage, a price, as its format has it. Pure.

Formats are those of ECMA-376, part 1, 18.8.30 and 18.8.31. Days are written as ISO 8601 has them, and numbers
without separators of thousands: both look different on each machine.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from math import isfinite
from typing import Final

#: The formats that need no definition and are not plain numbers. 27 to 36 and 50 to 58 are days and times of
#: East Asian locales.
BUILT_IN: Final = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%",
    14: "y-m-d", 15: "y-m-d", 16: "y-m-d", 17: "y-m-d", 18: "h:m", 19: "h:m:s", 20: "h:m", 21: "h:m:s",
    22: "y-m-d h:m", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 45: "m:s", 46: "[h]:m:s", 47: "m:s",
    **dict.fromkeys((*range(27, 32), 36, *range(50, 55), 57, 58), "y-m-d"),
    **dict.fromkeys((*range(32, 36), 55, 56), "h:m:s"),
}  # fmt: skip
_TOKEN: Final = re.compile(
    r"""
    "(?P<quoted>[^"]*)"? | \\(?P<escaped>.) | [_*](?P<filler>.) | \[\$(?P<currency>[^\]-]*)[^\]]*\]?
    | \[(?P<elapsed>[hms]+)\] | \[(?P<condition>(?:<[=>]?|>=?|=)[ ]*-?[0-9]+(?:\.[0-9]*)?)\]
    | \[(?P<bracket>[^\]]*)\]? | (?P<general>General) | (?P<half>AM/PM|A/P)
    | (?P<scientific>E[+-]) | (?P<day>[yd]+|m{3,5}|(?:gg?g?)?e+|b+) | (?P<month>m+) | (?P<time>[hs]+)
    | (?P<digits>[0-9#?.,/]+) | (?P<percent>%) | (?P<text>@) | (?P<end>;) | (?P<literal>.)
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
#: Code points of a format: Excel takes 255.
_LONGEST_FORMAT: Final = 1000
_MOST_DECIMALS: Final = 30
#: A percentage of a percentage has two marks: more are a bomb.
_MOST_PERCENTS: Final = 4
#: A spreadsheet keeps 15 digits: the places of a larger number mean nothing.
_LARGEST_EXACT: Final = 1e15
#: Spreadsheets round a half away from zero, as people do.
_ROUNDING: Final = Context(prec=60, rounding=ROUND_HALF_UP)
_SECONDS: Final = 86_400
#: The serial number of 9999-12-31, the last day there is.
_LAST_DAY: Final = 2_958_465
#: In the system of 1900 a 29 February 1900 is counted, which there was not: as 60.
_LEAP_DAY: Final = 60
_COMPARED: Final = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "<>": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
_Condition = tuple[str, float]
_ABOVE: Final[_Condition] = (">", 0.0)
_NOT_BELOW: Final[_Condition] = (">=", 0.0)
_BELOW: Final[_Condition] = ("<", 0.0)
_NOT_ABOVE: Final[_Condition] = ("<=", 0.0)
#: The conditions of one section, of two and of three, where they have none of their own.
_USUAL: Final[dict[int, tuple[_Condition | None, ...]]] = {
    1: (None,), 2: (_NOT_BELOW, None), 3: (_ABOVE, _BELOW, None),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Section:
    """A format, or one of its sections: literals, and between them one place for the number."""

    before: str = ""
    after: str = ""
    digits: tuple[str, ...] = ()  # runs of placeholders
    between: tuple[str, ...] = ()  # literals that stand between them
    percents: int = 0
    day: bool = False
    time: bool = False
    elapsed: bool = False
    general: bool = False
    condition: _Condition | None = None  # that a number has to meet


def shown(value: str, code: str, *, since_1904: bool = False) -> str:
    """A number as its format shows it; as it stands where it is none.

    Args:
        value: as the file has it.
        code: the format; nothing is the general one.
        since_1904: whether days are counted from 1904.
    """
    try:
        number = float(value)
    except ValueError:
        return value
    if not isfinite(number):
        return value
    if not code:
        return _general(value, number)
    sections = _sections(code[:_LONGEST_FORMAT])
    section, signed = _chosen(sections, number)
    if section.day or section.time or section.elapsed:
        return _moment(number, section, since_1904=since_1904) or _general(value, number)
    if section.general or not (section.digits or section.before or section.after):
        return section.before + _general(value, number) + section.after  # an empty section hides the number
    text = _written(abs(number), section)
    return f"-{text}" if signed and number < 0 else text


def _chosen(sections: tuple[_Section, ...], number: float) -> tuple[_Section, bool]:
    """The section for a number, and whether its sign is to be written: not where only negative ones come."""
    for section in sections:
        if section.condition is None:
            return section, [one.condition for one in sections[:-1]] not in ([_ABOVE], [_NOT_BELOW])
        sign, limit = section.condition
        if _COMPARED[sign](number, limit):
            return section, section.condition not in {_BELOW, _NOT_ABOVE}
    return _Section(general=True), True


def _general(value: str, number: float) -> str:
    plain = value.strip()
    if "." not in plain and "e" not in plain.lower():
        return plain
    return f"{number:.15g}"  # what a spreadsheet keeps of a number


def _written(number: float, section: _Section) -> str:
    """A number that is not negative, with the literals around it."""
    number *= 100.0**section.percents
    pattern = "".join(section.digits)
    if not pattern:
        return section.before + section.after
    if number >= _LARGEST_EXACT:
        return f"{section.before}{number:.15g}{section.after}"
    whole = number == int(number) and not set(pattern) & set(".,/")
    if whole and section.between and ("#" not in pattern or "".join(section.between).strip()):
        return section.before + _masked(int(number), section) + section.after
    return section.before + _digits(number, pattern) + section.after


def _digits(number: float, pattern: str) -> str:
    """A number with as many digits as its placeholders ask for."""
    if "/" in pattern:  # a fraction
        return f"{number:.15g}"
    whole, _, decimals = pattern.partition(".")
    thousands = len(pattern) - len(pattern.rstrip(",")) or len(whole) - len(whole.rstrip(","))
    number /= 1000.0**thousands
    if number == 0 and "0" not in pattern:
        return ""
    places = min(sum(mark in "0#?" for mark in decimals), _MOST_DECIMALS)
    least = min(decimals.rstrip(",").rfind("0") + 1, _MOST_DECIMALS)
    exact = Decimal(f"{number:.15g}").quantize(Decimal(1).scaleb(-places), context=_ROUNDING)
    text = f"{exact:f}"
    if places > least:
        kept = text.rstrip("0")
        text = max(kept.rstrip("."), text[: len(text) - places + least].rstrip("."), key=len)
    front, dot, rest = text.partition(".")
    return f"{front.zfill(whole.count('0'))}{dot}{rest}"


def _masked(number: int, section: _Section) -> str:
    """The digits of a number between literals, as in a telephone number: filled from the right."""
    left, pieces = str(number), []
    for run, literal in zip(reversed(section.digits), (*reversed(section.between), ""), strict=False):
        taken, left = left[-len(run) :], left[: -len(run)]
        pieces.append(literal + taken.rjust(len(run), "0" if "0" in run else " ").strip())
    return left + "".join(reversed(pieces))


def _moment(number: float, section: _Section, *, since_1904: bool) -> str | None:
    """A day, a time or both; None where there is no such day."""
    seconds = round(number * _SECONDS)
    if section.elapsed:
        sign, seconds = "-" if seconds < 0 else "", abs(seconds)
        return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    day, rest = divmod(seconds, _SECONDS)
    if not 0 <= day <= _LAST_DAY:
        return None
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}" + (f":{rest % 60:02}" if rest % 60 else "")
    if not section.day:
        return clock
    written = _day(day, since_1904=since_1904)
    return f"{written} {clock}" if section.time and written else written


def _day(serial: int, *, since_1904: bool) -> str | None:
    if serial == _LEAP_DAY and not since_1904:
        return "1900-02-29"
    first = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30 if serial > _LEAP_DAY else 31)  # noqa: DTZ001 - spreadsheets know no zones
    try:
        return (first + timedelta(days=serial)).date().isoformat()
    except OverflowError:
        return None


@lru_cache(maxsize=1000)
def _sections(code: str) -> tuple[_Section, ...]:
    found: list[list[re.Match[str]]] = [[]]
    for token in _TOKEN.finditer(code):
        if token.lastgroup == "end":
            found.append([])
        else:
            found[-1].append(token)
    if len(found) > 1 and any(token.lastgroup == "text" for token in found[-1]):
        found.pop()  # the last section may be for texts
    usual = _USUAL[min(len(found), max(_USUAL))]
    return tuple(
        replace(_section(tokens), condition=_condition(tokens) or condition)
        for tokens, condition in zip(found, usual, strict=False)  # a fourth one is for texts
    )


def _condition(tokens: list[re.Match[str]]) -> _Condition | None:
    """The condition that a section sets itself, such as [>=1000]."""
    said = next((token["condition"] for token in tokens if token.lastgroup == "condition"), "")
    sign = said.rstrip(" -.0123456789")
    return (sign, float(said[len(sign) :])) if sign else None


def _section(tokens: list[re.Match[str]]) -> _Section:
    kinds = [token.lastgroup or "" for token in tokens]
    clock = "time" in kinds or "half" in kinds
    if "elapsed" in kinds or clock or "day" in kinds or "month" in kinds:
        # an m is a month, or a minute where there are hours or seconds and no other sign of a day
        return _Section(
            day="day" in kinds or ("month" in kinds and not clock), time=clock, elapsed="elapsed" in kinds
        )
    texts: list[str] = [""]  # literals before, between and after runs of digits
    digits: list[str] = []
    for kind, token in zip(kinds, tokens, strict=True):
        if kind in {"digits", "general", "text"}:
            digits.append(token[0])
            texts.append("")
        elif kind in {"quoted", "escaped", "currency", "literal", "percent"}:
            texts[-1] += token[kind]
    return _Section(
        before=texts[0],
        after=texts[-1] if digits else "",
        digits=tuple(digits),
        between=tuple(texts[1:-1]),
        percents=min(kinds.count("percent"), _MOST_PERCENTS),
        general=not {"general", "scientific", "text"}.isdisjoint(kinds),
    )

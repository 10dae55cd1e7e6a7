"""Pure: find the dates that a text states, and parse one. Better no date than a wrong one.

A date is a year, a month of a year, or a day; its value is ISO (`2020`, `2020-10`, `2020-10-05`). What needs
a guess is no date: 03/04/2020 (two readings), two-digit years, a day that the calendar lacks, a lone number.
See docs/decisions/0004-own-date-grammar.md.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Precision = Literal["day", "month", "year"]


@dataclass(frozen=True, slots=True)
class Day:
    """A date: its ISO value, and how much of it is known."""

    value: str
    precision: Precision


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date in a text: `text[start:end]` is the date's words, without weekday and time of day."""

    start: int
    end: int
    value: str
    precision: Precision


#: Names by month: English, German, French, Spanish, Italian, Dutch, Portuguese; with and without accents.
_FULL: Final = (
    "january januar jänner janvier enero gennaio januari janeiro",
    "february februar feber février fevrier febrero febbraio februari fevereiro",
    "march märz maerz mars marzo maart março marco",
    "april avril abril aprile",
    "may mai mayo maggio mei maio",
    "june juni juin junio giugno junho",
    "july juli juillet julio luglio julho",
    "august août aout agosto augustus",
    "september septembre septiembre setiembre settembre setembro",
    "october oktober octobre octubre ottobre outubro",
    "november novembre noviembre novembro",
    "december dezember décembre decembre diciembre dicembre december dezembro",
)
_SHORT: Final = (
    "jan janv ene gen",
    "feb febr févr fév fevr fev",
    "mar mär mrz mrt",
    "apr avr abr",
    "mag",
    "jun giu",
    "jul juil lug",
    "aug ago",
    "sep sept set",
    "oct okt ott out",
    "nov",
    "dec dez déc dic",
)
_MONTHS: Final = {
    name: number
    for table in (_FULL, _SHORT)
    for number, names in enumerate(table, start=1)
    for name in names.split()
}
#: Without a day these are too often other words: "may 2020 bring", "to march 2020 miles", "set 2020 apart",
#: and "Mars 2020", which flew to another planet.
_WORDS_IN_LOWER_CASE: Final = frozenset({"may", "march", "marco"})
_WORDS_AS_CAPITALS: Final = frozenset({"mars"})
_ALONE_IF_CAPITAL: Final = frozenset(
    {"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "okt", "nov", "dec", "dez", "mrz"}
)

_GAP = r"[ \t\u00a0\u202f]{1,3}"
_MONTH = r"(?P<month>[^\W\d_]{3,10})\.?"
_YEAR = r"(?P<year>1[5-9][0-9][0-9]|2[01][0-9][0-9])"
_DAY = r"(?P<day>[0-9]{1,2})"
#: What may not stand right before a date: another number's rest, a version's v, a sign, a currency.
_BEFORE = r"(?<![\w./:+\-$€£#§])"

_ANCHOR: Final = re.compile(r"(?<!\d)(?:1[5-9]|2[01])[0-9][0-9](?!\d)")
_AFTER: Final = re.compile(r"(?![\w%]|[./:,\-–]\d|/\w)")
_AFTER_ISO: Final = re.compile(r"(?=[Tt]\d\d)|(?![\w%]|[./:,\-–]\d|/\w)")

_ISO: Final = re.compile(_BEFORE + _YEAR + r"(?P<mark>[-/])(?P<number>[0-9]{2})(?P=mark)(?P<day>[0-9]{2})")
_NUMERIC: Final = re.compile(
    _BEFORE + _DAY + r"(?P<mark>[./-])[ \u00a0]?(?P<number>[0-9]{1,2})(?P=mark)[ \u00a0]?" + _YEAR + r"\Z"
)
_DAY_FIRST: Final = re.compile(
    _BEFORE
    + _DAY
    + rf"(?:st|nd|rd|th|ste|er|de|e|º|ª|°|\.)?(?:{_GAP}|[-/]|(?<=\.))"
    + rf"(?:(?:of|de|del|di){_GAP}|d['’])?{_MONTH},?(?:{_GAP}|[-/])(?:(?:of|de|del){_GAP})?{_YEAR}\Z",
    re.IGNORECASE,
)
_MONTH_FIRST: Final = re.compile(
    rf"(?<![\w-]){_MONTH}{_GAP}{_DAY}(?:st|nd|rd|th)?(?:,{_GAP}|,|{_GAP}){_YEAR}\Z", re.IGNORECASE
)
_MONTH_ALONE: Final = re.compile(
    rf"(?<![\w-]){_MONTH},?{_GAP}(?:(?:of|de|del){_GAP})?{_YEAR}\Z", re.IGNORECASE
)
#: Code points looked at before a year: "30th of September, " has 19, and spaces may be doubled.
_REACH: Final = 36

_VERSION_BEFORE: Final = re.compile(
    r"(?:version|release|build|python|ver\.?|rev\.?|v\.?|ip)[ \t]{0,2}\Z", re.IGNORECASE
)
#: Words that ask for a year. All fit into `_REACH`.
_YEAR_BEFORE: Final = re.compile(
    r"(?<!\w)(?:in|since|until|till|from|during|before|after|year|born|early|late|mid"
    r"|summer|winter|spring|autumn|(?:summer|winter|spring|autumn|end|beginning|year)[ ](?:of|de|del)"
    r"|jahre?|seit|anno|en|depuis|desde|(?:l['’])?année|año|ano|nel|dal|em|sinds|jaar"
    r"|between[ ]\d{4}[ ]and|from[ ]\d{4}[ ]to)[ \u00a0]\Z",
    re.IGNORECASE,
)
#: After a bare number these make it a count or an amount: "in 2000 copies", "after 1800 km".
_COUNTED: Final = re.compile(
    r"[ \u00a0-](?:%|(?:k?m|cm|mm|kg|g|mg|m²|km²|ft|lbs?|mph|rpm|mb|gb|kb|hz|mhz|watts?|eur|euros?|usd"
    r"|dollars?|chf|gbp|pounds?|people|persons?|men|women|children|million|billion|percent|degrees|hours|days|years"
    r"|weeks|months|minutes|seconds|miles|met(?:er|re)s?|metern?|copies|pages|words|cases|units|pieces|items"
    r"|tons?|tonnes|fällen|stück|jahren?|seiten|personen|menschen|personnes|personas|páginas"
    r"|exemplare[ns]?)(?!\w))",
    re.IGNORECASE,
)
_LIFE: Final = re.compile(
    r"\((?P<first>1[5-9][0-9]{2}|2[01][0-9]{2})[ ]?[–-][ ]?(?P<last>1[5-9][0-9]{2}|2[01][0-9]{2})\)"
)
_WEEKDAY: Final = re.compile(
    r"(?:[^\W\d_]{2,12}\.?,?(?:[ \t]{1,3}(?:the|den|le|el|il|o|de)(?=[ \t]))?[ \t]{1,3})?", re.IGNORECASE
)
_TIME: Final = re.compile(
    r"(?:(?:T|,?[ \t]{1,3}(?:at[ ])?)\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:[ ]?[AaPp]\.?[Mm]\.?)?"
    r"(?:[ ]?(?:Z|[A-Z]{2,4}|[+-]\d\d:?\d\d)(?:[ ]\([A-Z]{1,5}\))?)?)?"
)
#: Longer than any date with weekday, time and zone.
_LONGEST: Final = 64
#: A life is shorter than this many years; a longer pair of numbers is something else.
_LIFETIME: Final = 120


def find(text: str) -> Iterator[FoundDate]:
    """The dates in a text, in order, without overlaps. Linear in its length, whatever it holds."""
    done = 0
    for anchor in _ANCHOR.finditer(text):
        if anchor.start() < done:
            continue
        found = _around(text, anchor.start(), anchor.end())
        if found is not None and found.start >= done:
            done = found.end
            yield found


def parse(text: str) -> Day | None:
    """The date that the whole text is, with a weekday before and a time after it allowed; else None.

    Also takes what `find` does not take within prose: `1998` and `2020-10`.
    """
    words = text.strip()
    if len(words) > _LONGEST:
        return None
    if re.fullmatch(_YEAR, words, re.ASCII):
        return Day(words, "year")
    year_month = re.fullmatch(_YEAR + r"-(?P<number>0[1-9]|1[0-2])", words, re.ASCII)
    if year_month:
        return Day(words, "month")
    found = next(find(words), None)
    if found is None or found.precision == "year":
        return None
    if not _WEEKDAY.fullmatch(words, 0, found.start) or not _TIME.fullmatch(words, found.end):
        return None
    return Day(found.value, found.precision)


def _around(text: str, start: int, end: int) -> FoundDate | None:
    """The date whose year stands at [start:end]."""
    iso = _ISO.match(text, start)
    if iso and _AFTER_ISO.match(text, iso.end()):
        return _day(iso, iso["number"])
    if not _AFTER.match(text, end):
        return _life(text, start, end)
    reach = max(0, start - _REACH)
    numeric = _NUMERIC.search(text, reach, end)
    if numeric:
        return _numbers(text, numeric)
    for pattern in (_DAY_FIRST, _MONTH_FIRST):
        named = pattern.search(text, reach, end)
        if named and named["month"].casefold() in _MONTHS:
            return _day(named, named["month"])
    alone = _MONTH_ALONE.search(text, reach, end)
    if alone and _says_month(alone["month"]):
        value = f"{alone['year']}-{_MONTHS[alone['month'].casefold()]:02}"
        return FoundDate(alone.start(), alone.end(), value, "month")
    return _bare_year(text, start, end) or _life(text, start, end)


def _numbers(text: str, match: re.Match[str]) -> FoundDate | None:
    """Dotted numbers have the day first. Slashes and hyphens do not say, unless only one reading exists."""
    if _VERSION_BEFORE.search(text, max(0, match.start() - 12), match.start()):
        return None
    first, second = int(match["day"]), int(match["number"])
    if match["mark"] == "." or first == second:
        return _valid(match, second, first)
    if first > 12 >= second:  # noqa: PLR2004 - a year has twelve months
        return _valid(match, second, first)
    if second > 12 >= first:  # noqa: PLR2004 - the same
        return _valid(match, first, second)
    return None


def _day(match: re.Match[str], month: str) -> FoundDate | None:
    number = int(month) if month.isdecimal() else _MONTHS[month.casefold()]
    return _valid(match, number, int(match["day"]))


def _valid(match: re.Match[str], month: int, day: int) -> FoundDate | None:
    """The match as a day, unless the calendar has no such day."""
    try:
        value = dt.date(int(match["year"]), month, day).isoformat()
    except ValueError:
        return None
    return FoundDate(match.start(), match.end(), value, "day")


def _says_month(word: str) -> bool:
    """Whether a word before a year is a month's name and hardly anything else."""
    key = word.casefold()
    if key not in _MONTHS:
        return False
    if key in _ALONE_IF_CAPITAL:
        return word[0].isupper()
    if key in _WORDS_AS_CAPITALS:
        return word[0].islower()
    if key in _WORDS_IN_LOWER_CASE:
        return word[0].isupper()
    return any(key in names.split() for names in _FULL)


def _bare_year(text: str, start: int, end: int) -> FoundDate | None:
    """A lone number is a year only after words that ask for one, and when nothing is counted by it."""
    if not _YEAR_BEFORE.search(text, max(0, start - 24), start) or _COUNTED.match(text, end):
        return None
    return FoundDate(start, end, text[start:end], "year")


def _life(text: str, start: int, end: int) -> FoundDate | None:
    """Either year of "(1912–1954)"."""
    for opening in range(max(0, start - 8), start):
        life = _LIFE.match(text, opening)
        if life and start in (life.start("first"), life.start("last")):
            lived = int(life["last"]) - int(life["first"])
            return FoundDate(start, end, text[start:end], "year") if 0 < lived <= _LIFETIME else None
    return None

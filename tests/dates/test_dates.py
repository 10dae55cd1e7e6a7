from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets import dates
from mnemo_assets.dates import Day


def found(text: str) -> list[tuple[str, str]]:
    return [(text[date.start : date.end], date.value) for date in dates.find(text)]


@pytest.mark.parametrize(
    ("text", "words", "value"),
    [
        ("signed 2020-10-05.", "2020-10-05", "2020-10-05"),
        ("at 2020-10-05T10:11:12Z it", "2020-10-05", "2020-10-05"),
        ("on 2020/10/05 it", "2020/10/05", "2020-10-05"),
        ("am 5.10.2020 in", "5.10.2020", "2020-10-05"),
        ("am 05. 10. 2020.", "05. 10. 2020", "2020-10-05"),
        ("on 25/10/2020,", "25/10/2020", "2020-10-25"),
        ("on 10/25/2020,", "10/25/2020", "2020-10-25"),
        ("on 04/04/2020,", "04/04/2020", "2020-04-04"),
        ("op 25-10-2020 is", "25-10-2020", "2020-10-25"),
        ("on 5 October 2020 she", "5 October 2020", "2020-10-05"),
        ("on the 5th of October 2020", "5th of October 2020", "2020-10-05"),
        ("on October 5, 2020 she", "October 5, 2020", "2020-10-05"),
        ("on Oct. 5th, 2020 she", "Oct. 5th, 2020", "2020-10-05"),
        ("on 5-Oct-2020 she", "5-Oct-2020", "2020-10-05"),
        ("Mon, 5 Oct 2020 10:11:12 +0200", "5 Oct 2020", "2020-10-05"),
        ("in Oct 2020 she", "Oct 2020", "2020-10"),
        ("in May 2020 she", "May 2020", "2020-05"),
        ("den 5. Oktober 2020", "5. Oktober 2020", "2020-10-05"),
        ("am 3. März 2021", "3. März 2021", "2021-03-03"),
        ("le 1er octobre 2020", "1er octobre 2020", "2020-10-01"),
        ("le 14 févr. 2020", "14 févr. 2020", "2020-02-14"),
        ("en août 2020", "août 2020", "2020-08"),
        ("el 5 de octubre de 2020", "5 de octubre de 2020", "2020-10-05"),
        ("il 5 ottobre 2020", "5 ottobre 2020", "2020-10-05"),
        ("op 5 maart 2020", "5 maart 2020", "2020-03-05"),
        ("em 5 de março de 2020", "5 de março de 2020", "2020-03-05"),
        ("29 February 2020", "29 February 2020", "2020-02-29"),
        ("in 1998 he", "1998", "1998"),
        ("since 2004.", "2004", "2004"),
        ("im Jahr 1998", "1998", "1998"),
    ],
)
def test_forms(text: str, words: str, value: str) -> None:
    """A stated date is found as its own words, with its ISO value."""
    assert found(text) == [(words, value)]


@pytest.mark.parametrize(
    "text",
    [
        "on 03/04/2020",  # two readings
        "on 03-04-2020",
        "on 5.10.20",  # which century
        "31 February 2020",
        "Feb 31, 2020",
        "29.02.2021",
        "2020-13-05",
        "2020-02-30",
        "5.13.2020",
        "0.10.2020",
        "version 3.10.2020",
        "v3.10.2020",
        "release 1.2.2020.4",
        "10.0.2020.1",
        "192.168.10.2020",
        "call 1998 2004",
        "page 2020",
        "+49-10-2020",
        "costs 2000 euros",
        "in 2000 copies",
        "in 2000 km",
        "in 2,000",
        "from 1999.50 up",
        "in 2020%",
        "2020",
        "© 2020",
        "set 2020 as the target",
        "you may 2020 times",
        "to march 2020 miles",
        "the Mars 2020 rover",
        "ISO 2020-10",
        "room 2010/12",
        "x2020-10-05",
        "20201005",
        "31.12.2020.5",
        "(1998–1512)",
        "(2000-1500)",
        "in 9999",
        "invoice 10/2020",
    ],
)
def test_not_dates(text: str) -> None:
    """What needs a guess, or is a version, an amount or a number, is no date."""
    assert found(text) == []


def test_several() -> None:
    """Dates come in order, each with its own precision."""
    text = "From 1998 to 2004, then May 2005; Alan (1912–1954) on 7 June 1954."
    assert [(d.value, d.precision) for d in dates.find(text)] == [
        ("1998", "year"),
        ("2004", "year"),
        ("2005-05", "month"),
        ("1912", "year"),
        ("1954", "year"),
        ("1954-06-07", "day"),
    ]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("5 Oct 2020", Day("2020-10-05", "day")),
        ("2020-10-05", Day("2020-10-05", "day")),
        (" Monday, October 5, 2020 ", Day("2020-10-05", "day")),
        ("Mon, 5 Oct 2020 10:11:12 +0200 (CEST)", Day("2020-10-05", "day")),
        ("2020-10-05T10:11:12.123Z", Day("2020-10-05", "day")),
        ("2020-10-05 10:11", Day("2020-10-05", "day")),
        ("2020-10", Day("2020-10", "month")),
        ("Oct 2020", Day("2020-10", "month")),
        ("1998", Day("1998", "year")),
        ("03/04/2020", None),
        ("2020-13", None),
        ("in 1998", None),
        ("5 Oct 2020 and more", None),
        ("5 Oct 2020, 6 Oct 2020", None),
        ("", None),
        ("9" * 10_000, None),
    ],
)
def test_parse(text: str, day: Day | None) -> None:
    """A whole text that is one date has one value, however it is written; any other has none."""
    assert dates.parse(text) == day


@given(st.text(alphabet=st.sampled_from("0123456789 .-/:,\nOctobermayMä()–e't"), max_size=300) | st.text())
def test_spans_parse(text: str) -> None:
    """Every date found is one line of the text, and reads the same when it stands alone."""
    end = 0
    for date in dates.find(text):
        words = text[date.start : date.end]
        assert date.start >= end
        assert "\n" not in words
        assert dates.parse(words) == Day(date.value, date.precision)
        end = date.end


@given(
    st.dates(min_value=dt.date(1500, 1, 1), max_value=dt.date(2199, 12, 31)),
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%a, %d %b %Y 10:11:12 +0000"]),
)
def test_round_trip(date: dt.date, form: str) -> None:
    """A day written in a usual form is that day again."""
    assert dates.parse(date.strftime(form)) == Day(date.isoformat(), "day")


@pytest.mark.parametrize(
    "piece",
    ["9", "2020", "2020-", "1.", "1/", " ", "May ", "5 May ", "2020 ", "(2020-2021", "in ", "de 2020 "],
)
def test_hostile_length(piece: str) -> None:
    """A long run of what dates are made of costs its length: a quadratic search would not end."""
    assert len(list(dates.find(piece * (500_000 // len(piece))))) <= 500_000

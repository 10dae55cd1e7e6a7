from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.text.dating import document_date
from mnemo_assets.text.pages import Metadata

DAY = date(2021, 3, 3)
CREATED = date(2022, 1, 1)
SPELLINGS = (
    "3 March 2021", "March 3, 2021", "3rd March 2021", "3. März 2021", "03.03.2021", "3.3.2021", "2021-03-03",
    "3 mars 2021", "3 de marzo de 2021", "3 marzo 2021", "3 maart 2021", "Wednesday, 3 March 2021",
    "Mittwoch, 3. März 2021", "mercredi 3 mars 2021", "03/03/2021",
)  # fmt: skip
BEFORE = ("", "Bristol, ", "Berlin, den ", "Paris, le ", "Madrid, a ", "Roma, lì ", "Den Haag, ")
LETTER = "Nordwind Insurance Ltd\n12 Quay Street\nBristol BS1 4AA\n\n{}\n\nDear Mr Miller,\n\nwe write."


def content(text: str, metadata: Metadata | None = None) -> date | None:
    day, source = document_date(text, metadata or Metadata())
    return day if source == "content" else None


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("before", BEFORE)
def test_a_letter_has_its_date_in_its_head(before: str, spelling: str) -> None:
    """A line that is a date, or a place and a date, in any spelling that has one reading."""
    assert content(LETTER.format(before + spelling)) == DAY


@pytest.mark.parametrize(
    "line",
    [
        "Date: 3 March 2021", "Invoice date: 3 March 2021", "Invoice no. 7\tInvoice date\t3 March 2021",
        "Invoice no. 7 | Invoice date: 3 March 2021 | Due date: 3 April 2021", "Statement date\n3 March 2021",
        "Rechnungsdatum: 03.03.2021", "Datum 3.3.2021", "Ausgestellt am 3. März 2021", "**Date:** 2021-03-03",
        "Date de facture : 3 mars 2021", "Date d’émission: 3 mars 2021", "Fecha: 3 de marzo de 2021",
        "Data fattura: 3 marzo 2021", "Factuurdatum: 3 maart 2021", "Date: Wed, 3 Mar 2021 10:00:00 +0100",
        "Dated 3 March 2021", "date: 2021-03-03",
    ],
)  # fmt: skip
def test_a_label_says_which_day_it_is(line: str) -> None:
    """In the same cell, in the next one, or in the line below; other days beside it do not count."""
    assert content(f"ACME\n\nCustomer: Ada\n{line}\n\nDue date: 3 April 2021\nTotal: 42") == DAY


@pytest.mark.parametrize(
    "line",
    [
        "Due date: 3 March 2021", "Date of birth: 3.3.1980", "Geburtsdatum: 3.3.1980",
        "Fälligkeitsdatum: 03.03.2021",
        "Born, 3 March 1980", "geb. 3.3.1980", "Due 3 March 2021", "Page 3 March 2021",
        "Fällig, den 3. März 2021",
        "Date: 3/4/2021", "Date: 03.03.21", "March 2021", "Bristol, March 2021", "Date: 2021",
        "3 March 2021 – 5 March 2021", "1.3.2021 - 31.3.2021", "Date: 1 March 2021 to 3 March 2021",
        "Berlin, 3. bis 5. März 2021", "Date: 30 February 2021", "Date:", "Valid until, 3 March 2021",
        "Date: 3 March 2021\nInvoice date: 4 March 2021", "3 March 2021\n5 March 2021",
        "Your letter of 3 March 2021", "On 3 March 2021 we met.", "Date: 3 March 1066",
        "bristol, 3 March 2021",
    ],
)  # fmt: skip
def test_what_is_another_day_or_a_guess_is_none(line: str) -> None:
    """Days that are due, birthdays, ranges, two readings, two days, prose: better none."""
    assert content(LETTER.format(line)) is None
    assert document_date(LETTER.format(line), Metadata(created=CREATED)) == (CREATED, "metadata")


def test_only_the_head_of_the_first_page_counts() -> None:
    """A date far down, or on another page, is not the document's."""
    assert content("word\n" * 16 + "3 March 2021") is None
    assert content("word\n" * 61 + "Date: 3 March 2021") is None
    assert content("Dear Ada\f3 March 2021") is None
    assert content("word\n" * 20 + "Date: 3 March 2021") == DAY


def test_a_mail_is_dated_by_its_own_header() -> None:
    """Its day is in its content; without one, the days of the mails that it quotes are not its."""
    assert document_date("3 May 2020", Metadata(sent=DAY, created=CREATED)) == (DAY, "content")
    assert document_date("Date: 3 May 2020", Metadata(sender="Ada")) == (None, None)


def test_a_day_that_was_to_come_does_not_date_a_file() -> None:
    """An invitation says another day than its own; a label is believed."""
    made = Metadata(created=DAY - timedelta(days=90), modified=DAY - timedelta(days=60))
    assert content("Harbour party\n3 March 2021", made) is None
    assert content("Date: 3 March 2021", made) == DAY
    assert content("Harbour party\n3 March 2021", Metadata(modified=DAY - timedelta(days=9))) == DAY


@given(st.dates(date(1870, 1, 1), date(2099, 12, 31)), st.sampled_from(["{}", "Date: {}", "Bristol, {}"]))
def test_every_day_is_read_back(day: date, around: str) -> None:
    """Whatever the day, as ISO 8601 has it and as a letter has it."""
    for written in (day.isoformat(), f"{day.day} {day:%B %Y}", f"{day:%d.%m.%Y}"):
        assert content(LETTER.format(around.format(written))) == day


@given(st.text(max_size=400))
def test_any_text_has_a_day_or_none(text: str) -> None:
    """No text breaks it."""
    assert document_date(text, Metadata(created=CREATED))[1] in {"content", "metadata"}


@given(
    st.lists(st.sampled_from(["Date", ":", " ", "3", "March", "2021", ",", "\n", "\t", "den", "Berlin", "."]))
)
def test_what_is_found_was_written(words: list[str]) -> None:
    """Of the words of a date, in any order, no other day than theirs is made."""
    assert content("".join(words)) in {None, DAY, date(2021, 3, 3)} | {
        date(2021, 3, day) for day in range(1, 32)
    }


def test_hostile_texts_are_soon_dated() -> None:
    """Long lines, many cells, many labels."""
    for line in ("a", "\t", "Date: ", "A ", "Datum\n", "A-", "Date\t3 March 2020\t"):
        assert content(line * 200_000) in {None, date(2020, 3, 3)}

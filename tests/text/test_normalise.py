from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.text.normalise import FORBIDDEN, LINE_LIMIT, join, normalise, one_line, page_of

ODD = (
    "ab \t\r\n\x0b\x0c\x85\u2028\u2029\x00\x1f\x7f\x9f\xa0\xad\u200b\u200d\u202e\ufeff"
    "\ufb03\u0308\u0301e\ud800\u0323Å"
)
TEXTS = st.text(st.one_of(st.sampled_from(ODD), st.characters()))


@pytest.mark.parametrize(
    ("page", "normal", "removed"),
    [
        ("a\r\nb\rc\u2028d\x85e\x0cf", "a\nb\nc\nd\ne\nf", 0),
        ("Quarterly\x00 note\x01", "Quarterly note", 2),
        ("so\u00adft \u200bzero\ufeff \u202ebidi\u202c", "soft zero bidi", 5),
        ("\u0645\u06cc\u200c\u062e\u0648\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0645", 0),
        ("e\ufb03cient \ufb01n \ufb06", "efficient fin st", 0),
        ("Mu\u0308ller", "Müller", 0),
        ("one\ud800two", "one\ufffdtwo", 0),
        ("a \t\nb  \n\n\n\nc\n\n", "a\nb\n\nc", 0),
        ("  indented", "  indented", 0),
        ("10\u00a0000", "10 000", 0),
        ("", "", 0),
    ],
)  # fmt: skip
def test_a_page_has_one_form(page: str, normal: str, removed: int) -> None:
    """Each way of writing the same page ends in the same text, and what is dropped is counted."""
    assert normalise(page) == (normal, removed)


@given(TEXTS)
def test_normalising_twice_changes_nothing(page: str) -> None:
    """Text that is normal stays as it is, so that offsets never move."""
    normal, _ = normalise(page)
    assert normalise(normal) == (normal, 0)


@given(TEXTS)
def test_a_page_can_be_stored_and_split(page: str) -> None:
    """No NUL, no lone surrogate, no form feed is left, and the page is NFC."""
    normal, _ = normalise(page)
    assert not FORBIDDEN.search(normal)
    assert "\f" not in normal
    assert unicodedata.is_normalized("NFC", normal)
    normal.encode()  # a lone surrogate would raise


@given(st.lists(TEXTS, min_size=1))
def test_pages_keep_their_starts(pages: list[str]) -> None:
    """Each page stands where its start says, and every offset in it maps back to it."""
    text, starts, removed = join(pages)
    normal = [normalise(page) for page in pages]
    assert text.split("\f") == [page for page, _ in normal]
    assert removed == sum(dropped for _, dropped in normal)
    for number, (start, (page, _)) in enumerate(zip(starts, normal, strict=True), 1):
        assert text[start : start + len(page)] == page
        assert {page_of(starts, start), page_of(starts, start + len(page))} == {number}


def test_blanks_do_not_take_quadratic_time() -> None:
    """A megabyte of blanks inside of a line is normalised at once; it would take hours if each were tried."""
    assert normalise("a" + " \t" * 500_000 + "b \n")[0].endswith("b")


def test_a_title_is_one_line() -> None:
    """A title from metadata is one line of bounded length."""
    assert one_line(" The\r\n\x00harbour\u00a0 report ") == "The harbour report"
    assert len(one_line("x" * 100_000)) == LINE_LIMIT

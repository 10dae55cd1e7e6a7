from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.graph.names import canonical_key, display_name

TYPES = st.sampled_from(["Person", "Org", "Place", "Date", "Thing"])


@given(TYPES, st.text())
def test_the_key_of_a_key_is_itself(type_: str, name: str) -> None:
    """Whatever was a key once is the same key ever after."""
    key = canonical_key(type_, name)
    assert canonical_key(type_, key) == key


def test_every_character_folds_to_the_end_at_once() -> None:
    """No single character's key is another key."""
    characters = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    assert [
        c
        for c in characters
        if canonical_key("Org", f"a{c}b") != canonical_key("Org", canonical_key("Org", f"a{c}b"))
    ] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Electrons", "ELECTRONS"),
        ("Zoë  Müller", "Zoe\u0308\nMu\u0308ller"),
        ("O’Brien", "O'Brien"),
        ("Jean‑Luc", "Jean-Luc"),
        ("ＡＣＭＥ", "Acme"),
        ("Straße", "STRASSE"),
        ("Donau\u00addampfschiff", "Donaudampfschiff"),
        (" Acme\u00a0Ltd ", "Acme Ltd"),
    ],
)
def test_spellings_that_are_one(one: str, other: str) -> None:
    """Case, white space, compatibility forms and the shapes of quotes and dashes do not tell names apart."""
    assert canonical_key("Org", one) == canonical_key("Org", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jon Doe", "Jon T. Doe"),
        ("Jon Doe", "John Doe"),
        ("UPS", "USPS"),
        ("Muller", "Müller"),
        ("Account 1001", "Account 1002"),
        ("Acme", "Acme Ltd"),
    ],
)
def test_similar_names_stay_apart(one: str, other: str) -> None:
    """A missed merge is better than a wrong one: nothing is joined for being similar."""
    assert canonical_key("Person", one) != canonical_key("Person", other)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("5 Oct 2020", "2020-10-05"),
        ("2020-10-05", "2020-10-05"),
        ("October 5, 2020", "2020-10-05"),
        ("October 2020", "2020-10"),
        ("2020", "2020"),
        ("03/04/2020", "03/04/2020"),
        ("Next  Tuesday", "next tuesday"),
    ],
)
def test_dates_are_keyed_by_value_and_precision(name: str, key: str) -> None:
    """A date's key is its ISO value, as precise as the date is; what is no date for certain is its words."""
    assert canonical_key("Date", name) == key


def test_only_dates_are_dates() -> None:
    """A novel called 1984 is not a year."""
    assert canonical_key("Thing", "5 Oct 2020") == "5 oct 2020"


@pytest.mark.parametrize(
    ("forms", "shown"),
    [
        ({"Acme": 1, "ACME": 2}, "ACME"),
        ({"Acme": 1, "Acme Ltd": 1}, "Acme Ltd"),
        ({"acme": 1, "Acme": 1, "ACME": 1}, "ACME"),
        ({"Jon\nDoe": 1, "Jon Doe": 1, "jon doe": 1}, "Jon Doe"),
    ],
)
def test_the_form_that_is_shown(forms: dict[str, int], shown: str) -> None:
    """The most frequent form, then the longest, then the first in code-point order; blanks do not count."""
    assert display_name(forms) == shown


@given(st.dictionaries(st.text(min_size=1), st.integers(1, 5), min_size=1))
def test_the_form_does_not_depend_on_the_order(forms: dict[str, int]) -> None:
    """The same forms show the same name in whatever order they were counted."""
    assert display_name(forms) == display_name(dict(reversed(forms.items())))

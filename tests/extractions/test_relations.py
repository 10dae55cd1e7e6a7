from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mnemo_assets.extractions.extractor import Extractor


def said(extractor: Extractor, text: str) -> list[tuple[str, str, str]]:
    extraction = extractor.extract([text])[0]
    return [
        (extraction.entities[r.subject].name, r.predicate, extraction.entities[r.object].name)
        for r in extraction.relations
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Miller works for Nordwind Ltd.", [("Ann Miller", "works for", "Nordwind Ltd")]),
        ("Dr. Ann Miller works for\nNordwind Ltd.", [("Ann Miller", "works for", "Nordwind Ltd")]),
        ("Zorblo Quandt works for Meridian.", [("Zorblo Quandt", "works for", "Meridian")]),
        (
            "Bob Stone is employed by the Bank of England.",
            [("Bob Stone", "is employed by", "Bank of England")],
        ),
        ("We met Bob Stone, who works for Nordwind Ltd.", [("Bob Stone", "works for", "Nordwind Ltd")]),
        ("Ann Miller, born in Paris, is here.", [("Ann Miller", "born in", "Paris")]),
        (
            "Ann Miller was born on 5 May 1950 in Munich.",
            [("Ann Miller", "was born on", "5 May 1950"), ("Ann Miller", "was born in", "Munich")],
        ),
        (
            "Jon T. Doe, born in Paris, lives in Berlin.",
            [("Jon T. Doe", "born in", "Paris"), ("Jon T. Doe", "lives in", "Berlin")],
        ),
        ("Mnemo depends on PostgreSQL.", [("Mnemo", "depends on", "PostgreSQL")]),
        ("Ann Miller, CEO of Nordwind Ltd, left.", [("Ann Miller", "ceo of", "Nordwind Ltd")]),
        ("Ann Miller is the founder of Nordwind Ltd.", [("Ann Miller", "is the founder of", "Nordwind Ltd")]),
        ("Ann Miller is married to Bob Stone.", [("Ann Miller", "is married to", "Bob Stone")]),
        ("Nordwind Ltd acquired Westwind GmbH in 2004.", [("Nordwind Ltd", "acquired", "Westwind GmbH")]),
        (
            "Nordwind Ltd was acquired by Westwind GmbH.",
            [("Nordwind Ltd", "was acquired by", "Westwind GmbH")],
        ),
        ("Nordwind Ltd was founded by Ann Miller.", [("Nordwind Ltd", "was founded by", "Ann Miller")]),
        ("Nordwind Ltd is based in London.", [("Nordwind Ltd", "is based in", "London")]),
        (
            "Westwind GmbH, a subsidiary of Nordwind Ltd, is new.",
            [("Westwind GmbH", "subsidiary of", "Nordwind Ltd")],
        ),
        (
            "Ann Miller and Bob Stone work for Nordwind Ltd.",
            [("Ann Miller", "work for", "Nordwind Ltd"), ("Bob Stone", "work for", "Nordwind Ltd")],
        ),
        ("Klara Voss arbeitet für die Nordwind AG.", [("Klara Voss", "arbeitet für", "Nordwind AG")]),
        ("Quill Brandt (42) works for Meridian.", [("Quill Brandt", "works for", "Meridian")]),
        (
            "Ann Miller (born 5 May 1950 in Berlin) works at Nordwind AG.",
            [
                ("Ann Miller", "born", "5 May 1950"),
                ("Ann Miller", "born in", "Berlin"),
                ("Ann Miller", "works at", "Nordwind AG"),
            ],
        ),
        (
            "Bob Stone, a director of Nordwind Ltd, lives in Leeds.",
            [("Bob Stone", "director of", "Nordwind Ltd"), ("Bob Stone", "lives in", "Leeds")],
        ),
        ("Zoe Laurent habite à Lyon.", [("Zoe Laurent", "habite à", "Lyon")]),
    ],
)
def test_stated(extractor: Extractor, text: str, expected: list[tuple[str, str, str]]) -> None:
    """What a sentence states is a relation, in the direction and the words in which it says it."""
    assert [(s, p.removeprefix("a "), o) for s, p, o in said(extractor, text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Ann Miller does not work for Nordwind Ltd.",
        "Ann Miller never works for Nordwind Ltd.",
        "Ann Miller no longer works for Nordwind Ltd.",
        "It is not true that Ann Miller works for Nordwind Ltd.",
        "He denied that Ann Miller works for Nordwind Ltd.",
        "If Ann Miller works for Nordwind Ltd, we leave.",
        "He asked whether Ann Miller works for Nordwind Ltd.",
        "So Ann Miller works for Nordwind Ltd?",
        "Ann Miller would work for Nordwind Ltd.",
        "The brother of Ann Miller works for Nordwind Ltd.",
        "Ann Miller's brother works for Nordwind Ltd.",
        "Ann Miller works for Nordwind Ltd's owner.",
        "That Ann Miller works for Nordwind Ltd is untrue.",
        "Ann Miller works for him. Nordwind Ltd is big.",
        "Ann Miller works for\n\nNordwind Ltd",
        "Success depends on Ann Miller.",
        "Ann Miller was born in 03/04/2020.",
        "Ann Miller lives in Ann Miller.",
    ],
)
def test_not_stated(extractor: Extractor, text: str) -> None:
    """What is denied, doubted, asked, or said of another gives no relation."""
    assert said(extractor, text) == []


def test_quote(extractor: Extractor) -> None:
    """A relation's span is its sentence."""
    sentence = "Dr. Ann Miller works for Nordwind Ltd. in Berlin, e.g. on Mondays."
    text = f"It rains in St. Gallen. {sentence} Nobody knows."
    (relation,) = extractor.extract([text])[0].relations
    assert text[relation.start : relation.end] == sentence

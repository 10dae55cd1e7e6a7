from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mnemo_assets.extractions.extractor import Extractor

MAIL = """\
From: Ann Miller <ann@example.org>
To: "Stone, Bob" <bob@example.org>, Nordwind Tools <news@nordwindtools.example>, zora@example.org
Cc: eva@example.org (Eva Núñez)
Date: Mon, 5 Oct 2020 10:11:12 +0200
Subject: Your Invoice

Dear Mr Quill Brandt,

the meeting is on 7 October 2020.

Kind regards,
Ann Miller
Nordwind GmbH & Co. KG
Hauptstraße 12
80331 München
"""


def found(extractor: Extractor, text: str) -> list[tuple[str, str]]:
    return [(entity.type, entity.name) for entity in extractor.extract([text])[0].entities]


def test_mail(patterns: Extractor) -> None:
    """A mail gives its people with their roles, its organisations, its days and its town."""
    entities = patterns.extract([MAIL])[0].entities
    assert [(entity.type, entity.name, entity.role) for entity in entities] == [
        ("Person", "Ann Miller", "author"),
        ("Person", "Stone, Bob", "recipient"),
        ("Org", "Nordwind Tools", "recipient"),
        ("Person", "Eva Núñez", "recipient"),
        ("Date", "5 Oct 2020", "mentioned"),
        ("Person", "Quill Brandt", "recipient"),
        ("Date", "7 October 2020", "mentioned"),
        ("Person", "Ann Miller", "author"),
        ("Org", "Nordwind GmbH & Co. KG", "mentioned"),
        ("Place", "München", "mentioned"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sehr geehrte Frau Müller,\n", [("Person", "Müller")]),
        ("Sehr geehrter Herr Dr. Voss,\n", [("Person", "Voss")]),
        ("Chère Madame Dupont,\n", [("Person", "Dupont")]),
        ("Estimado Sr. García:\n", [("Person", "García")]),
        ("Dear Ann and Bob,\n", [("Person", "Ann"), ("Person", "Bob")]),
        ("Hi Zora,\n", [("Person", "Zora")]),
        ("Mit freundlichen Grüßen\n\nDr. Clara Weiß\n", [("Person", "Clara Weiß")]),
        ("Cordialement,\nZoé Laurent", [("Person", "Zoé Laurent")]),
        ("we met Prof. Dr. Quill Brandt there", [("Person", "Quill Brandt")]),
        ("we met Ann van der Berg there", [("Person", "Ann van der Berg")]),
        ("a note by Jon T. Doe here", [("Person", "Jon T. Doe")]),
        ("Attn: Zorana Petrova\n", [("Person", "Zorana Petrova")]),
        ("she bought Nordwind Ltd shares", [("Org", "Nordwind Ltd")]),
        ("with Miller & Sons Inc. in", [("Org", "Miller & Sons Inc.")]),
        ("at Nordwind, Inc. and", [("Org", "Nordwind, Inc.")]),
        ("der Nordwind AG und", [("Org", "Nordwind AG")]),
        ("dem Sportverein Nordwind e.V. gehört", [("Org", "Sportverein Nordwind e.V.")]),
        ("la Viento Norte S.A. es", [("Org", "Viento Norte S.A.")]),
        ("il Vento del Nord S.r.l. ha", [("Org", "Vento del Nord S.r.l.")]),
        ("at the University of Oxford she", [("Org", "University of Oxford")]),
        ("the Ministry of Foreign Affairs said", [("Org", "Ministry of Foreign Affairs")]),
        ("das Amtsgericht München hat", [("Org", "Amtsgericht München")]),
        ("the Nordwind Foundation gave", [("Org", "Nordwind Foundation")]),
        ("they flew to New York and Los Angeles.", [("Place", "New York"), ("Place", "Los Angeles")]),
        ("IBM and NASA are in the US.", [("Org", "IBM"), ("Org", "NASA"), ("Place", "US")]),
        (
            "Ann Miller\nElm Street 5\n12345 Quedlinburg\n",
            [("Person", "Ann Miller"), ("Place", "Quedlinburg")],
        ),
        (
            "Zorblo Quandt\nElm Street 5\n12345 Zellheim\n",
            [("Person", "Zorblo Quandt"), ("Place", "Zellheim")],
        ),
        (
            "On 5 Oct 2020, Quill Brandt <q@example.org> wrote:",
            [("Date", "5 Oct 2020"), ("Person", "Quill Brandt")],
        ),
        ("Ann Miller’s brother", [("Person", "Ann Miller")]),
    ],
)
def test_forms(patterns: Extractor, text: str, expected: list[tuple[str, str]]) -> None:
    """A name that its form tells is found, without title, article or possessive s."""
    assert found(patterns, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "She sells shoe polish and Polish lessons.",
        "He told us so, and they told him.",
        "Dear Sir or Madam,\n",
        "Dear All,\n",
        "Sehr geehrte Damen und Herren,\n",
        "Page 3 of 5\nConfidential\nInvoice Number 12\nTotal Amount Due\n",
        "INTRODUCTION\n\nANNUAL REPORT OF JOHN SMITH\n",
        "Introduction\nSummary\nTable of Contents\n",
        "From: here\nTo: do\n",
        "see anna.miller@example.org or https://example.org/Ann/Berlin or C:\\Ann\\Berlin.txt",
        "A B C I",
        "Monday, May, English, German",
        "the company ltd and the bank",
        "Kind regards,\n",
        "5 KG of flour, SUCH AS",
        "From: polish <p@example.org>\n",
    ],
)
def test_no_names(patterns: Extractor, text: str) -> None:
    """Headings, forms, pronouns, languages, addresses and lower-case words name nobody."""
    assert found(patterns, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "She sells shoe polish and gave us a lesson.",
        "He told us so, and they told him.",
        "Page 3 of 5\n\nConfidential\n\nTotal Amount Due\n",
        "INTRODUCTION\n\nANNUAL REPORT OF JOHN SMITH\n",
        "Introduction\n\nSummary\n\nTable of Contents\n",
        "Dear Sir or Madam,\n",
    ],
)
def test_model_names_nobody_either(ner: Extractor, text: str) -> None:
    """The model's guesses pass the same filters."""
    assert found(ner, text) == []


def test_surname(ner: Extractor) -> None:
    """Whom a text has named in full stays a person where only the surname stands."""
    text = "Donald Brunswijk met the press on Monday. Later, Brunswijk left for the airport."
    assert ("Person", "Brunswijk") in found(ner, text)

from __future__ import annotations

import pytest

from mnemo_assets.extractions.extractor import Entity, Extraction, Relation
from mnemo_assets.extractions.finding import distance
from mnemo_assets.graph import merge
from mnemo_assets.graph.merge import ChunkExtraction
from tests.extractions.replies import edges, names, resolved, said

LETTER = (
    "Dr. Ann Kovar works for Nordwind Ltd in Zürich. Ben Holm is the son of Ann Kovar.\n\n"
    "Nordwind Ltd was acquired by Halden Holding on 5 October 2020."
)


def test_whole() -> None:
    """A letter, what a model says of it, and what is taken."""
    found = resolved(
        LETTER,
        said(
            [
                ("Person", "Dr. Ann Kovar"),
                ("Person", "Ben Holm"),
                ("Org", "Nordwind Ltd"),
                ("Org", "Halden Holding"),
                ("Place", "Zurich"),
                ("Date", "2020-10-05"),
            ],
            [
                (
                    "Dr. Ann Kovar",
                    "works for",
                    "Nordwind Ltd",
                    "Dr. Ann Kovar works for Nordwind Ltd in Zürich.",
                ),
                ("Ben Holm", "son of", "Ann Kovar", "Ben Holm is the son of Ann Kovar."),
                ("Nordwind Ltd", "was acquired by", "Halden Holding", "invented"),
            ],
        ),
    )
    assert found.extraction == Extraction(
        (
            Entity("Person", "Ann Kovar", 4, 13),
            Entity("Org", "Nordwind Ltd", 24, 36),
            Entity("Place", "Zürich", 40, 46),
            Entity("Person", "Ben Holm", 48, 56),
            Entity("Person", "Ann Kovar", 71, 80),
            Entity("Org", "Nordwind Ltd", 83, 95),
            Entity("Org", "Halden Holding", 112, 126),
            Entity("Date", "5 October 2020", 130, 144),
        ),
        (
            Relation(0, "works for", 1, 0, 47),
            Relation(3, "son of", 4, 48, 81),
            Relation(5, "was acquired by", 6, 83, 145),
        ),
    )
    assert (found.fault, found.dropped, found.pieces, found.missing) == (None, (), 1, ())


@pytest.mark.parametrize(
    ("text", "type_", "name", "there"),
    [
        ("Ann Kovar and Annabel Kovar.", "Person", "Ann Kovar", ["Ann Kovar"]),
        ("Will she? Will Sommer will.", "Person", "Will Sommer", ["Will Sommer"]),
        ("Ann\nKovar met Ann Kovar.", "Person", "Ann Kovar", ["Ann\nKovar", "Ann Kovar"]),
        ("Ann\n\nKovar", "Person", "Ann Kovar", []),
        ("Ann\fKovar", "Person", "Ann Kovar", []),
        ("ANN   KOVAR", "Person", "Ann Kovar", ["ANN   KOVAR"]),
        ("The Nord-\nwind Trust", "Org", "Nordwind Trust", ["Nord-\nwind Trust"]),
        ("Jean-\nLuc Petit", "Person", "Jean-Luc Petit", ["Jean-\nLuc Petit"]),
        ("Conan O’Brien", "Person", "Conan O'Brien", ["Conan O’Brien"]),
        ("the Franco–Swiss Bank", "Org", "Franco-Swiss Bank", ["Franco–Swiss Bank"]),
        ("in Zürich", "Place", "Zurich", ["Zürich"]),
        ("in Zurich", "Place", "Zürich", ["Zurich"]),
        ("Müller and Muller", "Person", "Mullér", []),  # it may be either
        ("Anton Kovar-Hallgren", "Person", "Anton Kowar-Hallgren", ["Anton Kovar-Hallgren"]),
        ("Anton Kovar-Hallgrens Haus", "Person", "Anton Kowar-Hallgren", ["Anton Kovar-Hallgrens"]),
        ("Ann Kovar", "Person", "Enn Kovar", []),  # the first letter is another
        ("Kovar", "Person", "Kowar", []),  # too short for a letter to differ
        ("Room 12345678", "Thing", "Room 12345679", []),
        ("Anna Holmes, Anne Holmes", "Person", "Anni Holmes", []),  # either is as near
        ("Nordwinds", "Org", "Nordwind", ["Nordwinds"]),
        ("Nordwinder", "Org", "Nordwind", []),
        ("in the US, let us", "Place", "US", ["US"]),
        ("let us", "Place", "US", []),
        ("昨日、張偉は北京で働いた。", "Person", "張偉", ["張偉"]),
        ("김철수는 서울에서", "Person", "김철수", ["김철수"]),
        ("Guild 👩\u200d💻, Guild 👩", "Thing", "Guild 👩", ["Guild 👩"]),
        ("Club 😀", "Org", "Club \\ud83d", ["Club"]),
        ("5 October 2020 and 2020-10-05", "Date", "Oct 5, 2020", ["5 October 2020", "2020-10-05"]),
        ("5 October 2020", "Date", "October 2020", []),
        ("5 October 2020", "Date", "2020", []),
        ("since 2020", "Date", "2020", ["2020"]),
        ("5 October\n2020", "Date", "5 October 2020", ["5 October\n2020"]),
        ("on 5 October 2020", "Date", "6 October 2020", []),
        ("It cost 1998.50, or 11998, or 2-1998.", "Date", "1998", []),
        ("on Monday", "Date", "Monday", []),
        ("The manager met him.", "Person", "The manager", []),
        ("He came", "Person", "He", []),
        ("It came with the report.", "Thing", "It", []),
        ("It came with the report.", "Thing", "report", []),
        ("It came with The Report.", "Thing", "The Report", ["Report"]),
        ("Frau Kovar", "Person", "Frau Kovar", ["Kovar"]),
        ("the “Nordwind”", "Org", "The “Nordwind”", ["Nordwind"]),
        ("", "Person", "Ann Kovar", []),
    ],
)  # fmt: skip
def test_where_a_name_stands(text: str, type_: str, name: str, there: list[str]) -> None:
    """A name is found as the text has it, everywhere, as whole words; or nowhere."""
    answer = said([(type_, name)]).replace("\\\\", "\\")
    assert names(resolved(text, answer)) == [(type_, form) for form in there]


def test_nowhere() -> None:
    """A name that is nowhere in the text becomes no entity, and is told apart from one that is none."""
    found = resolved(LETTER, said([("Person", "Eve Lund"), ("Person", "She"), ("Date", "Monday")]))
    assert found.extraction == Extraction((), ())
    assert found.dropped == (
        {"kind": "entity", "why": "ungrounded", "item": '{"type": "Person", "name": "Eve Lund"}'},
        {"kind": "entity", "why": "common", "item": '{"type": "Person", "name": "She"}'},
        {"kind": "entity", "why": "vague", "item": '{"type": "Date", "name": "Monday"}'},
    )
    assert (found.ungrounded, found.malformed) == (1, 0)


def test_longest_first() -> None:
    """A shorter name is kept where it stands alone; of two types the first is, and the same name once."""
    text = "Nordwind Ltd is in Berlin. Nordwind pays. Berlin Opera Ltd sings."
    said_of_it = [
        *(("Org", "Nordwind"), ("Org", "Nordwind Ltd"), ("Place", "Berlin"), ("Org", "Berlin")),
        *(("Org", "Berlin Opera Ltd"), ("Org", "nordwind ltd"), ("Thing", "Opera")),
    ]
    found = resolved(text, said(said_of_it))
    assert names(found) == [
        ("Org", "Nordwind Ltd"),
        ("Place", "Berlin"),
        ("Org", "Nordwind"),
        ("Org", "Berlin Opera Ltd"),
    ]
    assert [(each["why"], each["item"]) for each in found.dropped] == [
        ("overlapped", '{"type": "Thing", "name": "Opera"}')
    ]


def test_exact_before_near() -> None:
    """A name that stands there as it was given is taken before a longer one that nearly does."""
    found = resolved("Anton Kovar", said([("Person", "Anton Kovaru"), ("Person", "Kovar")]))
    assert names(found) == [("Person", "Kovar")]


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        (("Ann Kovar", "knows", "Eve Lund", ""), "unknown_end"),
        (("Ann Kovar", "knows", "Tom Berg", ""), "ungrounded_end"),
        (("Ann Kovar", "knows", "Ann Kovar", ""), "self"),
        (("ANN KOVAR", "knows", "Kovar", ""), "self"),
        (("Cy Dahl", "knows", "Ann Kovar", "Cy Dahl is far away from this"), "no_quote"),
        (("Ann Kovar", "met", "Ben Holm", ""), "Ann Kovar met Ben Holm."),
        (
            ("Ann Kovar", "met", "Ben Holm", "Ann Kovar met Ben Holm in 1998, and so on"),
            "Ann Kovar met Ben Holm.",
        ),
        (("Mrs Ann Kovar", "met", "the Ben Holm", ""), "Ann Kovar met Ben Holm."),
        (
            ("Ben Holm", "liked", "Ann Kovar", "HE LIKED  her at once"),
            "Ann Kovar met Ben Holm.",
        ),  # says neither
        (("Ben Holm", "called", "Ann Kovar", "later ben holm\ncalled her"), "Later Ben Holm called her."),
        (("Ben Holm", "called", "Ann Kovar", '"Later … Holm called her."'), "Later Ben Holm called her."),
    ],
)
def test_relation(relation: tuple[str, str, str, str], words: str) -> None:
    """It is proved by the sentence that was cited, else by the smallest that names both; or is not taken."""
    text = "Ann Kovar met Ben Holm. He liked her at once. Later Ben Holm called her.\n\nCy Dahl left."
    people = [("Person", name) for name in ("Ann Kovar", "Kovar", "Ben Holm", "Cy Dahl", "Tom Berg")]
    found = resolved(text, said(people, [relation]))
    if " " in words:
        subject, predicate, object_ = ("Ben Holm" if "Ben" in end else "Ann Kovar" if "Ann" in end else end
                                       for end in relation[:3])  # fmt: skip
        assert edges(found, text) == [(subject, predicate, object_, words)]
    else:
        assert found.extraction.relations == ()
        assert [each["why"] for each in found.dropped if each["kind"] == "relation"] == [words]


def test_part_of_a_name() -> None:
    """A name that is everywhere a part of one longer name of its type means that one in a relation."""
    text = "Ann Kovar works for Nordwind Ltd."
    answer = said([("Person", "Ann Kovar"), ("Person", "Kovar"), ("Org", "Nordwind Ltd")],
                  [("Kovar", "works for", "Nordwind Ltd", text)])  # fmt: skip
    assert edges(resolved(text, answer), text) == [("Ann Kovar", "works for", "Nordwind Ltd", text)]


def test_both_directions() -> None:
    """The direction is the model's: it is not turned."""
    text = "Nordwind employs Ann Kovar."
    people = [("Org", "Nordwind"), ("Person", "Ann Kovar")]
    for relation in (("Nordwind", "employs", "Ann Kovar", text), ("Ann Kovar", "employs", "Nordwind", text)):
        assert edges(resolved(text, said(people, [relation])), text) == [relation]


def test_graph() -> None:
    """What is taken here, the graph takes too: also a name that goes on in the next line, as one name."""
    text = "The Nord-\nwind Trust paid Ann\nKovar. Nordwind Trust and Ann Kovar."
    found = resolved(
        text,
        said(
            [("Org", "Nordwind Trust"), ("Person", "Ann Kovar")],
            [("Nordwind Trust", "paid", "Ann Kovar", "")],
        ),
    )
    rows = merge.merge([ChunkExtraction(0, 0, text, found.extraction)])
    assert [(row.key, row.name) for row in rows.entities] == [
        ("nordwind trust", "Nordwind Trust"),
        ("ann kovar", "Ann Kovar"),
    ]
    assert [(row.entity, row.count) for row in rows.mentions] == [(0, 2), (1, 2)]
    assert [(row.subject, row.predicate_raw, row.object) for row in rows.relations] == [(0, "paid", 1)]


@pytest.mark.parametrize(
    ("one", "other", "away"),
    [
        ("", "", 0),
        ("abc", "abc", 0),
        ("abc", "abd", 1),
        ("abc", "ab", 1),
        ("kitten", "sitting", 3),
        ("a", "xyz", 3),
    ],
)
def test_distance(one: str, other: str, away: int) -> None:
    """Letters changed, added and left out are counted up to the bound."""
    assert distance(one, other, 5) == distance(other, one, 5) == away
    assert distance(one, other, 1) == min(away, 2)

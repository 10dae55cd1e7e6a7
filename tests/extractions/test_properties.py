from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_assets import dates
from mnemo_assets.extractions import recipes

if TYPE_CHECKING:
    from mnemo_assets.extractions.extractor import Extractor

#: What the patterns look for, in any order: their seams are where spans go wrong.
PIECES = st.sampled_from(
    [
        *(
            "Ann",
            "Miller",
            "Dr.",
            "Frau",
            "von",
            "O’Brien",
            "J.",
            "Zürich",
            "Berlin",
            "US",
            "IBM",
            "Acme",
            "GmbH",
        ),
        *(
            "& Co. KG",
            "Ltd.",
            "S.A.",
            "Bank of",
            "University of",
            "works for",
            "was born in",
            "depends on",
            "who",
        ),
        *(
            "not",
            "if",
            "the",
            "’s",
            "'s",
            ",",
            ".",
            "?",
            ":",
            ";",
            "\n",
            "\n\n",
            "\f",
            " ",
            "\t",
            "(",
            ")",
            '"',
            "<",
        ),
        *(
            ">",
            "From:",
            "To:",
            "a@b.example",
            "Dear",
            "Kind regards,",
            "5 Oct 2020",
            "1998",
            "in",
            "80331",
            "Elm 5",
        ),
        *(
            "e\u0301",
            "\u200d",
            "張",
            "🙂",
            "İ",
            "ß",
            "ǅ",
            "--",
            "-",
            "CEO of",
            "married",
            "and",
            "acquired",
            "by",
        ),
    ]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=60).map(" ".join),
    st.lists(PIECES, max_size=60).map("".join),
    st.text(max_size=300),
)


def check(extractor: Extractor, text: str) -> None:
    (extraction,) = extractor.extract([text])
    entities = extraction.entities
    for entity in entities:
        assert text[entity.start : entity.end] == entity.name == entity.name.strip() != ""
        assert len(entity.name.splitlines()) == 1
        assert entity.type in {"Person", "Org", "Place", "Date", "Thing"}
        assert entity.role in {"mentioned", "author", "recipient"}
        assert (dates.parse(entity.name) is not None) or entity.type != "Date"
    assert list(entities) == sorted(entities, key=lambda e: (e.start, e.end, e.type))
    for one, other in itertools.pairwise(entities):
        assert one.end <= other.start
    for relation in extraction.relations:
        subject, object_ = entities[relation.subject], entities[relation.object]
        assert 0 <= relation.start <= min(subject.start, object_.start)
        assert max(subject.end, object_.end) <= relation.end <= len(text)
        assert text[relation.start : relation.end].strip() == text[relation.start : relation.end]
        assert relation.predicate == relation.predicate.lower().strip() != ""
    assert extractor.extract([text, text]) == [extraction, extraction]


@settings(max_examples=300)
@given(TEXTS)
def test_patterns(text: str) -> None:
    """Whatever the text, what is found stands in it, apart from the rest, and the same each time."""
    check(recipes.open_extractor("patterns"), text)


def test_ner(ner: Extractor) -> None:
    """The same holds with the model."""

    @settings(max_examples=60)
    @given(TEXTS)
    def run(text: str) -> None:
        check(ner, text)

    run()

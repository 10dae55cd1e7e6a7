from __future__ import annotations

import pytest

from mnemo_assets.graph import predicates
from mnemo_assets.graph.predicates import Predicate, canonical, find


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ("works for", Predicate("works_for")),
        ("Works  for", Predicate("works_for")),
        ("works_for", Predicate("works_for")),
        ("is led by", Predicate("leads", reversed=True)),
        ("depends on", Predicate("depends_on")),
        ("was the former CEO of", Predicate("leads")),
        ("chairman of", Predicate("leads")),
        ("is the vice president of", None),
        ("a member of", Predicate("member_of")),
        ("is the son of", Predicate("parent_of", reversed=True)),
        ("arbeitet für", Predicate("works_for")),
        ("never works for", None),
        ("", None),
    ],
)
def test_find(raw: str, found: Predicate | None) -> None:
    """Known words have one predicate and a direction; unknown ones none."""
    assert find(raw) == found
    assert canonical(raw) == (found and found.name)


def test_no_words_say_two_things() -> None:
    """A phrase stands once in the table: it says one predicate, in one direction."""
    tables = (predicates._FORWARD, predicates._BACKWARD)
    phrases = [phrase for table in tables for all_ in table.values() for phrase in all_.split(", ")]
    assert sorted(phrases) == sorted(set(phrases))
    assert set(predicates._BACKWARD) <= set(predicates._FORWARD)

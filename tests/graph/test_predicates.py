from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from mnemo_assets.extractions import frames
from mnemo_assets.graph import predicates
from mnemo_assets.graph.predicates import RULES, Predicate, allows, canonical, find

ROOT = Path(__file__).parents[2]


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
        # what models like to write
        ("worked_for", Predicate("works_for")),
        ("employed_by", Predicate("works_for")),
        ("employs", Predicate("works_for", reversed=True)),
        ("ceo_of", Predicate("leads")),
        ("lives_at", Predicate("lives_in")),
        ("address", Predicate("has_address")),
        ("spouse_of", Predicate("married_to")),
        ("sibling_of", Predicate("sibling_of")),
        ("child_of", Predicate("parent_of", reversed=True)),
        ("insured_by", Predicate("insured_by")),
        ("insures", Predicate("insured_by", reversed=True)),
        ("paid", Predicate("paid")),
        ("paid_by", Predicate("paid", reversed=True)),
        ("issued_by", Predicate("issued_by")),
        ("issued", Predicate("issued_by", reversed=True)),
        ("sent_to", Predicate("sent_to")),
        ("received_from", Predicate("sent_to", reversed=True)),
        ("treated_by", Predicate("treated_by")),
        ("besaß", Predicate("owns")),
        # one word that says it of either end joins nothing
        ("insured", None),
        ("paid to", None),
    ],
)
def test_find(raw: str, found: Predicate | None) -> None:
    """Known words have one predicate and a direction; unknown ones none."""
    assert find(raw) == found
    assert canonical(raw) == (found and found.name)


def test_no_words_say_two_things() -> None:
    """A phrase stands once in the table: it says one predicate, in one direction."""
    said = Counter(phrase for phrase, _ in predicates._said(predicates._TABLE))
    assert [phrase for phrase, times in said.items() if times > 1 or not phrase] == []


def test_the_table_has_its_form() -> None:
    """A predicate has an inverse, types on both sides, phrases by language, and nothing else."""
    types = {"Person", "Org", "Place", "Date", "Thing"}
    for name, said in predicates._TABLE.items():
        assert {"inverse", "subject", "object"} <= said.keys(), name
        assert said.keys() <= {"inverse", "subject", "object", "says", "says_reversed"}, name
        assert said["subject"], name
        assert said["object"], name
        assert {*said["subject"], *said["object"]} <= types, name
        for words in (said.get("says", {}), said.get("says_reversed", {})):
            assert all(re.fullmatch("[a-z]{2}", language) and phrases for language, phrases in words.items())


@pytest.mark.parametrize("name", sorted(RULES))
def test_an_inverse_leads_back(name: str) -> None:
    """A predicate's inverse, as words, is the predicate with its ends turned; a symmetric one is itself."""
    inverse = RULES[name].inverse
    assert find(inverse) == Predicate(name, reversed=inverse != name)
    if inverse == name:
        assert RULES[name].subjects == RULES[name].objects


@pytest.mark.parametrize(
    ("name", "subject", "object_", "fits"),
    [
        ("works_for", "Person", "Org", True),
        ("works_for", "Place", "Date", False),
        ("works_for", "Org", "Person", False),
        ("born_on", "Person", "Date", True),
        ("born_on", "Date", "Person", False),
        ("married_to", "Person", "Org", False),
    ],
)
def test_signatures(name: str, subject: str, object_: str, fits: bool) -> None:  # noqa: FBT001 - a column
    """What no predicate of that name can relate does not fit."""
    assert allows(name, subject, object_) is fits


def test_the_frames_keep_the_signatures() -> None:
    """Whatever types the sentences of `patterns` relate, their words' predicate takes them."""
    checked = 0
    for rule in frames.RULES:
        words = re.compile(frames._over_lines(rule.words))
        for phrase, found in predicates._said(predicates._TABLE):
            if words.fullmatch(phrase) is None:
                continue
            checked += 1
            for subject in rule.subjects:
                for object_ in rule.objects:
                    ends = (object_, subject) if found.reversed else (subject, object_)
                    assert allows(found.name, *ends), (phrase, subject, object_)
    assert checked > 50


def test_the_table_is_in_the_wheel(tmp_path: Path) -> None:
    """Who installs the project has the table."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        assert "mnemo_assets/graph/predicates.toml" in packed.namelist()

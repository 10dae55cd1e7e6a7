"""A small gold set, made by hand, of invented people: what each recipe finds of it.

`{Type:name}` marks an entity. The floors are what the recipes reach, less a point or two: a change that loses
more than that shows. The set is easier than real documents.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from mnemo_assets.extractions.extractor import Extractor

GOLD = (
    "Yesterday {Person:Ann Miller} flew from {Place:Berlin} to {Place:New York}.",
    "Mr. {Person:Quill Brandt} has worked at {Org:Nordwind Ltd} since {Date:2004}.",
    "The contract between {Org:Nordwind GmbH} and {Org:Westwind Inc.} ends on {Date:31 December 2021}.",
    "{Person:Bob Stone}, who lives in {Place:Dresden}, wrote to {Person:Clara Voss} on {Date:5 Oct 2020}.",
    "Our landlord, {Person:Peter Ashdown}, asked for the rent in {Date:March 2019}.",
    "She studied physics at the {Org:University of Oxford} and then moved to {Place:France}.",
    "The {Org:Bank of England} raised its rate, said {Person:Maria Lopez}.",
    "{Org:IBM} and {Org:Siemens} opened an office in {Place:Munich}.",
    "According to Dr. {Person:Susan Okafor}, the results are fine.",
    "The parcel from {Place:Japan} arrived on {Date:2020-10-05}.",
    "In {Date:1998} {Person:Zorblo Quandt} founded {Org:Meridian Holdings} in {Place:Zurich}.",
    "We thank {Person:Jon T. Doe} and {Person:Priya Raman} for their help.",
    "He sells shoe polish, and she teaches Polish to us.",
    "The quick brown fox depends on nobody, and Success is a matter of luck.",
    "Please pay the Total Amount within 30 days. Page 3 of 5.",
    "Version 3.10.2020 runs at 10.0.2020.1; call 0171 2020 1999.",
    "{Person:Tom Okonkwo} met {Person:Lena Fischer} near {Place:London} last week.",
    "My sister {Person:Emma Clarke} works for {Org:Brightwater LLC} in {Place:Seattle}.",
    "{Org:Ford Foundation} grants went to {Place:Kenya} and {Place:Ghana}.",
    "The meeting of {Date:7 May 2018} was led by Professor {Person:Igor Petrov}.",
    "Sehr geehrte Frau {Person:Müller},",
    "Herr {Person:Klaus Weber} arbeitet seit {Date:2010} bei der {Org:Sonnenschein AG} in {Place:Hamburg}.",
    "Die {Org:Technische Universität München} hat den Vertrag am {Date:5. Oktober 2020} unterschrieben.",
    "Der Verein {Org:Waldfreunde e.V.} wurde am {Date:01.02.1999} gegründet.",
    "Chère Madame {Person:Dupont},",
    "Monsieur {Person:Luc Moreau} habite à {Place:Lyon} depuis le {Date:3 mars 2015}.",
    "La société {Org:Vent du Nord S.A.} a signé le {Date:14 juillet 2019}.",
    "Estimado Sr. {Person:García},",
    "{Person:Carmen Ortega} trabaja para {Org:Viento Norte S.L.} en {Place:Madrid}.",
    "Il signor {Person:Paolo Ricci} vive a {Place:Roma} dal {Date:2 giugno 2001}.",
    "Mevrouw {Person:Saskia de Vries} werkt voor {Org:Noordenwind B.V.} in {Place:Amsterdam}.",
    "Kind regards,\n{Person:Ann Miller}",
    "From: {Person:Bob Stone} <bob@example.org>",
    "Die Rechnung ist am {Date:15. März 2021} fällig, bitte überweisen Sie den Betrag.",
)
_MARK = re.compile(r"\{(\w+):([^{}]+)\}")
#: recipe -> least precision and recall over all types, in percent
FLOORS = {"patterns": (97, 95), "ner": (95, 97)}


def read(marked: str) -> tuple[str, set[tuple[str, int, int]]]:
    text, gold, at = "", set(), 0
    for mark in _MARK.finditer(marked):
        text += marked[at : mark.start()]
        gold.add((mark[1], len(text), len(text) + len(mark[2])))
        text, at = text + mark[2], mark.end()
    return text + marked[at:], gold


def test_gold(extractor: Extractor, capsys: pytest.CaptureFixture[str]) -> None:
    """Each recipe finds no less of the gold set, and no more beside it, than it did."""
    counts: dict[str, Counter[str]] = {}
    for text, gold in map(read, GOLD):
        found = {(e.type, e.start, e.end) for e in extractor.extract([text])[0].entities}
        for kind, spans in (("right", found & gold), ("wrong", found - gold), ("missed", gold - found)):
            for type_, start, end in spans:
                counts.setdefault(type_, Counter())[kind] += 1
                if kind != "right":
                    print(f"{extractor.name}: {kind} {type_} {text[start:end]!r}")
    total = sum(counts.values(), Counter())
    precision = 100 * total["right"] / (total["right"] + total["wrong"])
    recall = 100 * total["right"] / (total["right"] + total["missed"])
    with capsys.disabled():
        print(f"\n{extractor.name}: precision {precision:.0f}, recall {recall:.0f}, {dict(total)}")
    least_precision, least_recall = FLOORS[extractor.name]
    assert precision >= least_precision
    assert recall >= least_recall

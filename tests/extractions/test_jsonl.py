from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mnemo_assets.extractions.jsonl import extract_jsonl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

    from mnemo_assets.extractions.extractor import Extraction, Extractor


def test_line(patterns: Extractor) -> None:
    """A line's entities and relations, offsets in code points; a date has its value."""
    text = "🙂 Ann Miller, born in Paris on 5 Oct 1950, left."
    assert list(extract_jsonl([json.dumps({"id": "a", "text": text})], patterns)) == [
        {
            "id": "a",
            "entities": [
                {"type": "Person", "name": "Ann Miller", "start": 2, "end": 12},
                {"type": "Place", "name": "Paris", "start": 22, "end": 27},
                {
                    "type": "Date",
                    "name": "5 Oct 1950",
                    "start": 31,
                    "end": 41,
                    "value": "1950-10-05",
                    "precision": "day",
                },
            ],
            "relations": [
                {"subject": 0, "predicate": "born in", "object": 1, "start": 0, "end": 48},
                {"subject": 0, "predicate": "born on", "object": 2, "start": 0, "end": 48},
            ],
        }
    ]


def test_bad_lines(patterns: Extractor) -> None:
    """A line that is not such an object is named, and the next one goes on."""
    lines: list[str | bytes] = [
        "{",
        "[1]",
        '{"id": 2}',
        '{"id": 3, "text": 4}',
        '{"id": {"a": 1}, "text": ""}',
        '{"id": NaN, "text": ""}',
        b'{"id": 5, "text": "\xff"}',
        "[" * 100_000,
        '{"id": ' + "9" * 5_000 + ', "text": ""}',
        "",
        " \n",
        '\ufeff{"text": ""}',
        b'\xef\xbb\xbf{"id": 7, "text": "Berlin"}\r\n',
    ]
    bad = {"id": None, "error": "MalformedLine"}
    assert list(extract_jsonl(lines, patterns)) == [
        bad,
        bad,
        {"id": 2, "error": "MalformedLine"},
        {"id": 3, "error": "MalformedLine"},
        bad,
        bad,
        bad,
        bad,
        bad,
        {"id": None, "entities": [], "relations": []},
        {"id": 7, "entities": [{"type": "Place", "name": "Berlin", "start": 0, "end": 6}], "relations": []},
    ]


def test_half_characters(extractor: Extractor) -> None:
    """Half a character in the input moves no offset and stands in no output."""
    line = r'{"id": 1, "text": "\ud83d Ann Miller\ude00 met Bob\ud800Stone in Berlin\u0000"}'
    (record,) = extract_jsonl([line], extractor)
    json.dumps(record, ensure_ascii=False).encode()
    assert "\ufffd" not in str(record)
    assert {"type": "Place", "name": "Berlin", "start": 31, "end": 37} in record["entities"]


def test_long_text(patterns: Extractor) -> None:
    """A text of many chunks gives each mention once, at its place."""
    sentence = "Ann Miller works for Nordwind Ltd in Berlin since 5 October 2020. "
    text = sentence * 400
    (record,) = extract_jsonl([json.dumps({"id": 1, "text": text})], patterns)
    assert [(e["start"], text[e["start"] : e["end"]]) for e in record["entities"]] == [
        (number * len(sentence) + sentence.index(name), name)
        for number in range(400)
        for name in ("Ann Miller", "Nordwind Ltd", "Berlin", "5 October 2020")
    ]
    assert [(r["subject"], r["predicate"], r["object"]) for r in record["relations"]] == [
        (number * 4, "works for", number * 4 + 1) for number in range(400)
    ]
    assert {text[r["start"] : r["end"]] for r in record["relations"]} == {sentence.strip()}


def test_stream(patterns: Extractor) -> None:
    """A record comes before the next line is asked for."""
    asked = []

    def lines() -> Iterator[str]:
        for number in range(3):
            asked.append(number)
            yield json.dumps({"id": number, "text": "Berlin"})

    assert next(extract_jsonl(lines(), patterns))["id"] == 0
    assert asked == [0]


def test_recipe_breaks(patterns: Extractor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that breaks the recipe is named, without its words, and the next one goes on."""
    extract = patterns.extract

    def breaks(texts: Sequence[str]) -> list[Extraction]:
        if "boom" in texts[0]:
            raise ValueError(texts[0])
        return extract(texts)

    monkeypatch.setattr(patterns, "extract", breaks)
    lines = [json.dumps({"id": number, "text": text}) for number, text in enumerate(["boom", "quiet"])]
    assert list(extract_jsonl(lines, patterns)) == [
        {"id": 0, "error": "ExtractionFailed"},
        {"id": 1, "entities": [], "relations": []},
    ]

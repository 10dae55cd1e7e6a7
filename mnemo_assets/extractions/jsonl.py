"""Extraction without a database: JSON lines in, JSON lines out, one at a time."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mnemo_assets import chunks, dates
from mnemo_assets.extractions.extractor import Entity, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mnemo_assets.extractions.extractor import Extractor

Record: TypeAlias = dict[str, Any]

#: Halves of a character, which JSON can escape and no encoding can write.
_SURROGATES: Final = re.compile("[\ud800-\udfff]")


def extract_jsonl(lines: Iterable[str | bytes], extractor: Extractor) -> Iterator[Record]:
    """Extract from each line's text.

    Args:
        lines: `{"id": ..., "text": "..."}` each; bytes are UTF-8. Blank lines are left out.
        extractor: an open recipe.

    Yields:
        A line's `id` with its `entities` and `relations`, offsets in code points of the text as given; or
        with `error`: MalformedLine if it is not such an object, ExtractionFailed if the recipe broke on it.
    """
    for line in lines:
        if not line.strip():
            continue
        id_, text = _read(line)
        if text is None:
            yield {"id": id_, "error": "MalformedLine"}
            continue
        try:
            yield {"id": id_, **_found(text, extractor)}
        except Exception:  # noqa: BLE001 - one text that breaks the recipe does not stop the stream
            yield {"id": id_, "error": "ExtractionFailed"}


def _read(line: str | bytes) -> tuple[str | int | float | None, str | None]:
    """A line's id, if it can be repeated, and its text, if the line is well-formed."""
    try:
        said = json.loads(
            line.decode("utf-8-sig") if isinstance(line, bytes) else line.removeprefix("\ufeff")
        )
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(said, dict):
        return None, None
    id_, text = said.get("id"), said.get("text")
    if not (id_ is None or isinstance(id_, str | int | float)) or (
        isinstance(id_, float) and not math.isfinite(id_)
    ):
        return None, None
    return id_, text if isinstance(text, str) else None


def _found(text: str, extractor: Extractor) -> Record:
    whole = _SURROGATES.sub("\ufffd", text)
    entities, relations = _merged(whole, extractor)
    return {
        "entities": [_entity(entity) for entity in entities],
        "relations": [
            {
                "subject": relation.subject,
                "predicate": relation.predicate,
                "object": relation.object,
                "start": relation.start,
                "end": relation.end,
            }
            for relation in relations
        ],
    }


def _entity(entity: Entity) -> Record:
    said: Record = {"type": entity.type, "name": entity.name, "start": entity.start, "end": entity.end}
    day = dates.parse(entity.name) if entity.type == "Date" else None
    return said if day is None else {**said, "value": day.value, "precision": day.precision}


def _merged(text: str, extractor: Extractor) -> tuple[list[Entity], list[Relation]]:
    """The extractions of a text's pieces, as of one: in an overlap each half is its own piece's to say."""
    entities: list[Entity] = []
    numbers: dict[tuple[str, int, int], int] = {}
    said: dict[tuple[int, str, int, int], Relation] = {}
    pieces = chunks.split(text, (0,))
    for number, piece in enumerate(pieces):
        extraction = extractor.extract([piece.text])[0]
        begin = (pieces[number - 1].end + piece.start) // 2 if number else 0
        finish = (piece.end + pieces[number + 1].start) // 2 if number + 1 < len(pieces) else len(text)
        places = [(e.type, piece.start + e.start, piece.start + e.end) for e in extraction.entities]
        for entity, (type_, start, end) in zip(extraction.entities, places, strict=True):
            if begin <= start < finish and (not entities or entities[-1].end <= start):
                numbers[type_, start, end] = len(entities)
                entities.append(Entity(type_, entity.name, start, end, entity.role))
        for relation in extraction.relations:
            subject, object_ = (numbers.get(places[end]) for end in (relation.subject, relation.object))
            if subject is not None and object_ is not None:
                found = Relation(
                    subject,
                    relation.predicate,
                    object_,
                    piece.start + relation.start,
                    piece.start + relation.end,
                )
                said.setdefault((subject, found.predicate, object_, found.end), found)
    return entities, sorted(said.values(), key=lambda r: (r.start, r.subject, r.object, r.predicate))

"""Pure: what a recipe found in a document's chunks becomes that document's rows of the graph.

The text is the truth: an entity whose words do not stand at its span is dropped, whoever found it. Chunks
overlap, so one mention can be found twice, or cut at an edge in one chunk and whole in the next. What lies in
a quotation from an earlier mail is kept and marked, and counts for nothing: the earlier mail has said it.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from mnemo_assets.graph import names, predicates
from mnemo_assets.graph.layout import Edges, Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mnemo_assets.extractions.extractor import Entity, Extraction, Relation

#: Version of the rows that this code, `names` and `predicates` make: raised when they would make others of
#: the same extractions, it has the graph built anew.
DERIVATION: Final = 2

#: The strongest first: who wrote a letter is also mentioned in it.
ROLES: Final = ("author", "recipient", "mentioned")
#: A longer "name" is a sentence. In characters, and for the key in bytes (an index row holds 2,704).
NAME_LIMIT: Final = 200
KEY_LIMIT: Final = 1_000
PREDICATE_LIMIT: Final = 100

#: (type, key)
Identity: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ChunkExtraction:
    """What was found in one chunk; its offsets count from the chunk's start, in code points."""

    ordinal: int
    start: int
    text: str
    extraction: Extraction

    @property
    def end(self) -> int:
        """Where the chunk ends in the document's text."""
        return self.start + len(self.text)


class EntityRow(NamedTuple):
    """An entity that the document mentions, and the name it would have if no other document did."""

    type: str
    key: str
    name: str


class MentionRow(NamedTuple):
    """That the document mentions `entities[entity]`, `count` times, and quotes it `quoted` times more."""

    entity: int
    role: str
    count: int  # type: ignore[assignment] # hides a tuple's own method, which nobody wants here
    quoted: int = 0


class SpanRow(NamedTuple):
    """One mention: `text[start:end] == form`."""

    entity: int
    start: int
    end: int
    form: str
    page: int
    chunk: int
    quoted: bool = False


class RelationRow(NamedTuple):
    """`entities[subject]` predicate `entities[object]`, proved by `text[start:end]`."""

    subject: int
    predicate_raw: str
    predicate: str | None
    object: int
    start: int
    end: int
    page: int
    chunk: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Contribution:
    """A document's rows, each tuple sorted; `digest` is sha256 over its mentions and relations, in hex.

    `refused` are relations that nobody should read as facts: their predicate takes no ends of these types.
    """

    entities: tuple[EntityRow, ...]
    mentions: tuple[MentionRow, ...]
    spans: tuple[SpanRow, ...]
    relations: tuple[RelationRow, ...]
    digest: str
    refused: tuple[RelationRow, ...] = ()


class _Span(NamedTuple):
    """What is one mention, whoever found it. It is sorted and looked up more than anything else here."""

    start: int
    end: int
    type: str
    key: str


@dataclass(slots=True)
class _Sighting:
    form: str
    role: str
    chunks: dict[int, int]  # ordinal -> how far the span is from a cut edge of that chunk


_Found: TypeAlias = dict[_Span, _Sighting]
#: Of one chunk: index in its extraction -> the mention, without those that were dropped.
_Indexed: TypeAlias = dict[int, _Span]


def merge(
    chunks: Sequence[ChunkExtraction],
    page_starts: Sequence[int] = (0,),
    aliases: Mapping[Identity, str] | None = None,
    quoted: Sequence[tuple[int, int]] = (),
) -> Contribution:
    """Merge a document's extractions into its rows.

    Args:
        chunks: all of the document's chunks that were extracted, in any order.
        page_starts: where each page begins in the document's text, ascending from 0.
        aliases: (type, key) -> the key it stands for: the owner's other names.
        quoted: starts and ends of what the document quotes from an earlier mail.

    Returns:
        The rows. The same chunks give the same rows, whatever their order.
    """
    ordered = sorted(chunks, key=lambda chunk: chunk.ordinal)
    found: _Found = {}
    edges = [Edges.of(ordered, place) for place in range(len(ordered))]
    indexed = [_collect(chunk, edges[place], aliases or {}, found) for place, chunk in enumerate(ordered)]
    _settle(found)
    layout = Layout.of(page_starts, quoted)
    numbers = _numbered(found)
    relations: dict[tuple[int, str, int, int, int], RelationRow] = {}
    for place, chunk in enumerate(ordered):
        kept = {
            index: numbers[span.type, span.key] for index, span in indexed[place].items() if span in found
        }
        for row in _relations(chunk, edges[place], kept, layout):
            relations.setdefault((row.subject, row.predicate_raw, row.object, row.start, row.end), row)
    return _contribution(found, numbers, [row for _, row in sorted(relations.items())], layout)


def _sorted_out(
    relations: Iterable[RelationRow], identities: Sequence[Identity]
) -> tuple[list[RelationRow], list[RelationRow]]:
    """The relations whose predicate takes their ends, and the others; one that is not canonical takes any."""
    allowed: list[RelationRow] = []
    refused: list[RelationRow] = []
    for row in relations:
        ends = identities[row.subject][0], identities[row.object][0]
        fits = row.predicate is None or predicates.allows(row.predicate, *ends)
        (allowed if fits else refused).append(row)
    return allowed, refused


def _collect(
    chunk: ChunkExtraction,
    edges: Edges,
    aliases: Mapping[Identity, str],
    found: _Found,
) -> _Indexed:
    """Add a chunk's true and whole mentions to `found`."""
    indexed: _Indexed = {}
    for index, entity in enumerate(chunk.extraction.entities):
        key = _key_if_true(entity, chunk.text)
        start, end = chunk.start + entity.start, chunk.start + entity.end
        if key is None or edges.cut(start, end):
            continue
        span = _Span(start, end, entity.type, aliases.get((entity.type, key), key))
        sighting = found.get(span)
        if sighting is None:
            sighting = found[span] = _Sighting(entity.name, entity.role, {})
        sighting.role = _stronger(sighting.role, entity.role)
        sighting.chunks[chunk.ordinal] = edges.margin(start, end)
        indexed[index] = span
    return indexed


def _key_if_true(entity: Entity, text: str) -> str | None:
    """The entity's key, or None if its words do not stand at its span or are no name."""
    if not 0 <= entity.start < entity.end <= len(text) or text[entity.start : entity.end] != entity.name:
        return None
    return _key_if_name(entity.type, entity.name) if len(entity.name) <= NAME_LIMIT else None


@functools.lru_cache(16_384)  # an archive says the same names again and again
def _key_if_name(type_: str, name: str) -> str | None:
    key = names.canonical_key(type_, name) if _is_label(type_) else ""
    return key if key and len(key.encode()) <= KEY_LIMIT else None


def _is_label(word: str) -> bool:
    return 0 < len(word) <= PREDICATE_LIMIT and word.isprintable()


def _stronger(one: str, other: str) -> str:
    return one if one == other else min(one, other, key=_strength)


def _strength(role: str) -> int:
    return ROLES.index(role) if role in ROLES else len(ROLES)


def _settle(found: _Found) -> None:
    """Where chunks contradict each other about overlapping words, keep what was seen with most text around.

    Two mentions contradict each other if they overlap and no chunk found both; the wider margin wins, then
    the longer mention, then the order of spans. Those of one chunk never do: what its extractor nests, stays.
    """
    kept: list[_Span] = []
    cluster: list[_Span] = []
    reach = -1
    for span in sorted(found):
        if span.start >= reach:
            kept += _agreed(cluster, found)
            cluster = []
        cluster.append(span)
        reach = max(reach, span.end)
    kept += _agreed(cluster, found)
    if len(kept) < len(found):
        for span in set(found) - set(kept):
            del found[span]


def _agreed(cluster: list[_Span], found: _Found) -> list[_Span]:
    if not cluster[1:] or len({tuple(found[span].chunks) for span in cluster}) <= 1:
        return cluster
    agreed: list[_Span] = []
    for span in sorted(cluster, key=lambda s: (-max(found[s].chunks.values()), s.start - s.end, s)):
        if not any(_contradict(span, other, found) for other in agreed):
            agreed.append(span)
    return agreed


def _contradict(one: _Span, other: _Span, found: _Found) -> bool:
    overlap = one.start < other.end and other.start < one.end
    return overlap and found[one].chunks.keys().isdisjoint(found[other].chunks)


def _numbered(found: Iterable[_Span]) -> dict[Identity, int]:
    return {identity: n for n, identity in enumerate(sorted({(span.type, span.key) for span in found}))}


def _relations(
    chunk: ChunkExtraction,
    edges: Edges,
    kept: Mapping[int, int],
    layout: Layout,
) -> Iterable[RelationRow]:
    """The chunk's relations between mentions that were kept; `kept` maps its indices to entities."""
    for relation in chunk.extraction.relations:
        ends = _ends_if_true(relation, chunk.text, kept)
        start, end = chunk.start + relation.start, chunk.start + relation.end
        if ends is None or edges.cut(start, end):
            continue
        raw = " ".join(relation.predicate.split())
        direct = predicates.find(raw)
        subject, object_ = ends if direct is None or not direct.reversed else ends[::-1]
        yield RelationRow(
            subject=subject,
            predicate_raw=raw,
            predicate=None if direct is None else direct.name,
            object=object_,
            start=start,
            end=end,
            page=layout.page(start),
            chunk=chunk.ordinal,
            quoted=layout.is_quoted(start, end),
        )


def _ends_if_true(relation: Relation, text: str, kept: Mapping[int, int]) -> tuple[int, int] | None:
    subject, object_ = kept.get(relation.subject), kept.get(relation.object)
    if subject is None or object_ is None or subject == object_:
        return None
    if not 0 <= relation.start < relation.end <= len(text) or not _is_label(
        " ".join(relation.predicate.split())
    ):
        return None
    return subject, object_


def _contribution(
    found: _Found, numbers: Mapping[Identity, int], relations: list[RelationRow], layout: Layout
) -> Contribution:
    forms: list[dict[str, int]] = [{} for _ in numbers]
    quotes = [0] * len(numbers)
    roles: dict[int, str] = {}
    spans: list[SpanRow] = []
    for span, sighting in sorted(found.items()):
        entity = numbers[span.type, span.key]
        page, quoted = layout.page(span.start), layout.is_quoted(span.start, span.end)
        spans.append(SpanRow(entity, span.start, span.end, sighting.form, page, min(sighting.chunks), quoted))
        forms[entity][sighting.form] = forms[entity].get(sighting.form, 0) + (not quoted)
        quotes[entity] += quoted
        role = ROLES[-1] if quoted else sighting.role  # who wrote what is quoted, did not write this
        roles[entity] = _stronger(roles.get(entity, role), role)
    identities = list(numbers)
    allowed, refused = _sorted_out(relations, identities)
    return Contribution(
        entities=tuple(EntityRow(*identity, names.display_name(forms[n])) for identity, n in numbers.items()),
        mentions=tuple(
            MentionRow(n, roles[n], sum(forms[n].values()), quotes[n]) for n in range(len(identities))
        ),
        spans=tuple(sorted(spans)),
        relations=tuple(allowed),
        digest=_digest(identities, spans, allowed),
        refused=tuple(refused),
    )


def _digest(identities: list[Identity], spans: list[SpanRow], relations: list[RelationRow]) -> str:
    """One line of JSON for each mention and relation, sorted: no order, id or time of making is in it."""
    said = [f"{_quoted(type_)}, {_quoted(key)}" for type_, key in identities]
    lines = [f'["mention", {said[span.entity]}, {span.start}, {span.end}{_mark(span)}]' for span in spans]
    for row in relations:
        canonical = "null" if row.predicate is None else _quoted(row.predicate)
        words = f"{_quoted(row.predicate_raw)}, {canonical}"
        ends = f"{row.start}, {row.end}{_mark(row)}"
        lines.append(f'["relation", {said[row.subject]}, {words}, {said[row.object]}, {ends}]')
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


_quoted = functools.lru_cache(16_384)(json.dumps)


def _mark(row: SpanRow | RelationRow) -> str:
    """What stands at the end of the line of what is quoted: all other lines are as they were before."""
    return ', "quoted"' if row.quoted else ""

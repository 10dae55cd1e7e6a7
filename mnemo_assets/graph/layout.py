"""Pure: where the pages, quotations and chunks of a document begin and end."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mnemo_assets.text.normalise import page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemo_assets.graph.merge import ChunkExtraction


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the pages of a document begin, and what it quotes, in order and without overlaps."""

    page_starts: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, page_starts: Sequence[int], quoted: Sequence[tuple[int, int]]) -> Layout:
        """Of pages by their starts, ascending from 0, and quotations in any order."""
        joined: list[tuple[int, int]] = []
        for start, end in sorted(quoted):
            if joined and start <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        return cls(page_starts, [start for start, _ in joined], [end for _, end in joined])

    def page(self, start: int) -> int:
        """The page, counted from 1, on which an offset stands."""
        return page_of(self.page_starts, start) if len(self.page_starts) > 1 else 1

    def is_quoted(self, start: int, end: int) -> bool:
        """Whether a span lies within what is quoted, whole."""
        if not self.starts:
            return False
        place = bisect_right(self.starts, start) - 1
        return place >= 0 and end <= self.ends[place]


class Edges(NamedTuple):
    """Where a chunk begins and ends, and the chunks before and behind it; None at the document's own ends."""

    start: int
    end: int
    before: tuple[int, int] | None
    after: tuple[int, int] | None

    @classmethod
    def of(cls, ordered: Sequence[ChunkExtraction], place: int) -> Edges:
        """Of one of a document's chunks."""
        bounds = [(chunk.start, chunk.end) for chunk in ordered[max(0, place - 1) : place + 2]]
        before = bounds.pop(0) if place else None
        return cls(*bounds[0], before, bounds[1] if len(bounds) > 1 else None)

    def cut(self, start: int, end: int) -> bool:
        """Whether a span touches an edge where its chunk was cut, and a neighbour holds it well inside."""
        before, after = self.before, self.after
        if start == self.start and before is not None and before[0] < start and end < before[1]:
            return True
        return end == self.end and after is not None and after[0] < start and end < after[1]

    def margin(self, start: int, end: int) -> int:
        """How much of the chunk stands between a span and the nearest edge that is not the document's."""
        whole = self.end - self.start
        left = whole if self.before is None else start - self.start
        right = whole if self.after is None else self.end - end
        return min(left, right)

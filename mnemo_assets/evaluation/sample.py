"""Which documents a bake-off looks at: some of each type and size, the same ones each time it is asked.

One document of each type, the most frequent types first, and the rest in proportion to how many documents are
of a type and size: a type that is one in a thousand is looked at, and the whole is much like the archive.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_assets.database import Connection, queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Q = queries("evaluation")

#: How many documents are looked at where nobody says otherwise, and what the choice begins with.
DOCUMENTS: Final = 29
SEED: Final = 7
#: Chunks up to which a document is of a size. What a document costs goes with its chunks.
SIZES: Final = (("one chunk", 1), ("2 to 10 chunks", 10), ("more", None))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that could be looked at.

    Attributes:
        document_id: the ledger's.
        ext: its type: the extension of its files, or of the part that it is.
        chunks: how many it has.
    """

    document_id: int
    ext: str
    chunks: int

    @property
    def size(self) -> str:
        """The name of its size."""
        return next(name for name, most in SIZES if most is None or self.chunks <= most)


@dataclass(frozen=True, slots=True)
class Sample:
    """The chosen documents, in the order of the candidates, and how many of those there were."""

    chosen: tuple[Candidate, ...]
    wanted: int
    available: int
    seed: int

    @property
    def types(self) -> dict[str, int]:
        """Extension -> documents, the most frequent first."""
        return _counted(one.ext for one in self.chosen)

    @property
    def sizes(self) -> dict[str, int]:
        """Size -> documents, from small to large."""
        counts = Counter(one.size for one in self.chosen)
        return {name: counts[name] for name, _ in SIZES}


def sample(
    connection: Connection,
    documents: int = DOCUMENTS,
    seed: int = SEED,
    folders: Sequence[bytes] | None = None,
) -> Sample:
    """Choose among the documents that have chunks.

    Args:
        connection: the owner's.
        documents: how many; all there are, if these are fewer.
        seed: another one chooses others.
        folders: no document lies outside of them; as `gates.folders` gives them.
    """
    values = {"folders": None if folders is None else list(folders)}
    rows = connection.execute(Q["candidates"], values)
    return choose([Candidate(**row) for row in rows], documents, seed)


def choose(candidates: Sequence[Candidate], wanted: int, seed: int) -> Sample:
    """Choose among candidates, whose order counts."""
    strata: defaultdict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for one in candidates:
        strata[one.ext, one.size].append(one)
    dice = random.Random(seed)  # noqa: S311 - a sample, not a secret
    chosen: set[Candidate] = set()
    quotas = _quotas({stratum: len(those) for stratum, those in strata.items()}, wanted)
    for stratum in sorted(strata):
        chosen.update(dice.sample(strata[stratum], quotas[stratum]))
    return Sample(tuple(one for one in candidates if one in chosen), wanted, len(candidates), seed)


def _quotas(counts: Mapping[tuple[str, str], int], wanted: int) -> dict[tuple[str, str], int]:
    """How many of each stratum: one of each type, then of whichever is furthest behind its share."""
    total = sum(counts.values())
    quotas = dict.fromkeys(counts, 0)
    types = _counted(ext for (ext, _), number in counts.items() for _ in range(number))
    for ext in list(types)[:wanted]:
        largest = max((one for one in counts if one[0] == ext), key=lambda one: (counts[one], one))
        quotas[largest] = 1
    while sum(quotas.values()) < min(wanted, total):
        behind = max(
            (one for one in counts if quotas[one] < counts[one]),
            key=lambda one: (counts[one] * wanted / total - quotas[one], one),
        )
        quotas[behind] += 1
    return quotas


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda pair: (-pair[1], pair[0])))

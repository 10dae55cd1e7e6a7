"""Pure: from what recipes found and judges said to a report's figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemo_assets.evaluation import metrics
from mnemo_assets.evaluation.families import families, kin
from mnemo_assets.evaluation.report import VERSION, Judge, Judged, Measured, Report, Sampled, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mnemo_assets.evaluation.findings import Claim, Found
    from mnemo_assets.evaluation.judge import Verdict
    from mnemo_assets.evaluation.metrics import Agreement
    from mnemo_assets.evaluation.sample import Sample


@dataclass(frozen=True, slots=True)
class Measuring:
    """A recipe, and what it found in each document of the sample."""

    recipe: str
    version: int
    setting: Setting | None
    found: Sequence[Found]

    @property
    def recipe_at_hash(self) -> str:
        """NAME@REQUEST_HASH, the hash empty for a recipe that asks no model."""
        return f"{self.recipe}@{self.setting.request_hash if self.setting else ''}"

    @property
    def claims(self) -> list[Claim]:
        """Its relations, document by document."""
        return [claim for document in self.found for claim in document.claims]


@dataclass(frozen=True, slots=True)
class Panelist:
    """A judge, and what it said of each relation; None where it gave no verdict."""

    model: str
    answer_format: str
    said: Mapping[Claim, Verdict | None]


def report(
    sample: Sample,
    chunks: int,
    measuring: Sequence[Measuring],
    panel: Sequence[Panelist],
    absent: tuple[str, ...],
) -> Report:
    """The report of a bake-off.

    Args:
        sample: its documents.
        chunks: that these have.
        measuring: its recipes.
        panel: its two judges, each of whom was asked about every relation.
        absent: recipes that could not be measured.
    """
    return Report(
        version=VERSION,
        sample=Sampled(
            seed=sample.seed,
            wanted=sample.wanted,
            documents=len(sample.chosen),
            available=sample.available,
            chunks=chunks,
            types=sample.types,
            sizes=sample.sizes,
        ),
        judges=tuple(
            Judge(
                model=one.model, families=tuple(sorted(families(one.model))), answer_format=one.answer_format
            )
            for one in panel
        ),
        recipes=tuple(_measured(one, panel, sample.seed) for one in measuring),
        absent=absent,
        agreement=_agreement([claim for one in measuring for claim in one.claims], panel, sample.seed),
    )


def _measured(one: Measuring, panel: Sequence[Panelist], seed: int) -> Measured:
    found = one.found
    return Measured(
        recipe=one.recipe,
        version=one.version,
        setting=one.setting,
        chunks_failed=sum(document.failed for document in found),
        entities=metrics.mean([document.entities for document in found], seed),
        relations=metrics.mean([len(document.claims) for document in found], seed),
        relations_total=len(one.claims),
        grounded=metrics.share(
            sum(document.grounded for document in found), sum(document.names for document in found)
        ),
        empty=metrics.share(sum(not document.entities for document in found), len(found)),
        per_hour=metrics.per_hour(
            [document.milliseconds for document in found], one.setting.slots if one.setting else 1, seed
        ),
        judged=tuple(_judged(one, judge) for judge in panel),
        agreement=_agreement(one.claims, panel, seed),
    )


def _judged(one: Measuring, judge: Panelist) -> Judged:
    verdicts = [judge.said[claim] for claim in one.claims]
    given = sum(verdict is not None for verdict in verdicts)
    return Judged(
        judge=judge.model,
        correct=metrics.share(verdicts.count("correct"), given),
        wrong=metrics.share(verdicts.count("wrong"), given),
        reversed=metrics.share(verdicts.count("reversed"), given),
        unjudged=len(verdicts) - given,
        is_kin=one.setting is not None and bool(kin(judge.model, [one.setting.model])),
    )


def _agreement(claims: Sequence[Claim], panel: Sequence[Panelist], seed: int) -> Agreement:
    one, other = panel
    pairs = [(one.said[claim], other.said[claim]) for claim in claims]
    both = [(first, second) for first, second in pairs if first is not None and second is not None]
    return metrics.agreement(both, seed)

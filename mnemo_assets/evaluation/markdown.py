"""Pure: a report as a person reads it, on the terminal and on Dagster's page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mnemo_assets.evaluation.metrics import Estimate, Share
    from mnemo_assets.evaluation.report import Measured, Report

_NOTHING: Final = "–"
#: From here on nobody reads what stands after the point.
_LARGE: Final = 100


def markdown(report: Report) -> str:
    """The report: recipes, judges and their agreement, the sample, the settings."""
    return "\n".join(
        line
        for part in (_head(report), _figures(report), _judges(report), _sample(report), _settings(report))
        for line in part
    )


def _head(report: Report) -> Iterator[str]:
    sample = report.sample
    yield "# Bake-off"
    yield ""
    yield (
        f"{sample.documents:,} of {sample.available:,} documents with {sample.chunks:,} chunks, chosen by "
        f"type and size with seed {sample.seed}."
    )
    yield ""
    yield (
        "Intervals are of 95%: Wilson's for shares, a bootstrap over documents for the rest. They say how "
        "far the sample may be from documents like these. Relations of one document are alike, so the "
        "intervals of what judges say are rather too narrow."
    )
    if sample.documents < sample.wanted:
        yield ""
        yield f"{sample.wanted:,} documents were wanted; no more can be looked at."


def _figures(report: Report) -> Iterator[str]:
    names = [judge.model for judge in report.judges]
    yield ""
    yield "## Recipes"
    yield ""
    yield from _table(
        [
            "recipe",
            "entities a document",
            "relations a document",
            "names grounded",
            *(f"correct ({_code(name)})" for name in names),
            *(f"reversed ({_code(name)})" for name in names),
            "empty documents",
            "documents an hour",
        ],
        [
            [
                _code(one.recipe),
                _estimate(one.entities),
                _estimate(one.relations),
                _share(one.grounded),
                *(_share(judged.correct) for judged in one.judged),
                *(_share(judged.reversed) for judged in one.judged),
                _share(one.empty),
                _estimate(one.per_hour),
            ]
            for one in report.recipes
        ],
    )
    notes = [note for one in report.recipes for note in _notes(one)]
    notes += [f"{_code(name)} is not installed, and was not measured." for name in report.absent]
    if notes:
        yield ""
        yield from (f"- {note}" for note in notes)


def _notes(one: Measured) -> Iterator[str]:
    if one.chunks_failed:
        yield f"{_code(one.recipe)}: chunks that could not be done, or not wholly: {one.chunks_failed:,}."
    for judged in one.judged:
        if judged.is_kin:
            yield (
                f"{_code(judged.judge)} is of the family of {_code(one.recipe)}: it may share its mistakes, "
                "and judge them kindly."
            )
        if judged.unjudged:
            yield (
                f"{_code(judged.judge)} gave no verdict on {judged.unjudged:,} of {one.relations_total:,} "
                f"relations of {_code(one.recipe)}; they count nowhere."
            )


def _judges(report: Report) -> Iterator[str]:
    yield ""
    yield "## Judges"
    yield ""
    yield "Each sees one relation and the words that prove it, and not who found it."
    yield ""
    yield from _table(
        ["judge", "family"], [[_code(one.model), ", ".join(one.families)] for one in report.judges]
    )
    yield ""
    rows = [(_code(one.recipe), one.relations_total, one.agreement) for one in report.recipes]
    rows.append(("all", sum(one.relations_total for one in report.recipes), report.agreement))
    yield from _table(
        ["relations of", "relations", "judged by both", "agreed", "Cohen's kappa"],
        [
            [name, f"{number:,}", f"{both.agreed.of:,}", _share(both.agreed), _estimate(both.kappa, 2)]
            for name, number, both in rows
        ],
    )


def _sample(report: Report) -> Iterator[str]:
    yield ""
    yield "## Sample"
    yield ""
    yield from _table(["type", "documents"], _counts(report.sample.types))
    yield ""
    yield from _table(["size", "documents"], _counts(report.sample.sizes))


def _settings(report: Report) -> Iterator[str]:
    asked = [(one.recipe, one.setting) for one in report.recipes if one.setting is not None]
    yield ""
    yield "## Settings"
    yield ""
    yield "Without a model: " + ", ".join(
        f"{_code(one.recipe)} version {one.version}" for one in report.recipes if one.setting is None
    )
    if asked:
        yield ""
        yield from _table(
            ["recipe", "preset", "server", "slots", "context", "reply", "format", "request"],
            [
                [
                    _code(recipe),
                    _code(setting.preset),
                    f"{setting.server}, {setting.place}",
                    str(setting.slots),
                    f"{setting.context:,}",
                    f"{setting.max_tokens:,}",
                    setting.answer_format,
                    _code(setting.request_hash[:12]),
                ]
                for recipe, setting in asked
            ],
        )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _counts(counts: dict[str, int]) -> list[list[str]]:
    return [[name or "none", f"{number:,}"] for name, number in counts.items()]


def _share(share: Share) -> str:
    if share.share is None:
        return _NOTHING
    return f"{share.share:.1%} ({share.low:.1%} to {share.high:.1%}) of {share.of:,}"


def _estimate(estimate: Estimate, digits: int = 1) -> str:
    if estimate.value is None:
        return _NOTHING
    if estimate.value >= _LARGE:
        digits = 0
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:,.{digits}f}"
    return f"{estimate.value:,.{digits}f} ({estimate.low:,.{digits}f} to {estimate.high:,.{digits}f})"


def _code(name: str) -> str:
    return f"`{name}`"

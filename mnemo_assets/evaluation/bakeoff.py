"""The bake-off: recipes side by side on a sample of the archive, judged by two models.

The graph is not touched. One model after the other is loaded, and each once: recipes first, then the judges,
each for all relations. It may be stopped at any moment: every reply is kept, and the same bake-off goes on
with what was not asked yet.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemo_assets import llm
from mnemo_assets.errors import UsageError
from mnemo_assets.evaluation import extract, figures, judge, judging, stored
from mnemo_assets.evaluation.figures import Measuring, Panelist
from mnemo_assets.evaluation.findings import of_document
from mnemo_assets.evaluation.markdown import markdown
from mnemo_assets.evaluation.sample import DOCUMENTS, SEED, sample
from mnemo_assets.evaluation.seats import seated
from mnemo_assets.extractions import recipes
from mnemo_assets.pipeline.gates import folders
from mnemo_assets.pipeline.progress import OnProgress, silent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from mnemo_assets.database import Connection
    from mnemo_assets.evaluation.extract import Chunk
    from mnemo_assets.evaluation.findings import Extracted, Found
    from mnemo_assets.evaluation.report import Report
    from mnemo_assets.settings import Settings


@dataclass(frozen=True, slots=True)
class Baked:
    """A bake-off that was kept: its report, and the same for a person."""

    report: Report
    markdown: str


def run(
    connection: Connection,
    settings: Settings,
    models: Sequence[str],
    judges: Sequence[str],
    on_progress: OnProgress = silent,
    *,
    documents: int = DOCUMENTS,
    seed: int = SEED,
) -> Baked:
    """Measure recipes, and keep the report.

    Args:
        connection: the owner's, in autocommit mode.
        settings: of the endpoint and the GPU lease.
        models: to measure as the recipe `llm`, each as the endpoint calls it; none: the recipes without one.
        judges: two models of different families.
        on_progress: is told how far each recipe and each judge is.
        documents: how many to look at.
        seed: of their choice, and of the intervals.

    Raises:
        UsageError: the judges are not two of different families, the endpoint has one model for all names,
            or no document has chunks.
        SettingsError, EndpointDownError, EndpointElsewhereError: a model cannot be asked.
        LeaseHeldError, LeaseLostError: the GPU is another program's.
    """
    pair = judge.check(judges)
    models = tuple(dict.fromkeys(models))
    for model in (*models, *pair):  # whatever is missing is said now, and not after hours
        with llm.open_endpoint(settings, model) as endpoint:
            _refuse_one_under_several_names(endpoint.identity.server, {*models, *pair})
    chosen = sample(connection, documents, seed, folders(settings))
    if not chosen.chosen:
        raise UsageError("No document that may be looked at has a text yet. First: mnemo sync DIR.")
    sampled = extract.chunks(connection, [one.document_id for one in chosen.chosen])
    measuring = [
        *_without_a_model(sampled, on_progress),
        *_with_models(connection, settings, models, sampled, on_progress),
    ]
    panel = _judged(connection, settings, pair, measuring, on_progress)
    absent = tuple(name for name in recipes.EXTRACTORS if not recipes.is_installed(name))
    report = figures.report(chosen, len(sampled), measuring, panel, absent)
    baked = Baked(report, markdown(report))
    stored.keep(connection, [one.recipe_at_hash for one in measuring], report, baked.markdown)
    return baked


def _refuse_one_under_several_names(server: str, names: Collection[str]) -> None:
    """A llama-server that is no router answers with its one model, whatever it is called.

    Raises:
        UsageError: a model would be compared with itself, and judge itself.
    """
    if server == "llama-server" and len(names) > 1:
        raise UsageError(
            "This llama-server has one model, which answers to every name: it would judge itself. Serve the "
            "models by their names, with llama-server as a router (--models-dir in place of -m), llama-swap, "
            "Ollama or LM Studio."
        )


def _without_a_model(sampled: Sequence[Chunk], on_progress: OnProgress) -> Iterator[Measuring]:
    for name in filter(recipes.is_installed, recipes.EXTRACTORS):
        made = extract.by_rules(name, sampled, on_progress)
        yield Measuring(name, recipes.version(name), None, _documents(sampled, made))


def _with_models(
    connection: Connection,
    settings: Settings,
    models: Iterable[str],
    sampled: Sequence[Chunk],
    on_progress: OnProgress,
) -> Iterator[Measuring]:
    for model in models:
        name = f"{recipes.ASKING}{model}"
        with seated(connection, settings, model) as seat:
            made = extract.by_model(connection, seat, name, sampled, on_progress)
            yield Measuring(name, recipes.version(name), seat.setting, _documents(sampled, made))


def _judged(
    connection: Connection,
    settings: Settings,
    judges: Iterable[str],
    measuring: Iterable[Measuring],
    on_progress: OnProgress,
) -> list[Panelist]:
    """What each judge says of all relations that any recipe found."""
    claims = list(dict.fromkeys(claim for one in measuring for claim in one.claims))
    panel = []
    for model in judges:
        with seated(connection, settings, model) as seat:
            said = judging.verdicts(connection, seat, claims, on_progress)
            panel.append(Panelist(model, seat.template.answer_format, said))
    return panel


def _documents(sampled: Sequence[Chunk], made: dict[str, Extracted]) -> list[Found]:
    """What was found in each document of the sample."""
    of: defaultdict[int, list[Extracted]] = defaultdict(list)
    for chunk in sampled:
        of[chunk.document_id].append(made[chunk.content_sha256])
    return [of_document(extracted) for extracted in of.values()]

"""The command that measures recipes on a sample before one drains the archive: bakeoff."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from mnemo_assets.cli import doing
from mnemo_assets.cli.output import bars, emit, harmless, json_option
from mnemo_assets.errors import UsageError

if TYPE_CHECKING:
    from mnemo_assets.database import Connection
    from mnemo_assets.evaluation.bakeoff import Baked


def _names(given: str) -> tuple[str, ...]:
    """The names in a list with commas.

    Raises:
        UsageError: one of them is no model's.
    """
    from mnemo_assets.settings import MODEL_NAME

    names = tuple(name.strip() for name in given.split(",") if name.strip())
    if not all(re.fullmatch(MODEL_NAME, name) for name in names):
        raise UsageError(
            "Models are named as their endpoint calls them, with commas between: --models A,B,C."
        )
    return names


@click.command()
@click.option(
    "--models", default="", metavar="A,B,C", help="Models to measure. Default: the recipes without one."
)
@click.option("--judges", required=True, metavar="X,Y", help="Two models of different families that judge.")
@click.option(
    "--documents", default=29, show_default=True, type=click.IntRange(1, 10_000), help="Documents to look at."
)
@click.option("--seed", default=7, show_default=True, type=int, help="Of their choice.")
@json_option
def bakeoff(*, models: str, judges: str, documents: int, seed: int, as_json: bool) -> None:
    """Measure recipes on a sample of the archive.

    Looks at some documents of each type and size, has each model and each recipe without one extract them as
    a sync would, and two other models judge every relation against the words that are said to prove it. The
    graph stays as it is. It may be stopped at any moment: no model is asked twice.

    A sync of more than 200 documents by a model that no bake-off has measured is refused.

    \b
    mnemo bakeoff --models qwen3:8b,gemma3:12b --judges mistral-small,llama3.3
    mnemo bakeoff --judges mistral-small,llama3.3       the recipes without a model
    """
    from mnemo_assets import settings
    from mnemo_assets.evaluation import bakeoff as room
    from mnemo_assets.pipeline import link

    asked, panel = _names(models), _names(judges)
    chosen = settings.load()

    def go(connection: Connection) -> Baked:
        return room.run(connection, chosen, asked, panel, on_progress, documents=documents, seed=seed)

    with bars() as on_progress:
        baked = link.reconnecting(chosen, go, doing.say_lost)
    if as_json:
        emit(baked.report.model_dump(mode="json"))
    else:
        click.echo(harmless(baked.markdown, keep="\n"))

"""Commands about recipes: which there are, which one the graph is made with, and how two of them differ."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from mnemo_assets.cli import doing
from mnemo_assets.cli.output import bars, emit, json_option, say, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemo_assets.database import Connection
    from mnemo_assets.pipeline.compare import Compared, Example
    from mnemo_assets.pipeline.contribute import Again
    from mnemo_assets.pipeline.tally import Cost, Tally

#: The sides of a comparison, and what a person reads there.
SIDES = {"agreed": "both", "only_a": "only A", "only_b": "only B", "reversed": "reversed"}


@click.group()
def extractor() -> None:
    """Choose, list and compare the recipes that find what is in a text.

    \b
    mnemo extractor list
    mnemo extractor activate patterns
    mnemo extractor compare ner patterns
    """


@extractor.command("list")
@click.option("--days", "by_day", is_flag=True, help="Show what requests to models cost day by day.")
@json_option
def list_(*, by_day: bool, as_json: bool) -> None:
    """List the recipes: what each did, what it cost, and which one the graph is made with.

    \b
    mnemo extractor list
    mnemo extractor list --days
    """
    from mnemo_assets import database, settings
    from mnemo_assets.pipeline import tally

    with closing(database.connect(settings.load())) as connection:
        found = tally.tallies(connection, by_day=by_day)
    if as_json:
        emit({"extractors": [asdict(one) for one in found]})
        return
    head = ("recipe", "version", "kind", "documents", "done", "failed", "in part", "dropped", "measured")
    table([("", *head), *(_row(one) for one in found)])
    costs = [(one.name, cost) for one in found for cost in one.costs]
    if costs:
        say()
        first = ("recipe", "day") if by_day else ("recipe",)
        rows = [(name, *([cost.day] if by_day else []), *_figures(cost)) for name, cost in costs]
        table([(*first, "requests", "attempts", "tokens read", "tokens written", "seconds"), *rows])


def _row(one: Tally) -> tuple[object, ...]:
    counts = (one.documents, one.chunks_done, one.chunks_failed, one.chunks_split, one.dropped)
    measured = ("yes" if one.is_measured else "no") if one.kind == "model" else "-"
    mark = "*" if one.is_active else ""
    return (mark, one.name, one.version, one.kind, *(f"{n:,}" for n in counts), measured)


def _figures(cost: Cost) -> tuple[str, ...]:
    counts = (cost.calls, cost.attempts, cost.prompt_tokens, cost.completion_tokens)
    return (*(f"{n:,}" for n in counts), f"{cost.milliseconds / 1000:,.0f}")


@extractor.command()
@click.argument("name")
@click.option(
    "--anew", is_flag=True, help="Of a model: with the request that this mnemo makes, not an earlier one."
)
@json_option
def activate(*, name: str, anew: bool, as_json: bool) -> int:
    """Build the graph anew with another recipe.

    NAME is ner, patterns, or llm:MODEL; `mnemo extractor list` shows those that were used. The new graph is
    served once it is whole. The graph that is there is served until then. Texts are not read again, and no
    model is asked about one: documents that it was not asked about in full wait for a sync.

    \b
    mnemo extractor activate patterns
    mnemo extractor activate llm:qwen3-8b
    """
    from mnemo_assets import settings
    from mnemo_assets.extractions import recipes
    from mnemo_assets.pipeline import link, mine

    chosen = settings.load()
    of_graph = chosen.model_copy(update={"extractor": None})  # whatever they say of a new graph
    done = doing.Done()

    def go(connection: Connection) -> None:
        mine.activate(connection, chosen, name, on_progress, anew=anew)
        # what waited for the other recipe, and this one needs no model for
        again: Again | None = "stored" if recipes.asks_a_model(name) else None
        done.count_mined(mine.mine(connection, of_graph, on_progress, again=again))
        doing.report(connection, chosen)

    with bars() as on_progress:
        link.reconnecting(chosen, go, doing.say_lost)
    headline = f"The graph is the one that {name} makes."
    if recipes.named(chosen.extractor, chosen.llm_model) not in {None, name}:
        headline += " MNEMO_EXTRACTOR says otherwise: unset it, or `mnemo sync` is refused."
    return doing.tell(chosen, done, headline, as_json=as_json)


@extractor.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--limit",
    default=0,
    show_default=True,
    type=click.IntRange(0, 1000),
    help="Examples to show of each kind.",
)
@json_option
def compare(*, a: str, b: str, limit: int, as_json: bool) -> None:
    """Compare what two recipes found in the texts that both were given.

    A and B are recipes of `mnemo extractor list`. Examples name entities: they are for your eyes.

    \b
    mnemo extractor compare ner patterns
    mnemo extractor compare llm:qwen3-8b ner --limit 10
    """
    from mnemo_assets import database, settings
    from mnemo_assets.pipeline import compare as room

    with closing(database.connect(settings.load())) as connection, bars() as on_progress:
        found = room.compare(connection, a, b, limit, on_progress)
    if as_json:
        emit(_plain(found, limit))
        return
    say(f"A is {found.a}, B is {found.b}: {found.documents:,} documents, {found.chunks:,} texts")
    rows = [("", *SIDES.values())]
    for what in ("entities", "relations"):
        sides = (getattr(found, f"{what}_{side}", None) for side in SIDES)
        rows.append((what, *(f"{side.count:,}" if side else "-" for side in sides)))
    table(rows)
    for what in ("entities", "relations"):
        for side, words in SIDES.items():
            shown = getattr(found, f"{what}_{side}", None)
            if shown and shown.examples:
                say()
                say(f"{what}, {words}")
                _show(shown.examples)


def _show(examples: Sequence[Example]) -> None:
    for one in examples:
        said = _named(one.subject)
        if one.object is not None:
            said += f" — {(one.predicate or '').replace('_', ' ')} — {_named(one.object)}"
        say(f"  document {one.document_id}: {said}")


def _named(identity: tuple[str, str]) -> str:
    return f"{identity[1]} ({identity[0]})"


def _plain(found: Compared, limit: int) -> dict[str, Any]:
    said: dict[str, Any] = {"a": found.a, "b": found.b, "documents": found.documents, "chunks": found.chunks}
    for what in ("entities", "relations"):
        sides = {side: getattr(found, f"{what}_{side}", None) for side in SIDES}
        said[what] = {side: one.count for side, one in sides.items() if one is not None}
        if limit:
            said[f"{what}_examples"] = {
                side: [
                    {name: value for name, value in asdict(example).items() if value is not None}
                    for example in one.examples
                ]
                for side, one in sides.items()
                if one is not None
            }
    return said

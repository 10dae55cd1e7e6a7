"""Mining: documents whose text is ready become part of the graph that is served."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import psycopg

from mnemo_assets import gpu
from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import RecipeError
from mnemo_assets.extractions import recipes
from mnemo_assets.graph import store
from mnemo_assets.graph.merge import DERIVATION
from mnemo_assets.pipeline import asking, claims, contribute, drain, gates, model_session
from mnemo_assets.pipeline.activate import activate, renew
from mnemo_assets.pipeline.generations import (
    Generation,
    active_generation,
    find,
    refuse_misfit,
    remove_retired,
)
from mnemo_assets.pipeline.progress import OnProgress, Stop, never, silent
from mnemo_assets.pipeline.workshop import ENOUGH, Results, Workshop, children

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mnemo_assets.settings import Settings

__all__ = ["MineCounts", "activate", "active_generation", "mine", "refuse_misfit", "remerge"]

Q = queries("mine")

#: What needs no recipe, and so no model.
_NO_RECIPE: Final = ("merge", "stored")
#: Documents claimed at once: while some are stored, children extract the next.
BATCH = 16


@dataclass(slots=True)
class MineCounts:
    """What became of the documents of one run.

    Attributes:
        graphed: are in the graph; of `partial` some chunks are not.
        failed: nothing could be mined; `failed_first` of them for the first time.
    """

    graphed: int = 0
    partial: int = 0
    failed: int = 0
    failed_first: int = 0


def mine(
    connection: Connection,
    settings: Settings,
    on_progress: OnProgress = silent,
    *,
    only: Collection[str] | None = None,
    again: contribute.Again | None = None,
    stop: Stop = never,
    counts: MineCounts | None = None,
    program: str = "mine",
    leased: model_session.Leased = gpu.leased,
    unmeasured: bool = False,
) -> MineCounts:
    """Mine the documents whose text is ready, once each, and put the graph in order.

    A graph that was made by an older version of its recipe, or of the code that merges, is first made anew
    beside the one that is served, as `activate` does. Any number of processes may do this at once. Nothing
    waits: no recipe is opened.

    Args:
        connection: the owner's, in autocommit mode.
        settings: `workers` is how many processes extract, where that is worth it.
        on_progress: is told how many documents of how many are done, as step "mine".
        only: these sha256s alone.
        again: beside those that wait, also those that failed, wholly or in part; or all that are in the
            graph; or "merge", as `remerge` does; or "stored": of those that wait, what needs no recipe.
        stop: is asked before more documents are claimed.
        counts: to add to, for a caller who wants to know them even if the link is lost.
        program: who we are, for others who want the GPU lease, where the recipe asks a model.
        leased: gets that lease.
        unmeasured: the owner does not mind that no bake-off has measured that model.

    Raises:
        RecipeError: the graph's recipe is not installed, or not the one that is set; a newer mnemo made it.
        SettingsError: the owner is another one than that of the graph.
        EndpointDownError, EndpointElsewhereError, LeaseHeldError, LeaseLostError: the model cannot be asked:
            documents wait as they did, and what was answered is kept.
        UnmeasuredError: many documents wait for a model that nobody has measured.
    """
    counts = MineCounts() if counts is None else counts
    generation = _current(connection, settings, on_progress, program)
    keys = None if only is None else list(only)
    gates.opt_in(connection, settings, generation)
    run = _Run(connection, settings, on_progress, counts, keys, again, stop, program, leased)
    try:
        while documents := run.waiting(generation):
            if generation.asks_a_model and again not in _NO_RECIPE:
                gates.refuse_unmeasured(connection, generation, documents, unmeasured=unmeasured)
            if run.all_of(generation):
                break
            generation = _current(connection, settings, on_progress, program)  # another process has switched
    finally:  # what came into the graph is in order, whatever becomes of the rest
        if not connection.closed:
            if run.total:
                connection.execute(Q["delete_orphan_extractions"])
            contribute.finish(connection, generation)
    remove_retired(connection)
    if run.total and not run.done and generation.asks_a_model and again not in _NO_RECIPE:
        gates.refuse_held(connection, generation)
    return counts


def remerge(
    connection: Connection, settings: Settings, only: Collection[str], on_progress: OnProgress = silent
) -> MineCounts:
    """Put documents into the graph from what was extracted before; no recipe is opened.

    Args:
        connection: the owner's, in autocommit mode.
        settings: as for `mine`.
        only: sha256s; those of which a text was not extracted yet are left alone.
        on_progress: as for `mine`.

    Raises:
        MnemoError: as `mine` does.
    """
    return mine(connection, settings, on_progress, only=only, again="merge")


def _current(connection: Connection, settings: Settings, on_progress: OnProgress, program: str) -> Generation:
    """The generation that is served, made by this code."""
    found = active_generation(connection, settings, program)
    version = recipes.version(found.recipe)
    if found.version > version or found.derivation > DERIVATION:
        raise RecipeError("A newer mnemo made this graph. Install that version, or set another MNEMO_HOME.")
    if (found.version, found.derivation) != (version, DERIVATION):
        renew(connection, settings, found, on_progress)
        found = active_generation(connection, settings, program)
    return found


@dataclass(slots=True)
class _Run:
    """One process's share of the documents that wait."""

    connection: Connection
    settings: Settings
    on_progress: OnProgress
    counts: MineCounts
    only: list[str] | None
    again: contribute.Again | None
    stop: Stop
    program: str
    leased: model_session.Leased
    total: int = 0
    chunks: int = 0
    done: int = 0
    lease: gpu.Lease | None = None

    def _values(self, generation: Generation) -> dict[str, Any]:
        """What chooses the documents that wait."""
        return {
            "extractor_id": generation.extractor_id,
            "only": self.only,
            "again": self.again,
            "folders": gates.folders(self.settings) if generation.asks_a_model else None,
        }

    def waiting(self, generation: Generation) -> int:
        """How many documents wait."""
        values = {**self._values(generation), "enough": ENOUGH}
        row = self.connection.execute(Q["count_waiting"], values).fetchone()
        assert row is not None
        self.total, self.chunks = max(self.total, self.done + row["documents"]), row["chunks"]
        return int(row["documents"])

    def all_of(self, generation: Generation) -> bool:
        """Mine into a generation all that waits; False if it is not the one that is served any more."""
        self.on_progress("mine", self.done, self.total)
        self.lease = None  # that of the generation before was given back
        with claims.claimant(self.connection) as claimant, ExitStack() as opened:
            by = self._by_model if generation.asks_a_model else self._by_rules
            return all(self._store(generation, row) for row in by(claimant, opened, generation))

    def _by_rules(
        self, claimant: claims.Claimant, opened: ExitStack, generation: Generation
    ) -> Iterator[dict[str, Any]]:
        """Documents whose texts were extracted in this process, or in children of it."""
        processes = children(self.settings.workers, self.chunks)
        workshop = opened.enter_context(Workshop(generation.recipe, processes))
        for rows in self._extracted(claimant, workshop, generation):
            yield from rows

    def _by_model(
        self, claimant: claims.Claimant, opened: ExitStack, generation: Generation
    ) -> Iterator[dict[str, Any]]:
        """Documents about whose texts a model was asked: now, or before."""

        def take(after: int) -> list[dict[str, Any]]:
            values = {**self._values(generation), "after": after, "limit": drain.BATCH}
            return [] if self.stop() else claimant.take(Q["claim_mining"], values)

        def standing(rows: list[dict[str, Any]]) -> set[int]:
            values = {
                "document_ids": [row["document_id"] for row in rows],
                "claim_tokens": [row["claim_token"] for row in rows],
                "folders": gates.folders(self.settings),
            }
            return {row["document_id"] for row in self.connection.execute(Q["standing"], values)}

        def pump() -> asking.Pump:
            sent = generation.template
            session = opened.enter_context(
                model_session.session(
                    self.settings,
                    sent.model,
                    self.program,
                    preset=sent.preset,
                    stop=self.stop,
                    leased=self.leased,
                )
            )
            self.lease = session.lease
            name = generation.recipe
            return opened.enter_context(asking.Pump(self.connection, session.endpoint, name, session.way))

        def told() -> None:
            self.on_progress("mine", self.done, max(self.done, self.total))

        drained = drain.Drain(self.connection, generation, claimant, take, standing, pump, told, self.again)
        yield from drained.documents()

    def _extracted(
        self, claimant: claims.Claimant, workshop: Workshop, generation: Generation
    ) -> Iterator[list[dict[str, Any]]]:
        """Documents whose chunks have been extracted, while the next ones' are being extracted."""
        after = 0
        pending: list[dict[str, Any]] = []
        contents: dict[str, str] = {}
        results: Results = iter(())
        while True:
            values = {**self._values(generation), "after": after, "limit": BATCH}
            rows = [] if self.stop() else claimant.take(Q["claim_mining"], values)
            ids = [row["document_id"] for row in rows]
            contents = contribute.missing(self.connection, generation, ids, contents, self.again)
            upcoming = workshop.begin(contents)
            contribute.keep(self.connection, generation, results, again=self.again == "all")
            yield pending
            if not rows:
                return
            pending, results, after = rows, upcoming, ids[-1]

    def _store(self, generation: Generation, row: dict[str, Any]) -> bool:
        """Store a document, if its claim still stands; False if another generation is served by now."""
        merged = contribute.merged(self.connection, generation, row)
        try:
            with self.connection.transaction():
                attempts = self._write(generation, row, merged)
        except (claims.LostError, psycopg.errors.ForeignKeyViolation):
            now = find(self.connection, "active")
            return now is not None and now.generation == generation.generation
        self.counts.graphed += not merged.is_failed
        self.counts.partial += merged.chunks_failed > 0 and not merged.is_failed
        self.counts.failed += merged.is_failed
        self.counts.failed_first += merged.is_failed and attempts == 1
        self.done += 1
        self.on_progress("mine", self.done, max(self.done, self.total))
        return True

    def _write(self, generation: Generation, row: dict[str, Any], merged: contribute.Merged) -> int:
        """Write an outcome and end its claim; returns how many failed tries the document has behind it."""
        claims.commit_lazily(self.connection)
        document_id = row["document_id"]
        if merged.is_failed:
            store.withdraw(self.connection, [document_id])
        else:
            store.replace(self.connection, generation.generation, document_id, merged.contribution)
        claims.hold(self.connection, document_id, row["claim_token"])
        if self.lease is not None:
            self.lease.hold(self.connection)
        values = {
            "document_id": document_id,
            "generation": generation.generation,
            "chunks_failed": merged.chunks_failed,
        }
        settled = self.connection.execute(
            Q["settle_failure" if merged.is_failed else "settle_mining"], values
        ).fetchone()
        if settled is None:
            raise claims.LostError
        return int(settled["attempts"])

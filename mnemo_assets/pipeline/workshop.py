"""Extraction of many texts at once: in this process, or in several that each hold the recipe.

A text is extracted by itself, never in a batch with others, so that its extraction depends on nothing else. A
text that breaks its recipe, or kills the process that works on it, is the only one that fails.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, CancelledError, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Self, TypeAlias

from mnemo_assets.errors import MnemoError, RecipeError
from mnemo_assets.extractions import recipes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from mnemo_assets.extractions.extractor import Extraction, Extractor

#: A child that holds a recipe costs a second and some hundred MB: it must have so many chunks to do.
_CHUNKS_PER_CHILD = 25
_MOST_CHILDREN = 8
#: More waiting chunks than this make no difference to `children`.
ENOUGH = _CHUNKS_PER_CHILD * _MOST_CHILDREN


def children(workers: int, chunks: int) -> int:
    """How many children are worth it for so many chunks, with so many workers allowed; none for a few."""
    number = min(workers, chunks // _CHUNKS_PER_CHILD, _MOST_CHILDREN)
    return number if number > 1 else 0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a text has no extraction: the class of an exception, never its words."""

    error_class: str


@dataclass(frozen=True, slots=True)
class _Refusal:
    """The recipe cannot be opened in the child: what the RecipeError said."""

    message: str


#: What a text is called, and what was found in it.
Results: TypeAlias = "Iterator[tuple[str, Extraction | Failure]]"


class Workshop:
    """A context in which a recipe extracts texts.

    Args:
        recipe: its name; it is opened when the first text is to be extracted.
        processes: how many children to spread texts over; with none, the work is done here.
    """

    def __init__(self, recipe: str, processes: int = 0) -> None:
        self._recipe = recipe
        self._processes = processes
        self._extractor: Extractor | None = None
        self._pool: ProcessPoolExecutor | None = None
        self._solo: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def begin(self, texts: Mapping[str, str]) -> Results:
        """Have texts extracted: children start at once, this process when results are asked for.

        Args:
            texts: what it is called -> the text.

        Returns:
            Each name with the extraction of its text, as they come; to be exhausted before the next ones are.

        Raises:
            RecipeError: the recipe is not installed; raised when results are asked for.
        """
        if not self._processes:
            return self._here(texts)
        return self._there(texts, {name: self._submit(text) for name, text in texts.items()})

    def _here(self, texts: Mapping[str, str]) -> Results:
        if self._extractor is None and texts:
            self._extractor = recipes.open_extractor(self._recipe)
        for name, text in texts.items():
            assert self._extractor is not None
            yield name, _extract(self._extractor, text)

    def _there(
        self, texts: Mapping[str, str], futures: Mapping[str, Future[Extraction | Failure | _Refusal]]
    ) -> Results:
        suspects = []
        for name, future in futures.items():
            try:
                yield name, _accept(future.result())
            except (BrokenExecutor, CancelledError):
                suspects.append(name)
        for name in suspects:  # one of them killed a child, and took the others' results along
            yield name, self._alone(texts[name])

    def _alone(self, text: str) -> Extraction | Failure:
        """Extract a text in a child that works on nothing else."""
        if self._solo is None:
            self._solo = _pool(1)
        try:
            with _no_interrupt():
                future = self._solo.submit(_in_child, self._recipe, text)
            return _accept(future.result())
        except BrokenExecutor:
            self._solo.shutdown()
            self._solo = None
            return Failure("ProcessDied")

    def _submit(self, text: str) -> Future[Extraction | Failure | _Refusal]:
        with _no_interrupt():
            if self._pool is None:
                self._pool = _pool(self._processes)
            try:
                return self._pool.submit(_in_child, self._recipe, text)
            except BrokenExecutor:  # since the last text
                self._pool.shutdown()
                self._pool = _pool(self._processes)
                return self._pool.submit(_in_child, self._recipe, text)

    def _close(self) -> None:
        for pool in (self._pool, self._solo):
            if pool is not None:
                pool.shutdown(cancel_futures=True)
        self._pool = self._solo = None


def _accept(result: Extraction | Failure | _Refusal) -> Extraction | Failure:
    if isinstance(result, _Refusal):
        raise RecipeError(result.message)
    return result


def _extract(extractor: Extractor, text: str) -> Extraction | Failure:
    try:
        return extractor.extract([text])[0]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is this text's outcome
        return Failure(type(error).__name__)


def _pool(number: int) -> ProcessPoolExecutor:
    # spawned, not forked: this process has threads and a database connection
    return ProcessPoolExecutor(number, multiprocessing.get_context("spawn"), initializer=_begin_child)


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Have the children that are started here never hear Ctrl-C, not even while they import.

    A child inherits what its parent blocks. What reaches the parent meanwhile is heard right after.
    """
    resource_tracker.ensure_running()  # whoever starts it lets SIGINT through again, whatever was blocked
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_child() -> None:
    """End with the parent, however that ends."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def _in_child(recipe: str, text: str) -> Extraction | Failure | _Refusal:
    try:
        return _extract(_open(recipe), text)
    except MnemoError as error:
        return _Refusal(str(error))


@functools.cache
def _open(recipe: str) -> Extractor:
    return recipes.open_extractor(recipe)

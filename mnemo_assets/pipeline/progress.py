"""How a step says how far it is, without knowing who shows it; and how it is told to end early."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

#: Called with the step ("scan", "hash", "read", "mine"), how many items are done, and how many there are
#: (None while that is not known). Called often and from one thread: the callee decides what to show. What
#: it raises ends the step, between two items, with everything that was done kept.
OnProgress: TypeAlias = Callable[[str, int, int | None], None]


def silent(_step: str, _done: int, _total: int | None) -> None:
    """Show nothing."""


#: Whether to claim no more documents: those that are claimed are ended. Asked often, from one thread.
Stop: TypeAlias = Callable[[], bool]


def never() -> bool:
    """Go on until nothing waits."""
    return False

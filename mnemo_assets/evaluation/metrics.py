"""Pure: counts as shares, means and rates, each with its 95% interval; and how far two judges agree.

Shares have Wilson's interval, which is one also for 0 of 29. Means have a percentile interval of a bootstrap
over documents: their counts are skewed, and a text of a thousand pages is one document. It is
seeded: the same values give the same interval.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Value = TypeVar("Value")

#: Of the normal distribution, two-sided, 95%.
_Z: Final = 1.959963984540054
#: More of them move the ends of an interval by less than its second digit.
_RESAMPLES: Final = 1_000
_ENDS: Final = (0.025, 0.975)
#: Of fewer values nothing can be said about how far the next one may be.
_FEWEST: Final = 2
_MILLISECONDS_AN_HOUR: Final = 3_600_000


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many.

    Attributes:
        count: of `of`.
        share: their ratio; None of nothing.
        low: of the interval, from 0.
        high: of the interval, to 1.
    """

    count: int
    of: int
    share: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that was estimated from a sample; None where there is nothing to estimate it from."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two judges say the same of what both judged.

    Attributes:
        agreed: the share of equal verdicts.
        kappa: Cohen's, from -1 to 1: 0 is what chance gives; None where both always say one and the same.
    """

    agreed: Share
    kappa: Estimate


def share(count: int, of: int) -> Share:
    """A share with Wilson's 95% interval.

    Args:
        count: from 0 to `of`.
        of: how many there are.
    """
    if not of:
        return Share(0, 0, None, 0.0, 1.0)
    ratio, square = count / of, _Z * _Z / of
    middle = (ratio + square / 2) / (1 + square)
    half = _Z / (1 + square) * (ratio * (1 - ratio) / of + square / (4 * of)) ** 0.5
    # rounding may push an end past the share, which is 0 or 1 then
    return Share(count, of, ratio, max(0.0, min(ratio, middle - half)), min(1.0, max(ratio, middle + half)))


def mean(values: Sequence[float], seed: int) -> Estimate:
    """The mean of a number a document."""
    return _bootstrapped(values, _mean, seed)


def per_hour(milliseconds: Sequence[float], slots: int, seed: int) -> Estimate:
    """Documents an hour.

    Args:
        milliseconds: of work, a number a document.
        slots: how much of it goes on at once.
        seed: of the bootstrap.
    """

    def rate(some: Sequence[float]) -> float | None:
        spent = sum(some)
        return len(some) * slots * _MILLISECONDS_AN_HOUR / spent if spent else None

    return _bootstrapped(milliseconds, rate, seed)


def agreement(verdicts: Sequence[tuple[str, str]], seed: int) -> Agreement:
    """How far two judges agree.

    Args:
        verdicts: the first judge's and the second's, of each thing that both judged.
        seed: of the bootstrap over these.
    """
    same = sum(one == other for one, other in verdicts)
    return Agreement(share(same, len(verdicts)), _bootstrapped(verdicts, kappa, seed))


def kappa(verdicts: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa: agreement beyond what two judges with these habits have by chance."""
    number = len(verdicts)
    if not number:
        return None
    ones, others = [one for one, _ in verdicts], [other for _, other in verdicts]
    # in whole numbers: what is exactly 1 by chance has to be seen as that
    chance = sum(ones.count(word) * others.count(word) for word in set(ones))
    if chance == number * number:
        return None
    agreed = sum(one == other for one, other in verdicts)
    return (agreed * number - chance) / (number * number - chance)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _bootstrapped(
    values: Sequence[Value], estimate: Callable[[Sequence[Value]], float | None], seed: int
) -> Estimate:
    """An estimate with the percentiles of what resamples of the same size give."""
    found = estimate(values)
    if found is None or len(values) < _FEWEST:
        return Estimate(found, None, None)
    dice = random.Random(seed)  # noqa: S311 - an interval, not a secret
    again = (estimate(dice.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    sorted_ = sorted(one for one in again if one is not None)
    if not sorted_:
        return Estimate(found, None, None)
    low, high = (sorted_[round(end * (len(sorted_) - 1))] for end in _ENDS)
    return Estimate(found, min(low, found), max(high, found))

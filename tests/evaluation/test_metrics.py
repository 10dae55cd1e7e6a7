"""Figures with their intervals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.evaluation import metrics
from mnemo_assets.evaluation.metrics import Estimate

shares = st.integers(0, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))
values = st.lists(st.integers(0, 1_000), min_size=1, max_size=12)
words = st.sampled_from(["correct", "wrong", "reversed"])
verdicts = st.lists(st.tuples(words, words), min_size=1, max_size=20)


@given(shares)
def test_a_share_lies_in_its_interval(counts: tuple[int, int]) -> None:
    """Wilson's interval lies in [0, 1], holds the share, and has a width: no sample is proof."""
    found = metrics.share(*counts)
    assert 0 <= found.low < found.high <= 1
    if found.share is not None:
        assert found.low <= found.share <= found.high
        assert found.share == found.count / found.of


@given(shares)
def test_a_share_and_its_rest_are_mirrored(counts: tuple[int, int]) -> None:
    """The interval of what is not is the interval of what is, seen from the other end."""
    count, of = counts
    one, rest = metrics.share(count, of), metrics.share(of - count, of)
    assert one.low == pytest.approx(1 - rest.high)
    assert one.high == pytest.approx(1 - rest.low)


@given(shares.filter(lambda counts: counts[1] > 0), st.integers(2, 50))
def test_more_of_the_same_is_surer(counts: tuple[int, int], times: int) -> None:
    """The same share of a larger sample has a narrower interval."""
    one, many = metrics.share(*counts), metrics.share(counts[0] * times, counts[1] * times)
    assert many.high - many.low < one.high - one.low


def test_known_intervals() -> None:
    """As the textbooks have them: 0 of 29, 15 of 20, nothing of nothing."""
    none = metrics.share(0, 29)
    assert none.low == 0
    assert none.high == pytest.approx(0.11697, abs=1e-5)
    most = metrics.share(15, 20)
    assert most.low == pytest.approx(0.53130, abs=1e-5)
    assert most.high == pytest.approx(0.88814, abs=1e-5)
    assert metrics.share(0, 0) == metrics.Share(0, 0, None, 0.0, 1.0)


@given(values, st.integers())
def test_a_mean_lies_in_its_interval(numbers: list[int], seed: int) -> None:
    """The interval lies within the values, holds their mean, and is the same for the same seed."""
    found = metrics.mean(numbers, seed)
    assert found == metrics.mean(numbers, seed)
    assert found.value == pytest.approx(sum(numbers) / len(numbers))
    if len(numbers) == 1:
        assert (found.low, found.high) == (None, None)
        return
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert min(numbers) - 1e-9 <= found.low <= found.value <= found.high <= max(numbers) + 1e-9


def test_equal_values_leave_no_doubt() -> None:
    """Where all values are one, its interval is that one."""
    assert metrics.mean([3, 3, 3], 7) == Estimate(3.0, 3.0, 3.0)


def test_documents_an_hour() -> None:
    """From milliseconds a document, and how many are worked on at once; nothing of no time."""
    assert metrics.per_hour([1_000, 3_000], 2, 7).value == 3_600
    assert metrics.per_hour([0, 0], 2, 7) == Estimate(None, None, None)
    assert metrics.per_hour([], 2, 7) == Estimate(None, None, None)


@given(verdicts)
def test_kappa_is_symmetric_and_bounded(pairs: list[tuple[str, str]]) -> None:
    """It is the same whoever is called the first judge, from -1 to 1; 1 is full agreement alone."""
    found = metrics.kappa(pairs)
    assert found == metrics.kappa([(other, one) for one, other in pairs])
    if found is None:
        assert len(set(pairs)) == 1
        return
    assert -1 <= found <= 1
    assert (found == 1) == all(one == other for one, other in pairs)


def test_known_kappas() -> None:
    """Cohen's example of 35 against 15; judges at odds; judges who always say one thing."""
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert metrics.kappa(pairs) == pytest.approx(0.4)
    assert metrics.kappa([("y", "n"), ("n", "y")]) == -1
    assert metrics.kappa([("y", "y")] * 9) is None
    assert metrics.kappa([]) is None


@given(verdicts)
def test_agreement_counts_equal_verdicts(pairs: list[tuple[str, str]]) -> None:
    """The share is of equal pairs, and kappa lies in its interval where there is one."""
    found = metrics.agreement(pairs, 7)
    assert (found.agreed.count, found.agreed.of) == (sum(one == other for one, other in pairs), len(pairs))
    if found.kappa.value is not None and found.kappa.low is not None and found.kappa.high is not None:
        assert -1 <= found.kappa.low <= found.kappa.value <= found.kappa.high <= 1

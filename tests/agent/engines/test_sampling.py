import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.engines.base import SamplingSettings
from agent.engines.sampling import choose, log_softmax, seeded
from agent.errors import EngineError, WorkbenchError

ODDS = np.array([0.5, 0.02, 0.3, 0.18])
LOGITS = np.log(ODDS).astype(np.float32)


def shares(
    sampling: SamplingSettings, logits: np.ndarray = LOGITS, draws: int = 4000
) -> np.ndarray:
    randomness = seeded(1)
    drawn = [choose(logits, sampling, randomness) for _ in range(draws)]
    return np.bincount(drawn, minlength=len(logits)) / draws


def test_no_temperature_takes_the_likeliest():
    assert shares(SamplingSettings(), draws=20).tolist() == [1, 0, 0, 0]


def test_temperature_1_draws_by_the_odds():
    assert shares(SamplingSettings(temperature=1.0)) == pytest.approx(ODDS, abs=0.025)


def test_temperature_sharpens_or_flattens():
    for temperature in (0.5, 2.0):
        wanted = ODDS ** (1 / temperature)
        found = shares(SamplingSettings(temperature=temperature))
        assert found == pytest.approx(wanted / wanted.sum(), abs=0.025)


@pytest.mark.parametrize(
    ("top_p", "kept"), [(0.4, [0]), (0.51, [0, 2]), (0.9, [0, 2, 3]), (0.99, [0, 1, 2, 3])]
)
def test_top_p_keeps_the_fewest_that_reach_it(top_p, kept):
    wanted = np.zeros(4)
    wanted[kept] = ODDS[kept] / ODDS[kept].sum()
    found = shares(SamplingSettings(temperature=1.0, top_p=top_p))
    assert found == pytest.approx(wanted, abs=0.025)


@given(
    logits=st.lists(st.floats(-30, 30, width=32), min_size=2, max_size=40),
    top_p=st.floats(0.01, 0.999),
    seed=st.integers(),
)
def test_top_p_never_leaves_the_sorted_nucleus(logits, top_p, seed):
    numbers = np.array(logits, np.float32)
    odds = np.exp(log_softmax(numbers))
    falling = np.sort(odds)[::-1]
    smallest = falling[min(np.searchsorted(np.cumsum(falling), top_p), len(falling) - 1)]
    chosen = choose(numbers, SamplingSettings(temperature=1.0, top_p=top_p), seeded(seed))
    assert odds[chosen] >= smallest * (1 - 1e-6)


def test_excluded_tokens_are_never_drawn():
    logits = LOGITS.copy()
    logits[0] = -np.inf
    found = shares(SamplingSettings(temperature=5.0), logits)
    assert found[0] == 0
    assert (found[1:] > 0).all()


@pytest.mark.parametrize("bad", [np.nan, -np.inf, np.inf])
def test_useless_numbers_raise(bad):
    with pytest.raises(EngineError, match="dtype"):
        choose(np.full(4, bad, np.float32), SamplingSettings(temperature=1.0), seeded(0))


@pytest.mark.parametrize("seed", [0, -1, 2**70])
def test_any_integer_is_a_seed(seed):
    assert seeded(seed).random() == seeded(seed).random()


def test_log_softmax_is_of_the_last_axis():
    found = log_softmax(np.stack([LOGITS + 100, LOGITS - 100]))
    assert found == pytest.approx(np.log(np.stack([ODDS, ODDS])), abs=1e-5)


# Sampling settings outside their range are refused.
@pytest.mark.parametrize(("change", "message"), [
    ({"temperature": -0.1}, "temperature must be from 0 to 10, not -0.1"),
    ({"temperature": math.nan}, "temperature must be"),
    ({"top_p": 0.0}, "top_p must be above 0"),
    ({"top_p": 1.1}, "top_p must be above 0"),
    ({"max_new_tokens": 0}, "max_new_tokens must be from 1"),
])  # fmt: skip
def test_settings_out_of_range_are_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(WorkbenchError, match=message):
        SamplingSettings(**change)


def test_the_limits_themselves_are_allowed() -> None:
    SamplingSettings(temperature=10.0, top_p=1.0, max_new_tokens=1_000_000)

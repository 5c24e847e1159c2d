from __future__ import annotations

import pytest

from agent.claims.claims import claims_of
from tests.train.draft.spectra import all_examples
from train.meter import Meter
from train.review.checks import TurnContext, find_fault, is_same_window


@pytest.fixture(scope="module")
def meter() -> Meter:
    return Meter.of(all_examples()[0].spectrum)


def fault(meter: Meter, text: str, *, is_shown: bool = True, guideline: str = "") -> str:
    shown = (meter.range,) if is_shown else ()
    context = TurnContext(meter, shown, shown, guideline, frozenset({"Hα (--) -60"}))
    (claim,) = claims_of(text)
    return find_fault(claim, context)


def test_claims_about_the_whole_spectrum(meter: Meter) -> None:
    low, high = meter.range
    assert not fault(meter, f"{low:.0f} to {high:.0f} Å is covered.", is_shown=False)
    assert not fault(meter, f"The data end at {high:.0f} Å.")
    assert "the data end at" in fault(meter, f"The data end at {high - 500:.0f} Å.")
    assert not fault(meter, f"The S/N is {meter.numbers.overall_snr:.0f}.")
    assert "the S/N is" in fault(meter, "The S/N is 2.")


def test_quotes_must_have_been_printed(meter: Meter) -> None:
    assert not fault(meter, "Hα (--) -60.")
    assert fault(meter, "Hα (--) -61.") == "the tool did not print this"


def test_a_feature_must_have_been_shown_unless_the_guideline_names_the_limit(meter: Meter) -> None:
    value = abs(meter.numbers.line_strength("H_alpha").number)
    assert not fault(meter, f"Hα has {value:.1f} Å.")
    assert "measured" in fault(meter, f"Hα has {3 * value + 5:.1f} Å.")
    assert "in no window" in fault(meter, f"Hα has {value:.1f} Å.", is_shown=False)
    limit = f"Hα is below {value + 50:.0f} Å."
    assert not fault(meter, limit, is_shown=False, guideline=limit)
    assert fault(meter, "The whole is 1430 km/s wide.") == "the number belongs to no feature"


def test_windows_are_the_same_apart_from_rounding() -> None:
    assert is_same_window((6450, 6750), (6460, 6740))
    assert not is_same_window((6450, 6750), (6450, 6800))

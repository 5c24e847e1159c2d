"""Damaged spectra through readers, pictures and inspectors: a result or a sentence, in bounds."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from tests.attacks.sandbox import Outcome, Sandbox
from tests.night import BY_NIGHT, seeds

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="cases are forked")

BATCHES, EACH = seeds(by_day=1, by_night=100), 100 if BY_NIGHT else 40
NANO_BATCHES, NANO_EACH = seeds(by_day=1, by_night=40), 25 if BY_NIGHT else 2
MOST_MB, MOST_S = 600, 10.0
NANO_S = 280.0


def check(case: str, outcome: Outcome) -> None:
    assert outcome.error == "", f"{case}: {outcome.error}"
    assert outcome.status == 0, f"{case} ended with {outcome.status}: {outcome.output}"
    assert "Traceback" not in outcome.output, f"{case}: {outcome.output}"


@pytest.mark.parametrize("batch", BATCHES)
def test_damaged_spectra_are_read_drawn_and_measured_or_refused(batch: int) -> None:
    found: Counter[str] = Counter()
    worst_mb, worst_s = 0, 0.0
    with Sandbox("tests.attacks.spectra:attack") as sandbox:
        for number in range(EACH):
            outcome = sandbox.run(batch, number)
            case = f"case {batch}:{number}"
            check(case, outcome)
            assert outcome.peak_mb <= MOST_MB, f"{case}: {outcome.peak_mb} MB"
            # Of the processor: beside other tests a case may wait long for its turn.
            assert outcome.value["cpu_s"] <= MOST_S, f"{case}: {outcome.value['cpu_s']} s"
            foreign = [path for path in outcome.opened if not path.startswith("/tmp/")]
            assert foreign == [], f"{case}: {foreign}"
            found["refused" if "why" in outcome.value else "read"] += 1
            found["judged"] += outcome.value.get("judged", False)
            worst_mb, worst_s = max(worst_mb, outcome.peak_mb), max(worst_s, outcome.value["cpu_s"])
    sys.stderr.write(f"batch {batch}: {dict(found)}, {worst_mb} MB, {worst_s} s\n")
    assert min(found["read"], found["refused"]) > EACH // 10, "the damage is one-sided"
    assert found["judged"] > found["read"] // 2


@pytest.mark.parametrize("batch", NANO_BATCHES)
def test_damaged_spectra_are_inspected_by_the_bundled_model(batch: int) -> None:
    pytest.importorskip("llama_cpp")
    with Sandbox("tests.attacks.spectra:nano") as sandbox:
        outcome = sandbox.run(1000 + batch, NANO_EACH, deadline_s=NANO_S)
    check(f"batch {batch}", outcome)
    sys.stderr.write(f"nano {batch}: {outcome.value}, {outcome.peak_mb} MB, {outcome.seconds} s\n")
    assert outcome.value["inspected"] == NANO_EACH
    assert outcome.value["judged"] > NANO_EACH // 2
    assert outcome.peak_mb <= MOST_MB


def test_a_million_pixels_are_drawn_and_measured_within_seconds() -> None:
    with Sandbox("tests.attacks.spectra:million") as sandbox:
        outcome = sandbox.run(1_000_000, deadline_s=NANO_S)
    check("a million", outcome)
    sys.stderr.write(f"a million: {outcome.value} s of CPU, {outcome.peak_mb} MB\n")
    assert outcome.value <= MOST_S
    assert outcome.peak_mb <= MOST_MB

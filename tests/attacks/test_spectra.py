"""Damaged spectra through readers, pictures and inspectors: a result or a sentence, in bounds."""

import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.attacks.sandbox import Outcome, Sandbox
from tests.night import BY_NIGHT, seeds

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="cases are forked"),
    pytest.mark.timeout(4000),  # the deadlines of the sandbox come first
]

BATCHES, EACH = seeds(by_day=1, by_night=100), 100 if BY_NIGHT else 40
BUNDLED_BATCHES, BUNDLED_EACH = seeds(by_day=1, by_night=40), 25 if BY_NIGHT else 4
MOST_MB = 600
BUNDLED_S = 120.0
"""For each inspection, twenty times what it takes."""
FEW, MILLION = 250_000, 1_000_000


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox("tests.attacks.spectra:attack") as made:
        yield made


def check(case: str, outcome: Outcome) -> None:
    assert outcome.error == "", f"{case}: {outcome.error}"
    assert outcome.status == 0, f"{case} ended with {outcome.status}: {outcome.output}"
    assert "Traceback" not in outcome.output, f"{case}: {outcome.output}"


@pytest.mark.parametrize("batch", BATCHES)
def test_damaged_spectra_are_read_drawn_and_measured_or_refused(
    batch: int, sandbox: Sandbox
) -> None:
    found: Counter[str] = Counter()
    worst_mb = 0
    for number in range(EACH):
        outcome = sandbox.run(batch, number)
        case = f"case {batch}:{number}"
        check(case, outcome)
        assert outcome.peak_mb <= MOST_MB, f"{case}: {outcome.peak_mb} MB"
        foreign = [path for path in outcome.opened if not path.startswith("/tmp/")]
        assert foreign == [], f"{case}: {foreign}"
        found["refused" if "why" in outcome.value else "read"] += 1
        found["judged"] += outcome.value.get("judged", False)
        worst_mb = max(worst_mb, outcome.peak_mb)
    sys.stderr.write(f"batch {batch}: {dict(found)}, {worst_mb} MB\n")
    assert min(found["read"], found["refused"]) > EACH // 10, "the damage is one-sided"
    assert found["judged"] > found["read"] // 2


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=25))
def test_damaged_spectra_are_cells_of_a_contact_sheet(batch: int, sandbox: Sandbox) -> None:
    """By night 1,000."""
    drawn = 0
    for number in range(40 if BY_NIGHT else 8):
        outcome = sandbox.run(batch, number, function="cell")
        check(f"case {batch}:{number}", outcome)
        assert outcome.peak_mb <= MOST_MB
        drawn += "why" not in outcome.value
    assert drawn


@pytest.mark.parametrize("batch", BUNDLED_BATCHES)
def test_damaged_spectra_are_inspected_by_the_bundled_model(batch: int, sandbox: Sandbox) -> None:
    pytest.importorskip("llama_cpp")
    deadline_s = BUNDLED_S * BUNDLED_EACH
    outcome = sandbox.run(1000 + batch, BUNDLED_EACH, deadline_s=deadline_s, function="bundled")
    check(f"batch {batch}", outcome)
    sys.stderr.write(f"bundled {batch}: {outcome.value}, {outcome.peak_mb} MB\n")
    assert outcome.value["inspected"] == BUNDLED_EACH
    assert outcome.value["judged"] > BUNDLED_EACH // 2
    assert outcome.peak_mb <= MOST_MB


def test_a_million_pixels_cost_no_more_than_their_share(sandbox: Sandbox) -> None:
    outcome = sandbox.run(FEW, MILLION, function="growth")
    check("a million", outcome)
    sys.stderr.write(f"a million: {outcome.value} times {FEW}, {outcome.peak_mb} MB\n")
    assert outcome.value <= MILLION / FEW  # about 1.4
    assert outcome.peak_mb <= MOST_MB

"""Hostile texts in a session and a list: the window shows them, and does nothing else with them."""

from __future__ import annotations

import pytest

from tests.attacks.sandbox import Sandbox
from tests.attacks.window.texts import COUNT
from tests.night import BY_NIGHT, seeds

IN_BATCH = 3 if BY_NIGHT else 1
MOST_MB = 600
SLOWEST_S = 2.0


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=9))
def test_texts_of_strangers_are_only_shown(batch):
    """By night 27 sessions with twelve texts each."""
    with Sandbox("tests.attacks.window.walk:vet") as sandbox:
        outcomes = [sandbox.run(batch * IN_BATCH + number) for number in range(IN_BATCH)]
    full = 0
    for outcome in outcomes:
        assert (outcome.error, outcome.status) == ("", 0), outcome.output
        assert outcome.value["faults"] == []
        assert "Traceback" not in outcome.output
        assert outcome.value["texts"] == COUNT
        assert outcome.value["seen"]["labels"] > 100 and outcome.value["seen"]["tips"] > 20
        if outcome.value["seen"]["disputes"]:
            full += 1
        assert outcome.peak_mb <= MOST_MB
        assert outcome.value["slowest"][0][0] <= SLOWEST_S, outcome.value["slowest"]
    assert full > 0, "no session was shown in full"
